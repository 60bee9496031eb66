"""Sentences of the library, in which settings go by their Python names, with the names of options in their place."""

from __future__ import annotations

from dicola.errors import Sentence, Setting
from dicola.pipeline.settings import SETTINGS

_FURTHER = {
    name: f"--{name.replace('_', '-')}"
    for name in ("header", "pool", "max_condition_size", "max_possible_dsep_size", "nominal", "ordered", "continuous")
} | {
    "n_latents": "--latents",
    "n_samples": "--samples",
}  # options of settings that are no plan's


def option_name(setting: str) -> str | None:
    """The option for a setting; ``None`` where the command line has none."""
    if setting in SETTINGS:
        return SETTINGS[setting].metadata["option"] or f"--{setting.replace('_', '-')}"
    return _FURTHER.get(setting)


def is_switched_off(setting: str) -> bool:
    """Does the flag for this setting switch it off, as ``--alone`` does with ``decompose``?"""
    return setting in SETTINGS and SETTINGS[setting].default is True


def in_options(text: str) -> str:
    """The text with options in place of settings, where it knows its settings.

    >>> in_options(Sentence("Pass {decompose=False}, {blankets=iamb} or {max_depth}, or read it with {header=False}."))
    'Pass --alone, --blankets iamb or --max-depth, or read it with --no-header.'
    """
    return text.in_words(_option) if isinstance(text, Sentence) else text


def _option(setting: Setting) -> str:
    option = option_name(setting.name)
    if option is None:
        return str(setting)
    if isinstance(setting.value, bool):
        return option if setting.value != is_switched_off(setting.name) else option.replace("--", "--no-", 1)
    return option if setting.value is None else f"{option} {setting.value}"
