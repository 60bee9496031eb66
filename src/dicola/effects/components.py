"""Parts of a PAG that identification works on: buckets, possible c-components, regions, open paths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import pairwise

from dicola.graphs.marks import ARROW, CIRCLE, TAIL
from dicola.graphs.pag import PAG
from dicola.graphs.relatives import reached

Vertices = frozenset[int]
Path = tuple[int, ...]


class Components:
    """What the induced subgraphs of a PAG are made of; every question names the vertices of its subgraph.

    An edge of a subgraph is visible iff it is so in the whole PAG.

    Parameters
    ----------
    pag : PAG
        Without edges that tell of selection.

    """

    def __init__(self, pag: PAG) -> None:
        self.pag, self.around = pag, pag.around
        self.everything: Vertices = frozenset(range(len(pag)))

    @cached_property
    def buckets(self) -> tuple[Vertices, ...]:
        """Vertices joined by paths of edges o-o, by their first members."""
        return tuple(dict.fromkeys(self._bucket_of))

    @cached_property
    def _bucket_of(self) -> list[Vertices]:
        found: dict[int, Vertices] = {}
        for v in range(len(self.pag)):
            if v not in found:
                bucket = frozenset(reached(v, self._by_circles))
                found.update(dict.fromkeys(bucket, bucket))
        return [found[v] for v in range(len(self.pag))]

    def ordered(self, among: AbstractSet[int]) -> list[Vertices] | None:
        """The buckets of a subgraph, each behind all that may cause its members: a partial topological order.

        ``None`` where there is none, which happens in no legal PAG.
        """
        buckets = [bucket for bucket in self.buckets if bucket <= among]
        causes = {bucket: {self._bucket_of[u] for v in bucket for u in self._backward(v, among)} - {bucket} for bucket in buckets}
        order: list[Vertices] = []
        while len(order) < len(buckets):
            first = next((bucket for bucket in buckets if bucket in causes and not causes[bucket].intersection(causes)), None)
            if first is None:
                return None
            del causes[first]
            order.append(first)
        return order

    def possible_ancestors(self, vertices: Iterable[int], among: AbstractSet[int]) -> Vertices:
        """The vertices and all with a possibly directed path to them inside of the subgraph."""
        return frozenset().union(*(reached(v, lambda u: self._backward(u, among)) for v in vertices))

    def possible_descendants(self, vertices: Iterable[int], among: AbstractSet[int]) -> Vertices:
        """The vertices and all with a possibly directed path from them inside of the subgraph."""
        return frozenset().union(*(reached(v, lambda u: self._forward(u, among)) for v in vertices))

    def pc_component(self, vertices: Iterable[int], among: AbstractSet[int]) -> dict[int, Path]:
        """Who may share hidden causes with the vertices inside of the subgraph, with a path to each.

        Such a path has colliders only between its ends, and no visible edge (Jaber et al. 2019,
        possible c-component). The vertices themselves come with paths of their own.
        """
        found: dict[int, Path] = {v: (v,) for v in sorted(vertices)}
        queue = list(found.values())
        passed = set[int]()
        for path in queue:
            v = path[-1]
            for w in self._beside(v, among):
                is_open = len(path) == 1 or self.around[path[-2]][v] == ARROW == self.around[w][v]
                if not is_open or self.is_visible(v, w) or self.is_visible(w, v):
                    continue
                found.setdefault(w, (*path, w))
                # A path goes on only through an arrowhead, so each vertex is passed once.
                if self.around[v][w] == ARROW and w not in passed and w not in path:
                    passed.add(w)
                    queue.append((*path, w))
        return found

    def region(self, vertices: Iterable[int], among: AbstractSet[int]) -> Vertices:
        """The buckets that meet the possible c-component of the vertices in the subgraph."""
        component = self.pc_component(vertices, among)
        return frozenset().union(*(self._bucket_of[v] & among for v in component))

    def is_visible(self, a: int, b: int) -> bool:
        """Is there a --> b that no hidden common cause can stand behind?"""
        return (a, b) in self._visible

    def open_path(self, x: AbstractSet[int], y: AbstractSet[int], given: AbstractSet[int], among: AbstractSet[int]) -> Path | None:
        """A path that keeps "observing x" from being "setting x" as y is concerned; ``None`` if there is none.

        It runs inside of the subgraph from x to y, does not leave x by a visible edge, is of
        definite status, and is open given ``given``. If there is none, P(y | do(x), given) =
        P(y | x, given) in every causal graph of the class, after an intervention on whatever is not
        in the subgraph (Jaber et al. 2022, second rule of the calculus).
        """
        openers = self.possible_ancestors(given, among - x)
        queue: list[Path] = [(v, w) for v in sorted(x) for w in self._beside(v, among - x) if not self.is_visible(v, w)]
        seen = set(queue)
        for path in queue:
            u, v = path[-2:]
            if v in y:
                return path
            for w in self._beside(v, among - x):
                if w != u and (v, w) not in seen and self._passes(u, v, w, given, openers):
                    seen.add((v, w))
                    queue.append((*path, w))
        return None

    def _passes(self, u: int, v: int, w: int, given: AbstractSet[int], openers: AbstractSet[int]) -> bool:
        before, behind = self.around[u][v], self.around[w][v]
        if before == ARROW == behind:
            return v in openers
        is_noncollider = TAIL in (before, behind) or (before == CIRCLE == behind and w not in self.around[u])
        return is_noncollider and v not in given

    def directed_path(self, start: AbstractSet[int], end: int, among: AbstractSet[int]) -> Path:
        """A shortest possibly directed path inside of the subgraph; there must be one."""
        queue: list[Path] = [(v,) for v in sorted(start)]
        seen = set(start)
        for path in queue:
            if path[-1] == end:
                return path
            onward = [w for w in self._forward(path[-1], among) if w not in seen]
            seen.update(onward)
            queue += [(*path, w) for w in onward]
        raise AssertionError(f"no possibly directed path leads to {self.pag.names[end]}")

    def text(self, path: Path) -> str:
        """A path as it is printed: ``A o-> B <-> C``."""
        left, right = {CIRCLE: "o", ARROW: "<", TAIL: "-"}, {CIRCLE: "o", ARROW: ">", TAIL: "-"}
        steps = [f" {left[self.around[b][a]]}-{right[self.around[a][b]]} {self.pag.names[b]}" for a, b in pairwise(path)]
        return self.pag.names[path[0]] + "".join(steps)

    @cached_property
    def _visible(self) -> frozenset[tuple[int, int]]:
        names = self.pag.names
        directed = ((a, b) for a, row in enumerate(self.around) for b in row if self.around[a][b] == ARROW and self.around[b][a] == TAIL)
        return frozenset((a, b) for a, b in directed if self.pag.is_visible(names[a], names[b]))

    def _by_circles(self, v: int) -> Iterator[int]:
        return (w for w in sorted(self.around[v]) if self.around[v][w] == CIRCLE == self.around[w][v])

    def _beside(self, v: int, among: AbstractSet[int]) -> Iterator[int]:
        return (w for w in sorted(self.around[v]) if w in among)

    def _forward(self, v: int, among: AbstractSet[int]) -> Iterator[int]:
        return (w for w in self._beside(v, among) if self.around[w][v] != ARROW and self.around[v][w] != TAIL)

    def _backward(self, v: int, among: AbstractSet[int]) -> Iterator[int]:
        return (w for w in self._beside(v, among) if self.around[v][w] != ARROW and self.around[w][v] != TAIL)
