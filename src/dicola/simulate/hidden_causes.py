"""Graphs with hidden variables that have many children: confounders added to a DAG, and factors."""

from __future__ import annotations

from dicola.allowed import ANY, checked, instance
from dicola.errors import InvalidSetting, counted
from dicola.graphs.dag import DAG
from dicola.simulate.arguments import Seed, generator, whole_number


@checked(dag=instance(DAG), seed=ANY)
def confounded(dag: DAG, n_latents: int, children: int, seed: Seed) -> tuple[DAG, tuple[str, ...]]:
    """A DAG with further vertices H1, H2, …, each the cause of several others, and their names.

    Hidden, they are confounders as strong as data have them: one cause behind many columns, where
    ``hide`` mostly finds vertices with two or three children.

    Parameters
    ----------
    dag : DAG
        The graph without them.
    n_latents : int
        How many to add.
    children : int
        How many children each has, drawn uniformly among the vertices of ``dag``.
    seed : int or numpy.random.Generator
        A number draws the same children every time; a generator is used as it is and moves on.

    Returns
    -------
    tuple of DAG and tuple of str
        The larger graph, and the names of what to hide.

    Raises
    ------
    InvalidSetting
        There are not so many vertices, or one has the name of a new one.

    Examples
    --------
    >>> dag, hidden = confounded(DAG.from_edges([("A", "B"), ("C", "D")]), 1, children=3, seed=1)
    >>> hidden, len(dag.children("H1"))
    (('H1',), 3)

    """
    n_latents = whole_number("n_latents", n_latents, least=0)
    children = whole_number("children", children, least=0)
    if children > len(dag):
        raise InvalidSetting(f"children={children} is too many: the graph has {counted(len(dag), 'vertex', 'vertices')}.")
    latents = tuple(f"H{i + 1}" for i in range(n_latents))
    taken = sorted(set(latents) & set(dag.names))
    if taken:
        raise InvalidSetting(f"the graph has a vertex named {taken[0]!r} already, which is the name of an added one.")
    rng = generator(seed, "confounded")
    new = [(latent, dag.names[v]) for latent in latents for v in sorted(rng.choice(len(dag), children, replace=False).tolist())]
    return DAG.from_edges([*dag.arcs(), *new], [*dag.names, *latents]), latents


def factor_dag(factors: int, items: int) -> tuple[DAG, tuple[str, ...]]:
    """A factor model: unrelated factors H1, H2, …, each the only cause of items of its own.

    With the factors hidden every two items of a factor are adjacent, and no others: a questionnaire
    with one scale per factor. Factor k (from 1) has the items X((k - 1) * items + 1) … X(k * items).
    ``linear_gaussian(dag, n, seed, coefficients=(w, w))`` gives items of a factor the correlation
    w² / (1 + w²), up to its sign: .8 with w = 2.

    Parameters
    ----------
    factors : int
        The number of factors.
    items : int
        The number of items of each.

    Returns
    -------
    tuple of DAG and tuple of str
        The graph, and the names of the factors.

    Examples
    --------
    >>> dag, hidden = factor_dag(2, items=3)
    >>> dag.true_pag(hidden).n_edges, dag.names
    (6, ('X1', 'X2', 'X3', 'X4', 'X5', 'X6', 'H1', 'H2'))

    """
    factors, items = whole_number("factors", factors, least=1), whole_number("items", items, least=1)
    names = tuple(f"X{i + 1}" for i in range(factors * items))
    latents = tuple(f"H{k + 1}" for k in range(factors))
    arcs = [(latents[i // items], name) for i, name in enumerate(names)]
    return DAG.from_edges(arcs, [*names, *latents]), latents
