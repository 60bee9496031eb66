"""What the report needs to know of a discovery."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from dicola.decompose.tree import Tree
from dicola.graphs.pag import PAG
from dicola.graphs.skeleton import Skeleton
from dicola.orient.equivalence import Legality
from dicola.orient.partial import Conflict, Reason


class Evidence(Protocol):
    """The graph and what led to it; ``dicola.Discovery`` is the one that counts."""

    @property
    def pag(self) -> PAG: ...
    @property
    def skeleton(self) -> Skeleton: ...
    @property
    def tree(self) -> Tree: ...
    @property
    def reasons(self) -> Mapping[tuple[int, int], Reason]: ...
    @property
    def conflicts(self) -> Sequence[Conflict]: ...
    @property
    def settings(self) -> Mapping[str, Any]: ...


class Result(Evidence, Protocol):
    """All that a report tells."""

    @property
    def tests(self) -> Mapping[str, int]: ...
    @property
    def seconds(self) -> Mapping[str, float]: ...
    @property
    def warnings(self) -> Sequence[str]: ...
    @property
    def legality(self) -> Legality: ...
    def conflicts_in_words(self) -> list[str]: ...
