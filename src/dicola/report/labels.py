"""Names as they appear in a drawing: their order, their short form, their width, and their escaped text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from html import escape
from typing import Final

from dicola.tables.names import name_order

FONT_SIZE: Final = 13.0  # as drawing.css has it
LONGEST_LABEL: Final = 24  # characters shown; the whole name stands in the tooltip

_NARROW: Final = frozenset("iljtfrI.,:;!|'`()[]{}/\\ ")
_WIDE: Final = frozenset("mwMW@%&<>=+~#…")
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escaped(text: object) -> str:
    """Text that is safe in an element and in a quoted attribute, in XML and in HTML; forbidden characters become U+FFFD."""
    return escape(_NOT_XML.sub("\ufffd", str(text)).replace("\r", " "), quote=True)


def in_natural_order(names: Sequence[str]) -> list[str]:
    """Names in the order in which drawings and tables list them: it counts.

    >>> in_natural_order(["V10", "V2", "V"])
    ['V', 'V2', 'V10']
    """
    return [names[i] for i in name_order(names)]


def short_label(name: str) -> str:
    """The name as a box shows it: whole if short, else its beginning and its end.

    >>> short_label("blood_pressure_after_treatment_3")
    'blood_pressu…treatment_3'
    """
    shown = " ".join(_NOT_XML.sub("\ufffd", name).split())
    if not shown:
        return "(no name)"
    if len(shown) <= LONGEST_LABEL:
        return shown
    tail = (LONGEST_LABEL - 1) // 2
    return f"{shown[: LONGEST_LABEL - 1 - tail]}…{shown[-tail:]}"


def text_width(text: str) -> float:
    """Width in pixels, guessed on the generous side, since a file cannot measure the reader's font."""
    return FONT_SIZE * sum(_em(character) for character in text)


def _em(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if character in _NARROW:
        return 0.36
    if character in _WIDE:
        return 0.95
    return 0.74 if character.isupper() else 0.64
