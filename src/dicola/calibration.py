"""From frequencies in bootstrap tables to probabilities: maps fitted to simulations whose truth is known.

Something found in 60 of 100 bootstrap tables is not right 60 times in 100. Tests at a low level
miss weak edges, so an edge that comes and goes is mostly a true one; and tails are claimed too
readily. A map straightens this out: ``logit p = shift + rise · ln f - fall · ln(1 - f)``, one per
mode and claim, fitted by maximum likelihood on the design tables of ``benchmarks/calibration.py``
and checked there on tables that took no part. They are linear Gaussian, of many sizes, densities
and numbers of rows, learned with default settings. Elsewhere the probabilities are a guide at best.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dicola.graphs.marks import Mark

Floats = NDArray[np.float64]


class Map(NamedTuple):
    """An increasing map from frequencies to probabilities (Kull, Silva Filho and Flach 2017)."""

    shift: float
    rise: float
    fall: float

    def __call__(self, frequency: Floats, replicates: int) -> Floats:
        """The probabilities; half a table is added on both sides, so that none is 0 or 1."""
        f = (frequency * replicates + 0.5) / (replicates + 1.0)
        return np.asarray(expit(self.shift + self.rise * np.log(f) - self.fall * np.log1p(-f)), dtype=np.float64)


class Calibration(NamedTuple):
    """The maps of one mode: for adjacency, and for each mark at an end."""

    adjacency: Map
    circle: Map
    arrow: Map
    tail: Map

    def of_adjacency(self, frequency: Floats, replicates: int) -> Floats:
        """How probable it is that pairs are adjacent in the true PAG."""
        return self.adjacency(frequency, replicates)

    def of_mark(self, mark: Mark, frequency: Floats, replicates: int) -> Floats:
        """How probable it is that pairs are adjacent in the true PAG with this mark at this end."""
        chosen = {Mark.CIRCLE: self.circle, Mark.ARROW: self.arrow, Mark.TAIL: self.tail}[mark]
        return chosen(frequency, replicates)


CALIBRATIONS: Final = {
    "exact": Calibration(
        adjacency=Map(0.7229, 0.9679, 2.2913),
        circle=Map(1.2469, 1.0141, 0.5478),
        arrow=Map(-0.4639, 0.7115, 0.4253),
        tail=Map(-0.0249, 0.9104, 0.3564),
    ),
    "balanced": Calibration(
        adjacency=Map(0.4274, 1.182, 1.1766),
        circle=Map(1.7446, 1.1794, 0.8187),
        arrow=Map(-0.3098, 0.9982, 0.6522),
        tail=Map(-1.524, 1.0782, 0.7663),
    ),
}
"""By mode, for tables of as many rows drawn with replacement."""
