"""The library speaks of Python settings; here its sentences speak of options."""

from __future__ import annotations

import re

_SPECIAL = {
    "header=False": "--no-header",
    "header=True": "--header",
    "decompose=False": "--alone",
    "n_jobs": "--jobs",
    "n_latents": "--latents",
    "n_samples": "--samples",
    "uig_alpha": "--uig-alpha",
    "max_depth": "--max-depth",
    "max_nodes": "--max-nodes",
    "max_condition_size": "--max-condition-size",
    "max_possible_dsep_size": "--max-possible-dsep-size",
}
_GIVEN = re.compile(r"(?<![\w'\"])(blankets|colliders|learner|mode|pool|stop)='([\w+-]+)'")
_NAMED = re.compile(r"(?<![\w'\"-])(" + "|".join(re.escape(setting) for setting in _SPECIAL) + r")(?![\w'\"=])")


def in_options(sentence: str) -> str:
    """The sentence with options of the command line in place of Python settings; what stands in quotes is the user's and stays.

    >>> in_options("Use blankets='iamb', max_depth or rename 'max_depth'.")
    "Use --blankets iamb, --max-depth or rename 'max_depth'."
    """
    sentence = _GIVEN.sub(lambda found: f"--{found[1]} {found[2]}", sentence)
    return _NAMED.sub(lambda found: _SPECIAL[found[1]], sentence)
