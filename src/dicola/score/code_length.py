"""How short a MAG describes a table of categories; and a choice between two graphs by that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from dicola._kernels import code_length as kernel
from dicola.ci.g_square import GSquare
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.claims import Claims
from dicola.errors import NeedsData, Sentence
from dicola.graphs.marks import MixedGraph
from dicola.graphs.skeleton import Pair
from dicola.orient.equivalence import mag_to_pag
from dicola.orient.fixpoint import Orientation
from dicola.score.base import Score
from dicola.score.gaussian_bic import district_lists
from dicola.score.law import Law
from dicola.score.legal import nearby_mag
from dicola.score.search import BestMag, Refined

_CELLS = 200_000  # up to which regrets are kept
_LARGEST = 9  # variables of a district: of more there are too many heads


class CodeLength(Score):
    """Twice the length of the normalised maximum likelihood code of categories, in nats; less is better.

    The parameters of a graph are priced by what they could fit, so that there is nothing to choose;
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
        self.names, self.n_samples, self.penalty = tuple(names), int(codes.shape[1]), float(penalty)
        k = np.arange(self.n_samples + 1, dtype=np.float64)
        regrets = kernel.regrets(_two_cells(self.n_samples), self.n_samples, _CELLS)
        self._rows = kernel.CountedRows(
            np.ascontiguousarray(codes, dtype=np.int16), np.array(levels, dtype=np.int64), k * np.log(np.maximum(k, 1.0)), regrets
        )

    @property
    def price(self) -> float:
        """What an edge costs beyond its parameters."""
        return 2 * self.penalty

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

    def among(self, variables: Sequence[int]) -> Self:
        part = copy(self)
        chosen = np.array(variables, dtype=np.int64)
        part.names = tuple(self.names[v] for v in variables)
        part._rows = self._rows._replace(codes=self._rows.codes[chosen], levels=self._rows.levels[chosen])
        return part

    def district(self, members: Sequence[int], arrows: Iterable[Pair], bidirected: Iterable[Pair]) -> float:
        if len(members) > _LARGEST:
            return float("inf")
        inside, lists, lengths = district_lists(members, arrows, bidirected)
        part, d, room = self.among(inside)._rows, len(members), kernel.make_head_room(len(inside))
        length = kernel.district_length(part, np.arange(d), d, lists, lengths, room)
        nothing = np.zeros_like(lengths)
        alone = sum(kernel.district_length(part, np.array([v]), 1, lists, nothing, room) for v in range(d))
        edges = int(lengths[0].sum() + lengths[1].sum() // 2)
        return float(length - alone + self.price * edges)


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

    def refine(self, ci: Inquiry, found: Orientation, seed: int, claims: Claims | None = None) -> Refined | None:
        """The best MAG over blocks, among those that obey the claims; ``None`` where the oriented graph has the shorter code and obeys."""
        counted = CodeLength.of(ci)
        assert isinstance(ci.test, GSquare)
        blocks = Inquiry(ci.test.as_blocks())
        refined = BestMag().refine(blocks, found, seed, claims)
        ci.account.add(blocks.account)
        # Of both the member of the class with few bidirected edges: large districts have no length.
        law = Law.of(claims)
        if law is not None and not law.is_obeyed_by(found):
            return refined
        by_score: MixedGraph = mag_to_pag(refined.mag) if law is None else refined.mag
        lengths = [counted.mag(nearby_mag(graph.reordered(counted.names), law)) for graph in (found.pag, by_score)]
        return None if lengths[0] < lengths[1] else refined
