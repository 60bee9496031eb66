"""Options that reach a command as one value, so that no command takes a dozen of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from typing import Any, get_args


@dataclass(frozen=True)
class Group:
    """Options, each as typer wants to see it in a signature, and what is made of their values.

    It annotates a parameter: ``output: Annotated[Output, Group.of(Output)]``.
    """

    options: tuple[Parameter, ...]
    make: Callable[..., Any] = dict

    @classmethod
    def of(cls, kind: type) -> Group:
        """One option per field of a dataclass, whose annotations are those of options."""
        return cls(tuple(signature(kind, eval_str=True).parameters.values()), kind)


def option(name: str, annotation: Any, default: Any = Parameter.empty) -> Parameter:
    """An option as a parameter of a command."""
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer is to see it: with every option of its groups as a parameter of its own."""
    own = signature(command, eval_str=True).parameters.values()
    groups = {each.name: group for each in own if (group := _group(each)) is not None}

    def called(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group.make(**{each.name: given.pop(each.name) for each in group.options})
        command(**given)

    spread = [each for parameter in own for each in _spread(parameter, groups.get(parameter.name))]
    called.__name__, called.__doc__, called.__module__ = command.__name__, command.__doc__, command.__module__
    called.__signature__ = Signature(spread)  # type: ignore[attr-defined]
    called.__annotations__ = {each.name: each.annotation for each in spread}
    return called


def _group(parameter: Parameter) -> Group | None:
    return next((part for part in get_args(parameter.annotation) if isinstance(part, Group)), None)


def _spread(parameter: Parameter, group: Group | None) -> Iterable[Parameter]:
    return [parameter.replace(kind=Parameter.KEYWORD_ONLY)] if group is None else group.options
