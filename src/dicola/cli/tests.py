"""``dicola tests``: the conditional independence tests there are to choose from."""

from __future__ import annotations

from dicola.cli import options
from dicola.cli.listing import show_choices

EXAMPLES = ("dicola tests", "dicola tests --json")

_FACTS = {
    "fisher_z": {
        "title": "Fisher's z test of a vanishing partial correlation",
        "reference": "Fisher (1924)",
        "assumes": "linear relations, Gaussian noise, independent rows; sees linear dependence only",
        "needs": "a table of numbers without gaps; in Python also a covariance matrix and the number of rows",
        "settings": {"alpha": 0.01},
    },
}


def tests(json: options.Json = False) -> None:
    """List the conditional independence tests with their reference and what they assume.

    In Python any function that returns a p-value or a yes/no is a test as well: dicola.CallableTest.
    """
    from dicola.ci.names import TESTS

    show_choices("tests", [{"name": name, **_FACTS[name]} for name in TESTS], as_json=json)
