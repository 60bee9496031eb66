from __future__ import annotations

import numpy as np
import pytest

from dicola import PAG
from dicola.effects.components import Components
from tests.effects.causal_graphs import all_members, exchangeable
from tests.effects.identification import random_graph


def named(parts: Components, vertices) -> str:
    return "".join(parts.pag.names[v] for v in sorted(vertices))


def test_buckets_are_joined_by_circles_and_ordered_by_what_may_cause_what():
    parts = Components(PAG.from_text("D --> E; A o-o B; B o-> D; A o-> D; C o-> D", nodes="EDCBA"))
    assert [named(parts, bucket) for bucket in parts.buckets] == ["E", "D", "C", "BA"]
    order = parts.ordered(parts.everything)
    assert order is not None and [named(parts, bucket) for bucket in order] == ["C", "BA", "D", "E"]


def test_a_cycle_of_possible_causes_has_no_order():
    parts = Components(PAG.from_text("A --> B; B --> C; C --> A; A --> D"))
    assert parts.ordered(parts.everything) is None
    assert parts.ordered({3}) == [{3}]


def test_a_possible_c_component_runs_through_colliders_and_no_visible_edge():
    parts = Components(PAG.from_text("W o-> X; X --> Y; X <-> Z; Z <-> T; S o-> T"))
    x, y = parts.pag.indices(list("XY"))
    assert parts.is_visible(x, y)
    found = parts.pc_component([x], parts.everything)
    assert named(parts, found) == "WXZTS"
    assert parts.text(found[parts.pag.index("S")]) == "X <-> Z <-> T <-o S"
    assert named(parts, parts.pc_component([x], parts.everything - {parts.pag.index("Z")})) == "WX"
    assert named(parts, parts.pc_component([y], parts.everything)) == "Y"


def test_an_edge_stays_visible_in_a_subgraph_without_what_makes_it_so():
    parts = Components(PAG.from_text("W o-> X; X --> Y"))
    x, y = parts.pag.indices(list("XY"))
    assert named(parts, parts.pc_component([x], {x, y})) == "X"


def test_a_region_is_made_of_whole_buckets():
    parts = Components(PAG.from_text("A o-o B; B o-> D; A o-> D; C o-> D"))
    assert named(parts, parts.region([parts.pag.index("D")], parts.everything)) == "ABDC"
    a, b, d, _ = parts.pag.indices(list("ABDC"))
    assert named(parts, parts.region([d], {b, d})) == "BD"
    assert named(parts, parts.region([a], {a, b})) == "AB"
    chain = Components(PAG.from_text("A o-o B; B o-o C"))
    assert named(chain, chain.pc_component([0], chain.everything)) == "AB"
    assert named(chain, chain.region([0], chain.everything)) == "ABC"


def test_a_collider_is_opened_by_what_it_may_affect():
    parts = Components(PAG.from_text("A o-> C; B o-> C; C --> D"))
    a, c, b, d = parts.pag.indices(list("ACBD"))
    assert parts.open_path({a}, {b}, set(), parts.everything) is None
    assert parts.open_path({a}, {b}, {d}, parts.everything) == (a, c, b)
    assert parts.open_path({a}, {b}, {d}, parts.everything - {c}) is None


@pytest.mark.parametrize("seed", range(50))
def test_setting_is_observing_iff_so_in_every_causal_graph_of_the_class(seed):
    rng = np.random.default_rng([17, seed])
    pag = random_graph(rng, int(rng.integers(3, 5))).pag()
    parts, members = Components(pag), all_members(pag)
    for _ in range(3):
        roles = rng.integers(5, size=len(pag))
        moved, x, y, given = (frozenset(np.flatnonzero(roles == k).tolist()) for k in (1, 2, 3, 4))
        if not moved or not y:
            continue
        path = parts.open_path(moved, y, given, parts.everything - x)
        drawn = [members[i] for i in rng.permutation(len(members))]
        if path is None:
            assert all(exchangeable(graph, moved, x, y, given) for graph in drawn[:20])
        else:
            assert not all(exchangeable(graph, moved, x, y, given) for graph in drawn), parts.text(path)
