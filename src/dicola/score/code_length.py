"""How short a graph describes a table of categories; and a choice between two graphs by that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from dicola._kernels import code_length as kernel
from dicola.checkpoint import Checkpoint
from dicola.ci.g_square import GSquare
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.claims import Claims
from dicola.errors import NeedsData, Sentence
from dicola.graphs.mag import MAG
from dicola.graphs.marks import MixedGraph
from dicola.orient.equivalence import mag_to_pag
from dicola.orient.fixpoint import Orientation
from dicola.score.law import Law
from dicola.score.legal import nearby_mag
from dicola.score.search import BestMag, Refined, linear_extension

_CELLS = 200_000  # up to which regrets are kept
_CLOSE = 0.01  # of a length: by less the graph of tests does not win


class CodeLength:
    """Twice the length of the normalised maximum likelihood code of categories, in nats; less is better.

    The parameters of a DAG are priced by what they could fit, so that there is nothing to choose;
    an edge costs a little beyond that. It is counted, whatever the relations are, where the block
    scores see what levels add. A variable alone costs nothing.

    Parameters
    ----------
    codes : matrix of int
        A row per variable, an entry per row of the table: the number of its level.
    levels : sequence of int
        How many levels each variable has.
    names : iterable of str
        In the order of the codes.
    penalty : float
        Half of what an edge costs beyond its parameters.

    """

    def __init__(
        self, codes: NDArray[np.int16], levels: Sequence[int] | NDArray[np.int64], names: Iterable[str], penalty: float = 1.5
    ) -> None:
        n = int(codes.shape[1])
        self.names, self.penalty = tuple(names), float(penalty)
        k = np.arange(n + 1, dtype=np.float64)
        regrets = kernel.regrets(_two_cells(n), n, _CELLS)
        self._rows = kernel.CountedRows(
            np.ascontiguousarray(codes, dtype=np.int16), np.array(levels, dtype=np.int64), k * np.log(np.maximum(k, 1.0)), regrets
        )

    @classmethod
    def of(cls, ci: Evidence) -> Self:
        """The lengths of the counts behind a test that counts, in its positions.

        Parameters
        ----------
        ci : CITest or Inquiry
            The test, such as ``GSquare(table)``.

        Raises
        ------
        NeedsData
            The test does not count, or rows have gaps.

        """
        test = Inquiry.of(ci).test
        if not isinstance(test, GSquare):
            raise NeedsData(
                Sentence("{test} does not count levels; a table of categories takes {ci_test=g_square}.", test=type(test).__name__)
            )
        if (test.codes < 0).any():
            raise NeedsData("some rows have gaps, and graphs are compared on complete rows only.")
        return cls(test.codes, test.levels, test.labels)

    def local(self, v: int, parents: Iterable[int]) -> float:
        """What a variable takes given its parents, beyond what it takes alone.

        Parameters
        ----------
        v : int
            Its position in ``names``.
        parents : iterable of int
            Their positions.

        """
        above = np.array(sorted(parents), dtype=np.int64)
        alone = kernel.family_length(self._rows, v, above[:0])
        return float(kernel.family_length(self._rows, v, above) - alone + 2 * self.penalty * len(above))

    def along(self, mag: MAG) -> float:
        """The length of the DAG with the edges of a MAG, each in the direction of the first order that its arrows allow.

        A bidirected edge so becomes an arrow: the code of one that stays bidirected would pay for every
        combination of levels in its district, far more than it says.

        Parameters
        ----------
        mag : MAG
            Over the variables of ``names``, in their order.

        """
        earlier, total = list[int](), 0.0
        for v in linear_extension(mag.marks):
            total += self.local(v, [u for u in earlier if mag.marks[u, v]])
            earlier.append(v)
        return total


def is_counted(ci: Evidence) -> bool:
    """Is there a length for the counts behind this test?"""
    test = Inquiry.of(ci).test
    return isinstance(test, GSquare) and not (test.codes < 0).any()


def _two_cells(n: int) -> float:
    """C(n, 2): the sum over all counts of two cells of their largest likelihood."""
    k = np.arange(n + 1, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.where(k > 0, k * np.log(k / n), 0.0)
    return float(np.exp(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + own + own[::-1]).sum())


class ShorterCode:
    """A last step for categories: the graph of tests, or the MAG with the best score over blocks of indicators.

    Tests that count see whatever relation there is, where they have the rows; blocks see what levels
    add, with far fewer. The graph that describes the counts in the shorter code is taken.
    """

    def check(self, ci: Inquiry) -> None:
        """Refuse a test that does not count; ``NeedsData``."""
        CodeLength.of(ci)

    def refine(
        self, ci: Inquiry, found: Orientation, seed: int, claims: Claims | None = None, kept: Checkpoint | None = None
    ) -> Refined | None:
        """The best MAG over blocks, among those that obey the claims; ``None`` where the oriented graph has the shorter code and obeys."""
        counted = CodeLength.of(ci)
        assert isinstance(ci.test, GSquare)
        blocks = Inquiry(ci.test.as_blocks())
        refined = BestMag().refine(blocks, found, seed, claims, kept)
        ci.account.add(blocks.account)
        law = Law.of(claims)
        # Two levels are one column, whose covariances say all of a pair; sums of indicators say less the more levels there are.
        answer = refined._replace(doubted_by=blocks.test) if np.median(ci.test.levels) > 2 else refined
        if law is not None and not law.is_obeyed_by(found):
            return answer
        scored: MixedGraph = mag_to_pag(refined.mag) if law is None else refined.mag
        by_tests, by_score = (counted.along(nearby_mag(graph.reordered(counted.names), law)) for graph in (found.pag, scored))
        return None if by_tests < (1 + _CLOSE) * by_score else answer  # a length is below zero: what edges save
