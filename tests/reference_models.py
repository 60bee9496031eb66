"""Slow twins of the graph theory, written from the definitions alone; nothing here imports the library.

A graph is a square list of lists ``marks``: ``marks[a][b]`` is the mark at b on the edge a - b (0 none, 1 circle, 2 arrowhead,
3 tail). Sets of vertices are bit masks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, permutations, product

import numpy as np

NONE, CIRCLE, ARROW, TAIL = 0, 1, 2, 3
Marks = list[list[int]]
Model = tuple[tuple[int, ...], ...]

DIRECTED, REVERSED, BIDIRECTED, UNDIRECTED = (ARROW, TAIL), (TAIL, ARROW), (ARROW, ARROW), (TAIL, TAIL)


def names(n: int) -> list[str]:
    return [f"V{i}" for i in range(n)]


def empty(n: int) -> Marks:
    return [[NONE] * n for _ in range(n)]


def join(marks: Marks, a: int, b: int, edge: tuple[int, int]) -> None:
    """Put an edge: ``edge`` is (mark at b, mark at a)."""
    marks[a][b], marks[b][a] = edge


def as_text(marks: Marks) -> str:
    """The edges in a line, for the message of a failing test."""
    left, right = {1: "o", 2: "<", 3: "-"}, {1: "o", 2: ">", 3: "-"}
    n = len(marks)
    return "; ".join(f"V{a} {left[marks[b][a]]}-{right[marks[a][b]]} V{b}" for a, b in combinations(range(n), 2) if marks[a][b])


def edge_count(marks: Marks) -> int:
    return sum(mark != NONE for row in marks for mark in row) // 2


def permuted(marks: Marks, order: Iterable[int]) -> Marks:
    order = list(order)
    return [[marks[a][b] for b in order] for a in order]


def mask(vertices: Iterable[int]) -> int:
    return sum(1 << v for v in set(vertices))


def bits(value: int) -> list[int]:
    return [v for v in range(value.bit_length()) if value >> v & 1]


def subsets(value: int) -> Iterator[int]:
    """All subsets of a mask."""
    part = value
    while True:
        yield part
        if not part:
            return
        part = (part - 1) & value


def is_directed(marks: Marks, a: int, b: int) -> bool:
    return marks[a][b] == ARROW and marks[b][a] == TAIL


def _closure(n: int, step: list[list[bool]]) -> list[int]:
    below = []
    for start in range(n):
        seen, todo = {start}, [start]
        while todo:
            v = todo.pop()
            for w in range(n):
                if step[v][w] and w not in seen:
                    seen.add(w)
                    todo.append(w)
        below.append(mask(seen))
    return below


def descendants(marks: Marks) -> list[int]:
    """For each vertex what directed paths reach, itself included."""
    n = len(marks)
    return _closure(n, [[is_directed(marks, a, b) for b in range(n)] for a in range(n)])


def ancestors(marks: Marks) -> list[int]:
    below = descendants(marks)
    return [mask(a for a in range(len(marks)) if below[a] >> v & 1) for v in range(len(marks))]


def anterior(marks: Marks) -> list[int]:
    """For each vertex those with a path to it of undirected and directed edges, none of them against an arrowhead."""
    n = len(marks)
    after = _closure(n, [[marks[b][a] == TAIL for b in range(n)] for a in range(n)])
    return [mask(a for a in range(n) if after[a] >> v & 1) for v in range(n)]


class PathSeparation:
    """x ⟂ y | Z iff every simple path between them has a non-collider in Z or a collider without a descendant in Z."""

    def __init__(self, marks: Marks) -> None:
        self.marks = [list(row) for row in marks]
        self.n = len(marks)
        self.below = descendants(self.marks)
        self._paths: dict[tuple[int, int], list[tuple[int, tuple[int, ...]]]] = {}

    def paths(self, x: int, y: int) -> list[tuple[int, tuple[int, ...]]]:
        """Each simple path as (mask of its non-colliders, masks of the descendants of its colliders)."""
        if (x, y) not in self._paths:
            found: set[tuple[int, frozenset[int]]] = set()
            self._extend([x], 0, frozenset(), y, found)
            self._paths[x, y] = [(chain, tuple(self.below[c] for c in sorted(colliders))) for chain, colliders in found]
        return self._paths[x, y]

    def _extend(self, path: list[int], chain: int, colliders: frozenset[int], y: int, found: set[tuple[int, frozenset[int]]]) -> None:
        v = path[-1]
        for w in range(self.n):
            if not self.marks[v][w] or w in path:
                continue
            now_chain, now_colliders = chain, colliders
            if len(path) > 1:
                if self.marks[path[-2]][v] == ARROW and self.marks[w][v] == ARROW:
                    now_colliders = colliders | {v}
                else:
                    now_chain = chain | 1 << v
            if w == y:
                found.add((now_chain, now_colliders))
            else:
                self._extend([*path, w], now_chain, now_colliders, y, found)

    def separated(self, x: int, y: int, given: int) -> bool:
        return not any(
            not chain & given and all(descend & given for descend in colliders) for chain, colliders in self.paths(min(x, y), max(x, y))
        )

    def separators(self, x: int, y: int, among: int | None = None) -> list[int]:
        """All separating sets of the pair inside ``among``, sorted."""
        pool = ((1 << self.n) - 1 if among is None else among) & ~(1 << x | 1 << y)
        return sorted(z for z in subsets(pool) if self.separated(x, y, z))


def independence_model(marks: Marks) -> Model:
    """For each pair, all sets that separate it; two graphs are Markov equivalent iff these are equal."""
    paths = PathSeparation(marks)
    return tuple(
        tuple(paths.separators(x, y)) if not marks[x][y] else () for x, y in combinations(range(len(marks)), 2)
    )  # an edge is a path without inner vertices: nothing blocks it


def separated_by_augmentation(marks: Marks, x: int, y: int, given: int) -> bool:
    """Richardson's (2003) criterion: join all that collider paths join among the anteriors of x, y, Z; then plain separation."""
    before = anterior(marks)
    kept = 0
    for v in [x, y, *bits(given)]:
        kept |= before[v]
    inside = bits(kept)
    part = [[marks[a][b] for b in inside] for a in inside]
    joined = collider_connected(part)
    start, goal = inside.index(x), inside.index(y)
    closed = {inside.index(z) for z in bits(given)}
    seen, todo = {start}, [start]
    while todo:
        v = todo.pop()
        for w in range(len(inside)):
            if joined[v][w] and w not in seen and w not in closed:
                seen.add(w)
                todo.append(w)
    return goal not in seen


