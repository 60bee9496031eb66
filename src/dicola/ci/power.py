"""How much the rows could tell: the weakest link that is found most of the time."""

from __future__ import annotations

from dataclasses import dataclass
from math import atanh, sqrt, tanh

from scipy.special import ndtri

from dicola.errors import counted

_FOUR_OF_FIVE = float(ndtri(0.8))  # standard errors above the critical value, for a power of 80 %


def smallest_found(critical: float, freedom: int) -> float:
    """The partial correlation whose estimate exceeds a critical one in four samples of five.

    By Fisher's approximation: ``atanh`` of an estimate is normal around that of the truth, with
    variance ``1 / freedom``.

    Parameters
    ----------
    critical : float
        What an estimate must exceed for a link to be seen, between 0 and 1.
    freedom : int
        Rows less the number of variables held fixed, less 3; at least 1.

    Examples
    --------
    >>> round(smallest_found(0.24, freedom=113), 2)  # 118 rows, two held fixed, level 0.01
    0.31

    """
    return tanh(atanh(min(critical, 1 - 1e-15)) + _FOUR_OF_FIVE / sqrt(freedom))


@dataclass(frozen=True)
class Power:
    """Which links some rows would show four times out of five.

    Attributes
    ----------
    n_samples : int
        The rows.
    given : int
        How many variables are held fixed, as many as a variable of the answer has neighbours.
    correlation : float
        The smallest partial correlation given so many that is found.
    given_rest : float or None
        The same given all other variables, where such tests decided as well.

    """

    n_samples: int
    given: int
    correlation: float
    given_rest: float | None = None

    def __str__(self) -> str:
        kind = "partial correlation" if self.given else "correlation"
        rest = ""
        if self.given_rest is not None and self.given_rest > self.correlation:
            rest = f" ({_short(self.given_rest)} given all other variables)"
        return (
            f"with {counted(self.n_samples, 'row', spec=',')} a {kind} of {_short(self.correlation)}{rest} or more is found "
            "4 times out of 5; weaker links are easily missed."
        )


def _short(correlation: float) -> str:
    """Two digits as journals print them, more where they would say nothing: ``.31``, ``.99``, ``.003``.

    >>> _short(0.3141), _short(0.0028), _short(0.9999)
    ('.31', '.0028', '.99')
    """
    text = f"{min(correlation, 0.99):.2f}" if correlation >= 0.1 else f"{correlation:.2g}"
    return text.removeprefix("0")
