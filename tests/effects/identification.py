"""Identification in PAGs against brute force over the causal graphs of the class.

From the root of the repository: ``python -m tests.effects.identification 1000 --seed 1``.

A question is asked of the PAG of a random causal graph. If the effect is said to be identified, the expression must give P(y | do(x),
given) in a random discrete model of every causal graph of the class (of a sample of it for five variables). If it is said not to be,
either the effect is not identified in one of these graphs (the ID algorithm, and IDC), or two of them give different values on one
joint distribution.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from dicola import PAG
from dicola.effects.expression import Distribution
from dicola.effects.idp import Identification, identify
from tests.effects.causal_graphs import (
    CausalGraph,
    Model,
    Table,
    Variables,
    all_members,
    all_pags,
    effect_in_graph,
    far_members,
    sampled_members,
    splits,
)

TOLERANCE = 1e-8


@dataclass(frozen=True)
class Question:
    """An effect in the PAG of some causal graphs."""

    pag: PAG
    members: tuple[CausalGraph, ...]
    x: Variables
    y: Variables
    given: Variables

    def answer(self) -> Identification:
        return identify(self.pag, *([self.pag.names[v] for v in sorted(each)] for each in (self.x, self.y, self.given)))

    def __str__(self) -> str:
        asked = [",".join(self.pag.names[v] for v in sorted(each)) for each in (self.x, self.y, self.given)]
        return f"P({asked[1]} | do({asked[0]}), {asked[2]}) in {'; '.join(str(self.pag).splitlines())}"


def random_graph(rng: np.random.Generator, n: int) -> CausalGraph:
    """Sparse to dense, with few to many hidden causes, its variables in any order."""
    some = rng.dirichlet([2.0, 2.0, 1.0, 0.7])
    kinds = rng.choice(4, size=n * (n - 1) // 2, p=some)
    return CausalGraph.in_order(n, kinds.tolist()).renamed(tuple(rng.permutation(n).tolist()))


def has_visible_edge(pag: PAG) -> bool:
    return any(pag.is_directed(edge.u, edge.v) and pag.is_visible(edge.u, edge.v) for edge in pag.edges())


def random_question(rng: np.random.Generator, n: int) -> Question:
    """One or two variables set, one or two asked for, none to two given; every other PAG has a visible edge, the others have some edge."""
    wanted = has_visible_edge if n > 3 and rng.random() < 0.5 else (lambda pag: pag.n_edges > 0)
    graph = random_graph(rng, n)
    while not wanted(graph.pag()):
        graph = random_graph(rng, n)
    members = all_members(graph.pag()) if n <= 4 else list(sampled_members(graph, rng, steps=150))
    order = rng.permutation(n).tolist()
    first = 1 + int(rng.random() < 0.3)
    second = first + 1 + int(rng.random() < 0.2)
    last = second + int(rng.choice(3, p=[0.45, 0.4, 0.15]))
    x, y, given = (frozenset(part) for part in (order[:first], order[first:second], order[second:last]))
    return Question(graph.pag(), tuple(members), x, y, given)


def all_questions(n: int) -> Iterator[Question]:
    """Every question about every PAG of n variables."""
    for pag in all_pags(n):
        members = tuple(all_members(pag))
        yield from (Question(pag, members, *asked) for asked in splits(n))


def truth(model: Model, question: Question) -> Table:
    """P(y | do(x), given) of a model."""
    others = frozenset(range(len(question.pag))) - question.x - question.y - question.given
    both = model.set_to_all(question.x).sum(axis=tuple(others), keepdims=True)
    return both / both.sum(axis=tuple(question.y), keepdims=True)


def value(answer: Identification, question: Question, joint: Table) -> Table:
    """What the expression gives, with one axis per variable."""
    assert answer.expression is not None
    found = answer.expression.evaluate(Distribution(question.pag.names, joint))
    shape = [k if name in answer.expression.free else 1 for name, k in zip(question.pag.names, joint.shape, strict=True)]
    return found.values.reshape(shape)


def unsound(question: Question, answer: Identification, rng: np.random.Generator, most: int | None) -> str | None:
    """Where the expression does not give the effect."""
    members = question.members
    if most is not None and len(members) > most:
        members = tuple(members[i] for i in sorted(rng.choice(len(members), size=most, replace=False)))
    for graph in members:
        model = Model.random(graph, rng)
        off = np.abs(value(answer, question, model.set_to_all(frozenset())) - truth(model, question)).max()
        if not off < TOLERANCE:
            return f"{question}: {answer.expression} is off by {off:.2g} in {graph}"
    return None


def ambiguous(question: Question, rng: np.random.Generator) -> str | None:
    """Why the effect cannot be identified: ``a graph`` in which it is not, or ``two graphs`` that differ; ``None`` if neither is found."""
    members = [question.members[i] for i in rng.permutation(len(question.members))]
    joint = Model.random(members[0], rng).set_to_all(frozenset())
    # Where the class was only sampled, look further.
    further = far_members(question.pag, rng, walks=50, steps=100) if len(question.pag) > 4 else ()
    first = None
    for graph in chain(members, further):
        found = effect_in_graph(graph, joint, question.x, question.y, question.given)
        if found is None:
            return "a graph"
        first = found if first is None else first
        if not np.abs(found - first).max() < TOLERANCE:
            return "two graphs"
    return None


def judge(question: Question, rng: np.random.Generator, most: int | None = None) -> tuple[str, str | None]:
    """What the answer was and how it was confirmed; and the fault, if there is one."""
    answer = question.answer()
    kind = "conditional" if question.given else "marginal"
    if answer.identified:
        return f"{kind}, identified", unsound(question, answer, rng, most)
    why = ambiguous(question, rng)
    return f"{kind}, not identified: {why}", None if why else f"{question}: said to be not identified, as {answer.reason}"


def asked(count: int | None, seed: int) -> Iterator[tuple[Question, np.random.Generator]]:
    """The questions, each with its own generator."""
    if count is None:
        yield from ((question, np.random.default_rng([seed, i])) for i, question in enumerate(chain(*map(all_questions, (2, 3, 4)))))
        return
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        yield random_question(rng, int(rng.choice([3, 4, 5], p=[0.1, 0.6, 0.3]))), rng


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what came out; 1 if anything disagrees."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=int, nargs="?", help="how many random ones; by default every question of at most four variables")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=None, help="check at most so many causal graphs of a class")
    chosen = parser.parse_args(arguments)
    tally, faults, members = Counter[str](), list[str](), 0
    started = time.perf_counter()
    for question, rng in asked(chosen.questions, chosen.seed):
        outcome, fault = judge(question, rng, chosen.most)
        tally[f"{len(question.pag)} variables, {outcome}"] += 1
        members += len(question.members)
        faults += [fault] if fault else []
    for outcome, count in sorted(tally.items()):
        print(f"{count:6}  {outcome}")  # noqa: T201
    print(f"{tally.total()} questions, {members} causal graphs, {len(faults)} disagreements, {time.perf_counter() - started:.0f} s")  # noqa: T201
    print("\n".join(faults))  # noqa: T201
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
