"""``python -m dicola``: the command, where it is not on the path."""

from dicola.cli.app import main

if __name__ == "__main__":
    main()
