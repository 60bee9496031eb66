"""What a Markov blanket learner answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from dicola.ci.inquiry import Evidence
from dicola.ci.questions import Adjacency
from dicola.graphs.skeleton import Variables
from dicola.graphs.undirected import UndirectedGraph


class BlanketLearner(ABC):
    """Learns the pairs that are in each other's Markov blanket among the variables of a test.

    Attributes
    ----------
    latent_safe : bool
        Are the blankets right where variables are hidden, if no test errs? Then they are those of the
        MAG over the observed variables.

    """

    name: ClassVar[str]
    title: ClassVar[str]
    reference: ClassVar[str]
    assumes: ClassVar[str]
    guarantee: ClassVar[str]
    latent_safe: ClassVar[bool] = False

    @abstractmethod
    def learn(self, ci: Evidence, block: Sequence[int] | None = None) -> Adjacency:
        """Symmetric matrix over ``block`` (default: all variables): is one in the other's blanket relative to all variables of ``ci``?"""

    def graph(self, ci: Evidence) -> UndirectedGraph:
        """The same over all variables, as a graph."""
        return UndirectedGraph.from_matrix(self.learn(ci))

    def blanket(self, ci: Evidence, target: int, among: Sequence[int] | None = None) -> Variables:
        """Which of ``among`` (default: all variables) are in the blanket of one variable; sorted."""
        row = self.learn(ci)[target]
        return tuple(v for v in (range(len(ci)) if among is None else sorted(among)) if row[v])

    def settled(self, ci: Evidence) -> tuple[BlanketLearner, str | None]:
        """The learner that is asked about the variables of ``ci``; where it was chosen for them, which and why in words."""
        return self, None

    def warnings(self, ci: Evidence) -> tuple[str, ...]:
        """What the user should know before trusting the blankets over all variables of ``ci``."""
        return ()
