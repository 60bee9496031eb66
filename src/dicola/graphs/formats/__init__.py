"""Exchange formats: one file each, a reader and a writer, its convention in the docstring; ``registry`` knows them all."""
