"""Pieces of Markdown that the report is made of."""

from __future__ import annotations

from collections.abc import Iterable


def picture(name: str, title: str) -> str:
    """A figure of the report."""
    return f"![{title}](figures/{name}.svg)"


def folded(title: str, text: str) -> str:
    """Text that opens at a click."""
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"


def bold(text: str, is_bold: bool = True) -> str:
    """Text that stands out."""
    return f"**{text}**" if is_bold else text


def paragraphs(parts: Iterable[str]) -> str:
    """Parts that say something, with a blank line between them."""
    return "\n\n".join(part.strip() for part in parts if part.strip())


def times(ratio: float) -> str:
    """A multiple, with two figures at least.

    >>> times(1.234), times(0.00456)
    ('×1.23', '×0.0046')
    """
    return f"×{ratio:.2f}" if ratio >= 0.1 else f"×{ratio:.2g}"
