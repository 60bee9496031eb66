"""All MAGs of a class by single mark changes, against enumeration from the definition."""

from __future__ import annotations

from itertools import islice

import numpy as np

from dicola import MAG, mag_to_pag, member_mag
from dicola.effects.members import members_from
from tests.reference_models import equivalence_class, names, random_mag_with_edges


def test_single_mark_changes_meet_every_member_of_a_class_once():
    met = 0
    for seed in range(60):
        rng = np.random.default_rng([7, seed])
        n = int(rng.integers(3, 7))
        marks = random_mag_with_edges(rng, n, min(n + 3, 9))
        start = member_mag(mag_to_pag(MAG.from_matrix(marks, names(n))))
        found = [member.marks.tobytes() for member in members_from(start)]
        truth = {np.array(each, dtype=np.int8).tobytes() for each in equivalence_class(marks)}
        assert len(found) == len(set(found)) and set(found) == truth
        met += len(found)
    assert met > 1000


def test_members_come_one_by_one_from_a_class_too_large_to_list():
    chain = "; ".join(f"X{i} --> X{i + 1}" for i in range(30))
    assert len(list(islice(members_from(MAG.from_text(chain)), 50))) == 50


def test_members_that_differ_near_by_come_first():
    chain = MAG.from_text("; ".join(f"X{i} --> X{i + 1}" for i in range(8)))
    found = list(members_from(chain, distance=range(9)))
    assert {member.marks.tobytes() for member in found} == {member.marks.tobytes() for member in members_from(chain)}
    reach = [max((int(end) for end in np.argwhere(member.marks != chain.marks).ravel()), default=0) for member in found]
    assert reach[1] == 1 and reach.index(8) > len(found) // 2
