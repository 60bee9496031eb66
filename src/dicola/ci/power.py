"""How much the rows could tell: the weakest link that is found most of the time."""

from __future__ import annotations

from dataclasses import dataclass
from math import atanh, expm1, sqrt, tanh
from typing import Literal

from scipy.special import chdtri, chndtrinc, ndtri

from dicola.errors import counted

Strength = Literal["correlation", "share", "cramer"]
"""How the strength of a link is told: a partial correlation; the root of the share of variance that the one block of columns explains of
the other; Cramér's V of two columns of categories."""

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


def noncentrality_found(alpha: float, freedom: int) -> float:
    """How far a χ² statistic must be from its null distribution to exceed its critical value in four samples of five.

    Parameters
    ----------
    alpha : float
        The level.
    freedom : int
        The degrees of freedom.

    Examples
    --------
    >>> round(noncentrality_found(0.05, 1), 2), round(noncentrality_found(0.05, 4), 2)  # Cohen (1988) has 7.85 and 11.94
    (7.85, 11.94)

    """
    return noncentrality_beyond(float(chdtri(freedom, alpha)), freedom)


def noncentrality_beyond(critical: float, freedom: int) -> float:
    """The same for a critical value of any origin, such as the price of an edge.

    Parameters
    ----------
    critical : float
        What the statistic must exceed.
    freedom : int
        The degrees of freedom.

    Examples
    --------
    >>> round(noncentrality_beyond(3.84, 1), 2)
    7.85

    """
    return float(chndtrinc(critical, freedom, 0.2))


def smallest_between_blocks(alpha: float, freedom: int, factor: float) -> float:
    """The multiple partial correlation of two blocks of columns that is found in four samples of five.

    Wilks' likelihood ratio is ``-factor · ln(1 - r²)`` where the one block explains the share ``r²`` of
    one direction of the other and nothing beyond it; that is the distance from the null distribution.

    Parameters
    ----------
    alpha : float
        The level.
    freedom : int
        Degrees of freedom: pairs of columns, one of each block.
    factor : float
        Rows, less what the columns cost; more than 0.

    Examples
    --------
    >>> round(smallest_between_blocks(0.01, 1, 112.5), 2), round(smallest_between_blocks(0.01, 4, 112.5), 2)
    (0.31, 0.37)

    """
    return sqrt(-expm1(-noncentrality_found(alpha, freedom) / factor))


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
        The smallest partial correlation given so many that is found; or what ``strength`` says.
    given_rest : float or None
        The same given all other variables, where such tests decided as well.
    strength : {"correlation", "share", "cramer"}
        How the strength of a link is told: by a partial correlation, by the root of a share of
        explained variance, by Cramér's V.
    freedom : int
        Degrees of freedom of the test of two usual columns.

    """

    n_samples: int
    given: int
    correlation: float
    given_rest: float | None = None
    strength: Strength = "correlation"
    freedom: int = 1

    def __str__(self) -> str:
        rest = ""
        if self.given_rest is not None and self.given_rest > self.correlation:
            rest = f" ({self._told(self.given_rest)} given all other variables)"
        return (
            f"with {counted(self.n_samples, 'row', spec=',')} {self._kind()} {self._told(self.correlation)}{rest} or more is found "
            "4 times out of 5; weaker links are easily missed."
        )

    def _kind(self) -> str:
        freedom = counted(self.freedom, "degree of freedom", "degrees of freedom")
        if self.strength == "share" and self.freedom > 1:
            return f"a link between two usual columns ({freedom}) that explains"
        if self.strength == "cramer":
            return f"a link between two usual columns ({freedom}) with a Cramér's V of"
        return "a partial correlation of" if self.given else "a correlation of"

    def _told(self, value: float) -> str:
        is_share = self.strength == "share" and self.freedom > 1
        return f"{_percent(value**2)} of the variance" if is_share else _short(value)


def _percent(share: float) -> str:
    """Two digits: ``0.52 %``, ``4.1 %``, ``12 %``.

    >>> _percent(0.0052), _percent(0.041), _percent(0.1234)
    ('0.52 %', '4.1 %', '12 %')
    """
    return f"{min(100 * share, 99):.2g} %"


def _short(correlation: float) -> str:
    """Two digits as journals print them, more where they would say nothing: ``.31``, ``.99``, ``.003``.

    >>> _short(0.3141), _short(0.0028), _short(0.9999)
    ('.31', '.0028', '.99')
    """
    text = f"{min(correlation, 0.99):.2f}" if correlation >= 0.1 else f"{correlation:.2g}"
    return text.removeprefix("0")
