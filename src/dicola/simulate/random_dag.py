"""Random DAGs with a given number of arcs, and a random choice of the variables to hide."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dicola.allowed import ANY, checked, instance
from dicola.errors import InvalidSetting, Sentence, Setting, counted
from dicola.graphs.dag import DAG
from dicola.graphs.marks import ARROW, TAIL
from dicola.simulate.arguments import Seed, generator, real_number, whole_number

Indices = NDArray[np.int64]


def er_dag(n: int, degree: float, seed: Seed) -> DAG:
    """A uniform random graph of a given average degree, made acyclic by a random causal order.

    Exactly ``round(n * degree / 2)`` arcs on pairs drawn without replacement: the model G(n, m) of
    Erdős and Rényi (1959), called ER(n, degree) by Li et al. (2026).

    Parameters
    ----------
    n : int
        The number of vertices. They are named X1 … Xn; the names say nothing of the causal order.
    degree : float
        The average number of neighbours, at most n - 1.
    seed : int or numpy.random.Generator
        A number draws the same graph every time; a generator is used as it is and moves on.

    Raises
    ------
    InvalidSetting
        A setting is not allowed, or there is no room for so many arcs.

    Examples
    --------
    >>> dag = er_dag(30, 3, seed=1)
    >>> dag.names[0], dag.names[-1], dag.n_edges
    ('X1', 'X30', 45)

    """
    n = whole_number("n", n, least=1)
    n_arcs = _arcs_of_degree(n, degree)
    rng = generator(seed, "er_dag")
    return _oriented(n, *_draw_pairs(n, n_arcs, rng), rng)


def modular_dag(modules: int, size: int, degree: float, links: int, seed: Seed) -> DAG:
    """Random modules like those of ``er_dag``, joined by a few arcs: denser within than between.

    One random causal order over all vertices directs every arc, so there is no cycle. Module k
    (from 0) holds the vertices X(k * size + 1) … X((k + 1) * size).

    Parameters
    ----------
    modules : int
        The number of modules.
    size : int
        The number of vertices of each.
    degree : float
        The average number of neighbours inside a module: each has ``round(size * degree / 2)`` arcs
        of its own.
    links : int
        Further arcs, between pairs of vertices drawn uniformly among those of different modules.
    seed : int or numpy.random.Generator
        A number draws the same graph every time; a generator is used as it is and moves on.

    Raises
    ------
    InvalidSetting
        A setting is not allowed, or there is no room for so many arcs.

    Examples
    --------
    >>> modular_dag(modules=4, size=10, degree=3, links=5, seed=1)
    <DAG: 40 vertices, 65 edges>

    """
    modules, size = whole_number("modules", modules, least=1), whole_number("size", size, least=1)
    links = whole_number("links", links, least=0)
    n_arcs = _arcs_of_degree(size, degree)
    places = modules * (modules - 1) // 2 * size * size
    if links > places:
        each = counted(size, "vertex", "vertices")
        room = counted(modules, f"module of {each} has", f"modules of {each} have")
        raise InvalidSetting(f"links={links} is too many: {room} {counted(places, 'pair')} between them.")
    rng = generator(seed, "modular_dag")
    inside = [np.stack(_draw_pairs(size, n_arcs, rng)) + k * size for k in range(modules)]
    module_pair, place = np.divmod(_draw(places, links, rng), size * size)
    between = np.stack(_decode_pairs(modules, module_pair)) * size + np.stack(np.divmod(place, size))
    first, second = np.concatenate([*inside, between], axis=1)
    return _oriented(modules * size, first, second, rng)


@checked(seed=ANY)
def scale_free_dag(n: int, degree: float, seed: Seed, order: str = "random") -> DAG:
    """A random graph with a few hubs: early vertices gather links, as in Barabási and Albert (1999).

    Vertices come one by one. Each is linked to vertices that are there already, drawn with
    probability proportional to one more than their number of neighbours. Exactly
    ``round(n * degree / 2)`` arcs, spread over the newcomers as evenly as can be.

    Parameters
    ----------
    n : int
        The number of vertices. They are named X1 … Xn; the names say nothing of the causal order.
    degree : float
        The average number of neighbours, at most n - 1.
    seed : int or numpy.random.Generator
        A number draws the same graph every time; a generator is used as it is and moves on.
    order : {"random", "growth"}
        The causal order. With a random one the neighbours of a hub are causes and effects of it; in
        the order of growth hubs are causes of many others.

    Raises
    ------
    InvalidSetting
        A setting is not allowed, or there is no room for so many arcs.

    Examples
    --------
    >>> dag = scale_free_dag(60, 3, seed=1, order="growth")
    >>> dag.n_edges, max(len(dag.children(name)) for name in dag.names) > 8
    (90, True)

    """
    n = whole_number("n", n, least=1)
    n_arcs = _arcs_of_degree(n, degree)
    if order not in ("random", "growth"):
        raise InvalidSetting(f"order is {order!r}; it may be 'random' or 'growth'.")
    rng = generator(seed, "scale_free_dag")
    links = np.ones(n)
    early: list[int] = []
    late: list[int] = []
    for child, count in enumerate(_shares(n, n_arcs, rng).tolist()):
        if count:
            drawn = rng.choice(child, count, replace=False, p=links[:child] / links[:child].sum())
            links[drawn] += 1
            links[child] += count
            early += drawn.tolist()
            late += [child] * count
    place = rng.permutation(n)
    first, second = place[np.array(early, np.int64)], place[np.array(late, np.int64)]
    return _directed(n, first, second) if order == "growth" else _oriented(n, first, second, rng)


def hub_dag(n: int, degree: float, hubs: int, spokes: int, seed: Seed) -> DAG:
    """A graph like that of ``er_dag`` in which some vertices, the hubs, have many more neighbours.

    One random causal order directs every arc, so the neighbours of a hub are causes and effects of
    it. The hubs are X1 … X(hubs); a link that is drawn twice counts once.

    Parameters
    ----------
    n : int
        The number of vertices.
    degree : float
        The average number of neighbours without the links of the hubs.
    hubs : int
        The number of hubs.
    spokes : int
        Links from each hub to vertices drawn uniformly among all others.
    seed : int or numpy.random.Generator
        A number draws the same graph every time; a generator is used as it is and moves on.

    Raises
    ------
    InvalidSetting
        A setting is not allowed, or there is no room for so many arcs.

    Examples
    --------
    >>> dag = hub_dag(50, degree=2, hubs=3, spokes=12, seed=1)
    >>> [len(dag.parents(hub)) + len(dag.children(hub)) >= 12 for hub in ("X1", "X2", "X3")]
    [True, True, True]

    """
    n = whole_number("n", n, least=1)
    hubs, spokes = whole_number("hubs", hubs, least=0), whole_number("spokes", spokes, least=0)
    n_arcs = _arcs_of_degree(n, degree)
    if hubs > n or spokes > n - 1:
        raise InvalidSetting(f"hubs={hubs} and spokes={spokes} are too many for {counted(n, 'vertex', 'vertices')}.")
    rng = generator(seed, "hub_dag")
    pairs = [np.stack(_draw_pairs(n, n_arcs, rng))]
    for hub in range(hubs):
        others = _draw(n - 1, spokes, rng)
        others = others + (others >= hub)
        pairs.append(np.stack([np.minimum(hub, others), np.maximum(hub, others)]))
    first, second = np.unique(np.concatenate(pairs, axis=1), axis=1)
    return _oriented(n, first, second, rng)


@checked(dag=instance(DAG), seed=ANY)
def hide(dag: DAG, n_latents: int, seed: Seed, pool: str = "any") -> tuple[str, ...]:
    """Variables to hide, drawn uniformly among those whose absence can confound.

    These are the vertices with two or more children.

    Parameters
    ----------
    dag : DAG
        The causal graph.
    n_latents : int
        How many to draw.
    seed : int or numpy.random.Generator
        A number draws the same variables every time; a generator is used as it is and moves on.
    pool : {"any", "root"}
        Draw among all of them (the random graphs of Li et al. 2026) or among the parentless ones
        (their benchmark networks).

    Returns
    -------
    tuple of str
        In the order of ``dag.names``.

    Raises
    ------
    InvalidSetting
        There are not so many, or a setting is not allowed.

    Examples
    --------
    >>> hide(DAG.from_edges([("L", "A"), ("L", "B"), ("B", "C")]), 1, seed=1)
    ('L',)

    """
    n_latents = whole_number("n_latents", n_latents, least=0)
    arcs = dag.marks == ARROW
    eligible = np.count_nonzero(arcs, axis=1) >= 2
    if pool == "root":
        eligible &= ~arcs.any(axis=0)
    elif pool != "any":
        unknown = Setting("pool", pool)
        raise InvalidSetting(
            Sentence("{pool} is unknown: use 'any' (two or more children) or 'root' (parentless ones of these).", pool=unknown)
        )
    candidates = np.nonzero(eligible)[0]
    if n_latents > len(candidates):
        kind, remedy = ("parentless ", Sentence(" or use {pool=any}")) if pool == "root" else ("", "")
        raise InvalidSetting(
            Sentence(
                "{wanted} cannot be hidden: only {candidates} two children or more. Take fewer{remedy}.",
                wanted=counted(n_latents, "variable"),
                candidates=counted(len(candidates), f"{kind}vertex has", f"{kind}vertices have"),
                remedy=remedy,
            )
        )
    drawn = generator(seed, "hide").choice(candidates, n_latents, replace=False)
    return tuple(dag.names[v] for v in sorted(drawn.tolist()))


def _arcs_of_degree(n: int, degree: float) -> int:
    """How many arcs give n vertices this average degree."""
    if real_number("degree", degree, "a number of at least 0") < 0:
        raise InvalidSetting(f"degree must be a number of at least 0; got {degree!r}.")
    n_arcs, places = round(n * float(degree) / 2), n * (n - 1) // 2
    if n_arcs > places:
        raise InvalidSetting(
            f"degree={degree} asks for {counted(n_arcs, 'arc')}, but {counted(n, 'vertex has', 'vertices have')} room for {places}: "
            f"the degree is at most {n - 1} here."
        )
    return n_arcs


def _shares(n: int, n_arcs: int, rng: np.random.Generator) -> Indices:
    """How many parents each of n vertices gets among those before it, evenly but for chance."""
    shares = np.zeros(n, np.int64)
    while n_arcs:
        with_room = np.flatnonzero(shares < np.arange(n))
        chosen = with_room if len(with_room) <= n_arcs else rng.choice(with_room, n_arcs, replace=False)
        shares[chosen] += 1
        n_arcs -= len(chosen)
    return shares


def _draw_pairs(n: int, n_pairs: int, rng: np.random.Generator) -> tuple[Indices, Indices]:
    """Distinct unordered pairs of vertices, uniformly; never lists all pairs where few are wanted."""
    return _decode_pairs(n, _draw(n * (n - 1) // 2, n_pairs, rng))


def _draw(places: int, count: int, rng: np.random.Generator) -> Indices:
    """Some of the numbers below ``places``, none twice; there may be none to draw from where none is wanted."""
    return rng.choice(places, count, replace=False) if count else np.zeros(0, np.int64)


def _decode_pairs(n: int, codes: Indices) -> tuple[Indices, Indices]:
    """Pair number k as (a, b) with a < b, in the order (0, 1), (0, 2), (1, 2), (0, 3) and so on."""
    b = np.arange(n, dtype=np.int64)
    starts = b * (b - 1) // 2
    larger = np.searchsorted(starts, codes, side="right").astype(np.int64) - 1
    return codes - starts[larger], larger


def _oriented(n: int, first: Indices, second: Indices, rng: np.random.Generator) -> DAG:
    """The DAG on these pairs in which every arc follows one random order of the vertices."""
    rank = rng.permutation(n)
    forward = rank[first] < rank[second]
    return _directed(n, np.where(forward, first, second), np.where(forward, second, first))


def _directed(n: int, parents: Indices, children: Indices) -> DAG:
    marks = np.zeros((n, n), dtype=np.int8)
    marks[parents, children], marks[children, parents] = ARROW, TAIL
    return DAG(marks, [f"X{i + 1}" for i in range(n)])
