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
        adjacency=Map(0.6845, 0.9582, 2.4271),
        circle=Map(1.2577, 1.0167, 0.5392),
        arrow=Map(-0.4577, 0.7129, 0.4243),
        tail=Map(-0.0318, 0.9068, 0.3598),
    ),
    "balanced": Calibration(
        adjacency=Map(0.2571, 1.0373, 1.3005),
        circle=Map(2.0139, 1.2152, 0.7352),
        arrow=Map(-0.3312, 0.9333, 0.6011),
        tail=Map(-1.5507, 1.0401, 0.6913),
    ),
}
"""By mode, for tables of as many rows drawn with replacement."""
