"""The language of nodes, edges and attributes that DOT and dagitty share, read into plain facts.

Grammar: ``[strict] kind [id] { statements }`` with node statements ``id [attributes]``, chains ``a -> b -> c [attributes]``, groups
``{a b}`` as ends of edges, settings ``id = id``, and attributes ``name`` or ``name = value`` (graphviz.org/doc/info/lang.html; dagitty's
``GraphDotParser.pegjs``). The two differ in their operators, in what may stand in a bare word and in how a quoted one is escaped: the
dialect says how.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from dicola.errors import InvalidGraph

_DEEPEST: Final = 50  # groups within groups, far more than a person writes
_MOST_BY_GROUPS: Final = 200_000  # edges that groups as ends stand for; a text of a few kilobytes could ask for millions


@dataclass(frozen=True)
class Dialect:
    """What a dialect calls a graph, its operators (longer ones first), its words and quotes, whether it has defaults and HTML."""

    title: str
    kinds: tuple[str, ...]
    operators: tuple[str, ...]
    word: str
    quoted: str
    unquote: Callable[[str], str]
    defaults: tuple[str, ...] = ()
    html: bool = False

    def tokens(self, text: str) -> list[tuple[str, str]]:
        """Kind and text of each token; blanks, semicolons and comments are left out."""
        operators = "|".join(re.escape(operator) for operator in self.operators)
        pattern = re.compile(
            rf"(?P<skip>[\s;]+|//[^\n]*|/\*.*?\*/|^\#[^\n]*)|(?P<quoted>{self.quoted})|(?P<operator>{operators})"
            rf"|(?P<word>{self.word})|(?P<sign>[{{}}\[\]=,:+])",
            re.DOTALL | re.MULTILINE,
        )
        found, position = [], 0
        while position < len(text):
            match = pattern.match(text, position)
            if match is None and self.html and text[position] == "<":
                end = _html_end(text, position)
                found.append(("html", text[position + 1 : end - 1]))
                position = end
                continue
            if match is None:
                line = text.count("\n", 0, position) + 1
                raise InvalidGraph(f"line {line} of this {self.title} text has {text[position]!r} where nothing like it may stand.")
            if match.lastgroup != "skip":
                body = self.unquote(match[0][1:-1]) if match.lastgroup == "quoted" else match[0]
                found.append((str(match.lastgroup), body))
            position = match.end()
        return found

    def begins(self, text: str) -> bool:
        """Does a text begin like one of this dialect?"""
        head = re.sub(r"\A(?:\s+|//[^\n]*|/\*.*?\*/|\#[^\n]*)+", "", text, flags=re.DOTALL)
        return re.match(rf"(?:strict\s+)?(?:{'|'.join(self.kinds)})\b[^{{]*\{{", head, re.IGNORECASE) is not None


@dataclass
class Statements:
    """The kind of graph, nodes with their attributes, and edges ``(u, operator, v, attributes)``, in the order of the text."""

    kind: str
    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    edges: list[tuple[str, str, str, dict[str, str]]] = field(default_factory=list)


def _html_end(text: str, start: int) -> int:
    """Where a string in angle brackets ends; they may nest."""
    depth = 0
    for match in re.compile("[<>]").finditer(text, start):
        depth += 1 if match[0] == "<" else -1
        if not depth:
            return match.end()
    raise InvalidGraph("a '<' of this text is never closed by a '>'.")


def statements_of(text: str, dialect: Dialect) -> Statements:
    """Read a whole text."""
    return _Reader(dialect, dialect.tokens(text)).graph()


class _Reader:
    """Descends through the tokens; each method reads what it is named after."""

    def __init__(self, dialect: Dialect, tokens: list[tuple[str, str]]) -> None:
        self.dialect = dialect
        self.tokens = tokens
        self.position = 0
        self.grouped = 0  # edges written by groups so far
        self.found = Statements("")

    def graph(self) -> Statements:
        if self._is_word("strict"):
            self.position += 1
        kind, word = self._next()
        if kind != "word" or word.lower() not in self.dialect.kinds:
            raise InvalidGraph(f"a {self.dialect.title} text begins with {' or '.join(self.dialect.kinds)}, not with {word!r}.")
        self.found.kind = word.lower()
        if self._peek() != ("sign", "{"):
            self._id()
        self._group({}, 0)
        if self.position < len(self.tokens):
            raise self._unexpected()
        return self.found

    def _group(self, defaults: dict[str, str], depth: int) -> list[str]:
        """``{ statements }``, and the nodes named in it; defaults set inside hold inside."""
        if depth > _DEEPEST:
            raise InvalidGraph(f"this {self.dialect.title} text has groups within groups, more than {_DEEPEST} deep.")
        self._sign("{")
        nodes: dict[str, None] = {}
        defaults = dict(defaults)
        while self._peek() not in (("sign", "}"), ("end", "")):
            nodes |= dict.fromkeys(self._statement(defaults, depth))
        self._sign("}")
        return list(nodes)

    def _statement(self, defaults: dict[str, str], depth: int) -> list[str]:
        kind, word = self._peek()
        if kind == "word" and word.lower() in self.dialect.defaults and self._peek(1) == ("sign", "["):
            self.position += 1
            attributes = self._attributes()
            if word.lower() == "edge":
                defaults |= attributes
            return []
        if self._peek(1) == ("sign", "="):
            self._id()
            self._sign("=")
            self._id()
            return []
        ends, operators = [self._end(defaults, depth)], []
        while self._peek()[0] == "operator":
            operators.append(self._next()[1])
            ends.append(self._end(defaults, depth))
        attributes = self._attributes()
        if not operators:
            for node in ends[0] if kind != "sign" else ():
                self.found.nodes[node] |= attributes
        attributes = defaults | attributes
        for left, operator, right in zip(ends, operators, ends[1:], strict=False):
            self._count_grouped(len(left) * len(right))
            self.found.edges += [(u, operator, v, attributes) for u in left for v in right]
        return [node for end in ends for node in end]

    def _count_grouped(self, edges: int) -> None:
        """Refuse groups that stand for more edges than anyone means."""
        self.grouped += edges if edges > 1 else 0
        if self.grouped > _MOST_BY_GROUPS:
            raise InvalidGraph(
                f"the groups of this {self.dialect.title} text stand for {self.grouped:,} edges; at most {_MOST_BY_GROUPS:,} may be "
                "written by groups. Write the edges one by one."
            )

    def _end(self, defaults: dict[str, str], depth: int) -> list[str]:
        """A node, or a group standing for all its nodes."""
        if self.dialect.defaults and self._is_word("subgraph"):
            self.position += 1
            if self._peek() != ("sign", "{"):
                self._id()
        if self._peek() == ("sign", "{"):
            return self._group(defaults, depth + 1)
        node = self._id()
        while self._took(":"):  # a port, where on the node the edge ends
            self._id()
        self.found.nodes.setdefault(node, {})
        return [node]

    def _attributes(self) -> dict[str, str]:
        """``[a=b, c]``, several in a row taken together."""
        attributes: dict[str, str] = {}
        while self._took("["):
            while not self._took("]"):
                name = self._id()
                attributes[name] = ""
                if self._took("="):
                    is_html = self._peek()[0] == "html"
                    value = self._id()
                    attributes[name] = "" if is_html else value
                self._took(",")
        return attributes

    def _id(self) -> str:
        kind, text = self._next()
        if kind not in ("word", "quoted", "html"):
            self.position -= 1
            raise self._unexpected()
        while kind == "quoted" and self._peek() == ("sign", "+") and self._peek(1)[0] == "quoted":
            self.position += 1
            text += self._next()[1]
        return text

    def _is_word(self, word: str) -> bool:
        kind, text = self._peek()
        return kind == "word" and text.lower() == word

    def _peek(self, ahead: int = 0) -> tuple[str, str]:
        position = self.position + ahead
        return self.tokens[position] if position < len(self.tokens) else ("end", "")

    def _next(self) -> tuple[str, str]:
        token = self._peek()
        self.position += 1
        return token

    def _took(self, sign: str) -> bool:
        """Step over a sign where it stands next."""
        stands = self._peek() == ("sign", sign)
        self.position += stands
        return stands

    def _sign(self, sign: str) -> None:
        if not self._took(sign):
            raise self._unexpected(f"; {sign!r} is missing")

    def _unexpected(self, wanted: str = "") -> InvalidGraph:
        kind, text = self._peek()
        what = "ends too early" if kind == "end" else f"has {text!r} where it may not stand"
        return InvalidGraph(f"this {self.dialect.title} text {what}{wanted}.")
