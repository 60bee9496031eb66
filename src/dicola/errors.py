"""Every error a user can cause, and sentences that know which settings they name.

Each message says what was found, what is allowed and what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from string import Formatter
from typing import Any, NamedTuple

_FORMATTER = Formatter()
_LONGEST_SHOWN = 80  # characters of a value in a sentence
_BOOLS = {"True": True, "False": False}


class Setting(NamedTuple):
    """A setting as a sentence names it, alone or with a value; ``str()`` is how Python writes it.

    >>> print(Setting("max_depth"), Setting("stop", "auto"), Setting("decompose", False))
    max_depth stop='auto' decompose=False
    """

    name: str
    value: Any = None

    def __str__(self) -> str:
        return self.name if self.value is None else f"{self.name}={self.value!r}"


class Sentence(str):
    """A text that knows which settings it names: it speaks Python, and other dialects on demand.

    Parameters
    ----------
    template : str
        As for ``str.format``. A field that is not among the values names a setting: ``{max_depth}``, or ``{stop=auto}`` with a value.
    **values
        What goes into the other fields; a :class:`Setting` or another sentence is kept as such.

    Examples
    --------
    >>> sentence = Sentence("{n} rows are too few; try {blankets=iamb}.", n=5)
    >>> print(sentence)
    5 rows are too few; try blankets='iamb'.
    >>> sentence.in_words(lambda setting: f"--{setting.name} {setting.value}")
    '5 rows are too few; try --blankets iamb.'

    """

    pieces: tuple[str | Setting, ...]

    def __new__(cls, template: str, **values: object) -> Sentence:
        return cls._of(tuple(_pieces(template, values)))

    @classmethod
    def _of(cls, pieces: tuple[str | Setting, ...]) -> Sentence:
        made = super().__new__(cls, "".join(map(str, pieces)))
        made.pieces = pieces
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Sentence._of, (self.pieces,)

    def in_words(self, dialect: Callable[[Setting], str]) -> str:
        """The sentence with every setting named as ``dialect`` names it."""
        return "".join(dialect(piece) if isinstance(piece, Setting) else piece for piece in self.pieces)


def _pieces(template: str, values: Mapping[str, object]) -> Iterator[str | Setting]:
    for text, field, spec, conversion in _FORMATTER.parse(template):
        yield text
        if field is None:
            continue
        name, _, given = field.partition("=")
        value = values.get(field, Setting(name, _BOOLS.get(given, given or None)))
        if isinstance(value, Sentence):
            yield from value.pieces
        elif isinstance(value, Setting):
            yield value
        else:
            yield format(_FORMATTER.convert_field(value, conversion), spec or "")


def counted(number: int, one: str, many: str = "", spec: str = "") -> str:
    """A number of things in words; ``many`` is the plural where it does not just end in s.

    >>> counted(1, "edge"), counted(2, "leaf", "leaves"), counted(1200, "test", spec=",")
    ('1 edge', '2 leaves', '1,200 tests')
    """
    return f"{number:{spec}} {one if number == 1 else many or f'{one}s'}"


class DicolaError(Exception):
    """Base of all errors that a user can mend."""

    @property
    def sentence(self) -> str:
        """The message, with the settings that it names where it is a :class:`Sentence`."""
        return self.args[0] if self.args else ""


class InvalidData(DicolaError, ValueError):
    """The table, covariance or file cannot be used as it is."""


class InvalidSetting(DicolaError, ValueError):
    """A setting has a value that is not allowed."""


def not_allowed(name: str, value: object, rule: str) -> InvalidSetting:
    """The error that a setting has some value, with the rule that the value breaks.

    >>> not_allowed("n_jobs", 0, "it must be a whole number of workers.")
    InvalidSetting('n_jobs is 0; it must be a whole number of workers.')
    """
    return InvalidSetting(Sentence("{name} is {value}; {rule}", name=Setting(name), value=shown(value), rule=rule))


def shown(value: object) -> str:
    """A value as Python writes it, on one line and cut where it is long; its type where it cannot be written.

    >>> shown("a"), len(shown(10**400)), shown(10**5000)
    ("'a'", 80, 'a value of type int')
    """
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an int of too many digits, or anything that a class of the user raises
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"


class InvalidGraph(DicolaError):
    """A graph breaks the rules of its kind: a cycle, an unknown node, a mark that cannot be there."""


class MissingExtra(DicolaError):
    """An optional dependency is needed and not installed."""


class NeedsData(DicolaError):
    """The question needs samples, and the independence test at hand carries none."""


class BudgetExceeded(DicolaError):
    """A budget was spent before there was what is asked for: a part of the answer exists, or none, and it will not do."""


class Interrupted(KeyboardInterrupt):
    """A run was ended by Ctrl-C; it carries what was found until then.

    Attributes
    ----------
    discovery : Discovery or LocalDiscovery
        The partial answer: ``complete`` is false.

    """

    def __init__(self, discovery: Any) -> None:
        super().__init__("the run was interrupted; the part of the answer that it came to is in .discovery")
        self.discovery = discovery

    def __reduce__(self) -> tuple[Any, ...]:
        return Interrupted, (self.discovery,)