def collider_connected(marks: Marks) -> list[list[bool]]:
    """x - y iff joined by an edge or by a path whose inner vertices are all colliders."""
    n = len(marks)
    joined = [[False] * n for _ in range(n)]
    for x in range(n):
        colliders = [v for v in range(n) if marks[x][v] == ARROW]  # may be passed: entered and left through arrowheads
        for v in range(n):
            joined[x][v] = bool(marks[x][v])
        for v in colliders:  # grows while it is read
            for w in range(n):
                if w != x and marks[w][v] == ARROW:
                    joined[x][w] = True
                    if marks[v][w] == ARROW and w not in colliders:
                        colliders.append(w)
    return joined


def dependent_given_the_rest(marks: Marks) -> list[list[bool]]:
    """Total conditioning by definition: x - y iff all the other vertices together do not separate them."""
    n = len(marks)
    paths = PathSeparation(marks)
    everything = (1 << n) - 1
    return [[a != b and not paths.separated(a, b, everything & ~(1 << a | 1 << b)) for b in range(n)] for a in range(n)]


def faults(marks: Marks) -> set[str]:
    """Everything that keeps a graph of arrowheads and tails from being a MAG."""
    n = len(marks)
    below = descendants(marks)
    found = set()
    for a, b in permutations(range(n), 2):
        if is_directed(marks, a, b) and below[b] >> a & 1:
            found.add("directed cycle")
        if marks[a][b] == ARROW == marks[b][a] and below[a] >> b & 1:
            found.add("almost directed cycle")
        if marks[a][b] == TAIL == marks[b][a] and any(marks[w][a] == ARROW for w in range(n)):
            found.add("undirected")
    paths = PathSeparation(marks)
    if any(not marks[a][b] and not paths.separators(a, b) for a, b in combinations(range(n), 2)):
        found.add("maximal")
    return found


def is_ancestral(marks: Marks) -> bool:
    n = len(marks)
    below = descendants(marks)
    for a, b in combinations(range(n), 2):
        at_b, at_a = marks[a][b], marks[b][a]
        if (at_b == ARROW and below[b] >> a & 1) or (at_a == ARROW and below[a] >> b & 1):
            return False
        if at_a == TAIL == at_b and any(marks[w][v] == ARROW for v in (a, b) for w in range(n)):
            return False
    return True


