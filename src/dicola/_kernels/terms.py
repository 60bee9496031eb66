"""What a Gaussian score is made of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Terms(NamedTuple):
    """A score of minus twice the log likelihood on correlations, and a price per edge.

    The matrix is read-only: for a writeable one every kernel would be compiled once more.
    """

    correlation: NDArray[np.float64]
    n_samples: float
    price: float
