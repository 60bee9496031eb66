"""All that the command line says goes through here: names from files never speak to the terminal.

A terminal obeys control characters: they colour, move the cursor, set its title, and on some send
keys. Names of columns come from files, and files from others, so such characters are shown as
escapes, also where the output is piped, for what is piped may end on a terminal.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any, Final

import typer

# Control characters but for the tab and the new line; what turns the direction of writing; halves of
# characters, which stand for bytes in names of files that are no UTF-8.
_OBEYED: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    r"""The text with escapes in place of characters that a terminal would obey.

    >>> print(visible("height \x1b[31m in cm"))
    height \x1b[31m in cm
    """
    return _OBEYED.sub(lambda found: f"\\x{ord(found[0]):02x}" if found[0] < "\x80" else f"\\u{ord(found[0]):04x}", text)


def json_line(facts: Any) -> str:
    """The facts as JSON in one line, which means the same and which no terminal obeys."""
    # Settings of a user's own learner may be anything.
    text = json.dumps(facts, ensure_ascii=False, default=repr)
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def say(text: str) -> None:
    """Print on standard output."""
    typer.echo(visible(text))


def complain(sentence: str) -> None:
    """Print on standard error, after our name."""
    sys.stderr.write(f"dicola: {visible(sentence)}\n")