def mag_by_definition(marks: Marks, observed: Iterable[int], selected: int = 0) -> Marks:
    """Adjacent iff no set of observed vertices, with the selected ones, separates; a tail iff an ancestor of the other end or of
    selection.
    """
    observed = list(observed)
    paths = PathSeparation(marks)
    pool = mask(observed)
    result = empty(len(observed))
    for i, j in combinations(range(len(observed)), 2):
        x, y = observed[i], observed[j]
        if any(paths.separated(x, y, z | selected) for z in subsets(pool & ~(1 << x | 1 << y))):
            continue
        result[i][j] = TAIL if paths.below[y] & (1 << x | selected) else ARROW
        result[j][i] = TAIL if paths.below[x] & (1 << y | selected) else ARROW
    return result


def unshielded_triples(marks: Marks) -> list[tuple[int, int, int]]:
    n = len(marks)
    return [
        (a, b, c)
        for b in range(n)
        for a, c in combinations(range(n), 2)
        if b not in (a, c) and marks[a][b] and marks[b][c] and not marks[a][c]
    ]


def equivalence_class(marks: Marks, undirected: bool = False) -> Iterator[Marks]:
    """All MAGs with the same separations. Same skeleton and same unshielded colliders are necessary, and prune the search."""
    n = len(marks)
    pairs = [(a, b) for a, b in combinations(range(n), 2) if marks[a][b]]
    apart = [(a, b) for a, b in combinations(range(n), 2) if not marks[a][b]]
    truth = PathSeparation(marks)
    wanted = {pair: truth.separators(*pair) for pair in apart}
    place = {pair: i for i, pair in enumerate(pairs)}
    closing: list[list[tuple[int, int, int, bool]]] = [[] for _ in pairs]
    for a, b, c in unshielded_triples(marks):
        last = max(place[min(a, b), max(a, b)], place[min(b, c), max(b, c)])
        closing[last].append((a, b, c, marks[a][b] == ARROW == marks[c][b]))
    kinds = [DIRECTED, REVERSED, BIDIRECTED] + ([UNDIRECTED] if undirected else [])
    candidate = empty(n)

    def search(i: int) -> Iterator[Marks]:
        if i == len(pairs):
            if is_ancestral(candidate) and _has_separators(candidate, wanted):
                yield [list(row) for row in candidate]
            return
        for kind in kinds:
            join(candidate, *pairs[i], kind)
            if all((candidate[a][b] == ARROW == candidate[c][b]) == collider for a, b, c, collider in closing[i]):
                yield from search(i + 1)
        join(candidate, *pairs[i], (NONE, NONE))

    yield from search(0)


def _has_separators(marks: Marks, wanted: dict[tuple[int, int], list[int]]) -> bool:
    paths = PathSeparation(marks)
    return all(paths.separators(x, y) == sets for (x, y), sets in wanted.items())


def common_marks(graphs: Iterable[Marks]) -> Marks:
    """The PAG of a class by definition: a mark that all members share, else a circle."""
    result: Marks | None = None
    for marks in graphs:
        if result is None:
            result = [list(row) for row in marks]
            continue
        n = len(marks)
        for a, b in permutations(range(n), 2):
            if marks[a][b] != result[a][b]:
                result[a][b] = CIRCLE
        if all(result[a][b] in (NONE, CIRCLE) for a, b in permutations(range(n), 2)):
            break  # nothing more can be lost
    assert result is not None, "a class holds at least the graph it was asked for"
    return result


def all_mixed_graphs(n: int, undirected: bool = True) -> Iterator[Marks]:
    """Every simple graph of arrowheads and tails on n vertices."""
    pairs = list(combinations(range(n), 2))
    kinds = [(NONE, NONE), DIRECTED, REVERSED, BIDIRECTED] + ([UNDIRECTED] if undirected else [])
    for choice in product(kinds, repeat=len(pairs)):
        marks = empty(n)
        for (a, b), kind in zip(pairs, choice, strict=True):
            join(marks, a, b, kind)
        yield marks


def all_classes(n: int, undirected: bool = True) -> dict[Model, list[Marks]]:
    """Every MAG on n vertices, grouped by what it separates."""
    groups: dict[Model, list[Marks]] = {}
    pairs = list(combinations(range(n), 2))
    for marks in all_mixed_graphs(n, undirected):
        if is_ancestral(marks):
            model = independence_model(marks)
            if all(marks[a][b] or sets for (a, b), sets in zip(pairs, model, strict=True)):
                groups.setdefault(model, []).append(marks)
    return groups


def random_dag(rng: np.random.Generator, n: int, density: float) -> Marks:
    """Each pair joined with probability ``density``, along a random order of the vertices."""
    order = rng.permutation(n).tolist()
    marks = empty(n)
    for i, j in combinations(range(n), 2):
        if rng.random() < density:
            join(marks, order[i], order[j], DIRECTED)
    return marks


