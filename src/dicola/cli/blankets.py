"""``dicola blankets``: the Markov blanket learners there are to choose from."""

from __future__ import annotations

from dataclasses import fields

from dicola.cli import options
from dicola.cli.listing import show_choices

EXAMPLES = ("dicola blankets", "dicola blankets --json")

_FACTS = {
    "total_conditioning": {
        "title": "Total conditioning",
        "reference": "Pellet and Elisseeff (2008)",
        "assumes": "clearly more rows than variables: every pair is tested given all other variables",
        "guarantee": "exact in MAGs with perfect answers; alpha=None is the level 1/k² for k variables",
    },
    "grow_shrink": {
        "title": "Grow-shrink",
        "reference": "Margaritis and Thrun (1999)",
        "assumes": "little about the number of rows: it conditions on the blanket found so far",
        "guarantee": "exact in MAGs with perfect answers; alpha=None is the level of the independence test",
    },
    "iamb": {
        "title": "IAMB",
        "reference": "Tsamardinos, Aliferis and Statnikov (2003)",
        "assumes": "little about the number of rows; takes the strongest dependence first, so its conditioning sets stay small",
        "guarantee": "exact in MAGs with perfect answers; alpha=None is the level of the independence test",
    },
}


def blankets(json: options.Json = False) -> None:
    """List the Markov blanket learners, which find where to split, with their reference and what they assume."""
    from dicola.blankets.names import BLANKETS

    known = [
        {"name": name, **_FACTS[name], "settings": {field.name: field.default for field in fields(learner)}}
        for name, learner in BLANKETS.items()
    ]
    show_choices("blankets", known, as_json=json)
