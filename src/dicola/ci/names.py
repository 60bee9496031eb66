"""Names to tests that a table can be handed to."""

from __future__ import annotations

from dicola.ci.fisher_z import FisherZ
from dicola.errors import InvalidSetting

TESTS: dict[str, type[FisherZ]] = {"fisher_z": FisherZ}


def ci_test_named(name: str) -> type[FisherZ]:
    """The test of that name."""
    found = TESTS.get(str(name).lower().replace("-", "_"))
    if found is None:
        raise InvalidSetting(f"{name!r} is not a test. Known: {', '.join(TESTS)}.")
    return found