def random_hidden_dag(rng: np.random.Generator, n_observed: int, n_hidden: int, density: float) -> tuple[Marks, list[int]]:
    """A DAG and its hidden vertices, taken among those with two or more children where there are enough."""
    marks = random_dag(rng, n_observed + n_hidden, density)
    n = len(marks)
    fathers_of_two = [v for v in range(n) if marks[v].count(ARROW) >= 2]
    others = [v for v in range(n) if v not in fathers_of_two]
    pool = [*rng.permutation(fathers_of_two).tolist(), *rng.permutation(others).tolist()]
    return marks, sorted(int(v) for v in pool[:n_hidden])


def random_ancestral_graph(rng: np.random.Generator, n: int, directed: float, bidirected: float) -> Marks:
    """Directed edges along a random order, bidirected ones where neither end is an ancestor of the other."""
    marks = random_dag(rng, n, directed)
    below = descendants(marks)
    for a, b in combinations(range(n), 2):
        if not marks[a][b] and not below[a] >> b & 1 and not below[b] >> a & 1 and rng.random() < bidirected:
            join(marks, a, b, BIDIRECTED)
    return marks


def random_mag(rng: np.random.Generator, n: int, directed: float = 0.25, bidirected: float = 0.5) -> Marks:
    """A random ancestral graph with the edges added that maximality asks for (Richardson and Spirtes 2002, Theorem 5.1)."""
    marks = random_ancestral_graph(rng, n, directed, bidirected)
    return mag_by_definition(marks, range(n))


def random_large_mag(rng: np.random.Generator, n: int, directed: float, bidirected: float) -> Marks:
    """The same for more vertices: the ancestors of a pair separate it if anything does, so one question per pair is enough."""
    marks = random_ancestral_graph(rng, n, directed, bidirected)
    before = ancestors(marks)
    missing = [
        (a, b)
        for a, b in combinations(range(n), 2)
        if not marks[a][b] and not separated_by_augmentation(marks, a, b, (before[a] | before[b]) & ~(1 << a | 1 << b))
    ]
    for a, b in missing:
        join(marks, a, b, BIDIRECTED)
    return marks


def random_mag_with_edges(rng: np.random.Generator, n: int, most: int) -> Marks:
    """A MAG of at least n - 1 and at most ``most`` edges: dense enough to matter, small enough to enumerate its class."""
    while True:
        marks = random_mag(rng, n, float(rng.uniform(0.1, 0.5)), float(rng.uniform(0.2, 0.8)))
        if n - 1 <= edge_count(marks) <= most:
            return marks


def random_selection_mag(
    rng: np.random.Generator, n_observed: int, n_selected: int = 2, n_hidden: int = 1
) -> tuple[Marks, Marks, list[int], int]:
    """A DAG with hidden and selected vertices, and the MAG it leaves: (mag, dag, observed, mask of the selected)."""
    n = n_observed + n_selected + n_hidden
    marks = random_dag(rng, n, float(rng.uniform(0.25, 0.5)))
    by_parents = sorted(range(n), key=lambda v: (-marks[v].count(TAIL), v))
    selected = by_parents[:n_selected]
    rest = [int(v) for v in rng.permutation([v for v in range(n) if v not in selected])]
    observed = sorted(rest[n_hidden:])
    return mag_by_definition(marks, observed, mask(selected)), marks, observed, mask(selected)


def random_mag_with_undirected_part(rng: np.random.Generator, n: int, most: int) -> Marks:
    """A MAG with undirected edges among some vertices, no arrowhead at those, a mixed graph below; drawn until it is maximal."""
    while True:
        order = [int(v) for v in rng.permutation(n)]
        n_top = int(rng.integers(2, n + 1))
        marks = empty(n)
        top = order[:n_top]
        ring = rng.random() < 0.6 and n_top >= 4
        for i, j in combinations(range(n), 2):
            a, b = order[i], order[j]
            if j < n_top:
                wanted = (j - i in (1, n_top - 1)) if ring else rng.random() < 0.5
                if wanted:
                    join(marks, a, b, UNDIRECTED)
            elif rng.random() < 0.35:
                join(marks, a, b, BIDIRECTED if a not in top and rng.random() < 0.5 else DIRECTED)
        undirected = any((marks[a][b], marks[b][a]) == UNDIRECTED for a, b in combinations(top, 2))
        if undirected and n - 1 <= edge_count(marks) <= most and not faults(marks):
            return marks
