"""IDP and CIDP: which effects follow from a PAG alone, and by which expression.

A PAG stands for every causal graph with hidden variables that entails the same independences. An
effect is identified when all of them, whatever their mechanisms, compute it from the observed
distribution by one expression. Both algorithms find such an expression whenever there is one
(Jaber, Ribeiro, Zhang and Bareinboim 2022, Theorems 3 and 4; without conditions Jaber, Zhang and
Bareinboim 2019). Where they find none, two causal graphs of the class agree on all that can be
observed and differ in the effect.

The steps are about Q[T], the distribution of T when all other variables are set. Q of everything is
the observed distribution. A bucket B of T that shares no possible c-component with what it may
affect can be set as well,

    Q[T \\ B] = Q[T] / Q[T](B | T without what B may affect),

and Q[C] falls apart into regions,

    Q[C] = Q[R] Q[S] / Q[R ∩ S],  R the region of a bucket in C, S the region of the rest.

Here Q[T] is a product with one factor per bucket, each given the buckets before it. In an order in
which nothing that B may affect stands before B, setting B means leaving out its factor.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from dicola.effects.components import Components, Vertices
from dicola.effects.expression import Expression, Independent, P, product, quotient, sum_over
from dicola.errors import InvalidGraph, InvalidSetting
from dicola.graphs.bits import mask_of
from dicola.graphs.marks import ARROW, TAIL
from dicola.graphs.pag import PAG
from dicola.orient.equivalence import legality, member_mag

Names = tuple[str, ...]


@dataclass(frozen=True)
class Identification:
    """Whether an effect follows from a PAG, by which expression, and if not, why not.

    ``identified`` and ``sentence`` are made from the fields.

    Parameters
    ----------
    x, y, given : tuple of str
        The question: P(y | do(x), given).
    expression : Expression or None
        In terms of the observed distribution, where there is one. Variables in ``arbitrary`` may
        take any value in it.
    reason : str
        How it was found, or what stands in the way, as a sentence.
    warning : str or None
        What is wrong with the graph, where it is not a legal PAG; then the answer need not hold.

    """

    x: Names
    y: Names
    given: Names
    expression: Expression | None
    reason: str
    warning: str | None = None

    @property
    def identified(self) -> bool:
        """Is there an expression?"""
        return self.expression is not None

    @property
    def query(self) -> str:
        """The question: ``P(Y | do(X), Z)``."""
        condition = ", ".join([f"do({', '.join(self.x)})"] * bool(self.x) + list(self.given))
        return f"P({', '.join(self.y)}{' | ' * bool(condition)}{condition})"

    @property
    def arbitrary(self) -> Names:
        """Variables of the expression, other than those asked about, whose values make no difference."""
        return () if self.expression is None else tuple(sorted(self.expression.free - {*self.x, *self.y, *self.given}))

    @property
    def sentence(self) -> str:
        """The whole answer in words."""
        if self.expression is None:
            answer = f"{self.query} is not identified: {self.reason}"
        else:
            chosen = f", whatever the value of {', '.join(self.arbitrary)}" * bool(self.arbitrary)
            answer = f"{self.query} = {self.expression}{chosen}. {self.reason}"
        return answer if self.warning is None else f"{answer} {self.warning}"


def identify(pag: PAG, x: str | Iterable[str], y: str | Iterable[str], given: str | Iterable[str] = ()) -> Identification:
    """Can P(y | do(x), given) be computed from what is observed, whichever graph of the class is true?

    Parameters
    ----------
    pag : PAG
        Of a sample that was not selected.
    x : str or iterable of str
        What is set.
    y : str or iterable of str
        Whose distribution is asked for.
    given : str or iterable of str, optional
        What is observed after x was set; CIDP in place of IDP.

    Returns
    -------
    Identification
        Its ``expression`` is the answer; ``reason`` says what stands in the way if there is none.

    Raises
    ------
    InvalidGraph
        A name is not in the graph, or an edge tells of selection: ``---`` or ``--o``.
    InvalidSetting
        There is no y, or a name is given twice.

    Notes
    -----
    Complete where the graph is the PAG of some causal graph. What was learned from few rows may not
    be one; the answer then carries a ``warning``.

    References
    ----------
    Jaber, Zhang and Bareinboim (2019). Causal identification under Markov equivalence: completeness
    results. ICML. Jaber, Ribeiro, Zhang and Bareinboim (2022). Causal identification under Markov
    equivalence: calculus, algorithm, and completeness. NeurIPS.

    Examples
    --------
    >>> pag = PAG.from_text("A o-> X; B o-> X; X --> Y; B --> Y")
    >>> print(identify(pag, "X", "Y").expression)
    Σ_{B} P(B) P(Y | B, X)
    >>> print(identify(pag, "B", "X").sentence)
    P(X | do(B)) is not identified: B o-> X leaves open whether B causes X or a hidden cause drives both.

    """
    search = _Search(pag)
    asked = [search.positions(names) for names in (x, y, given)]
    _refuse_overlap(pag, asked)
    setting, outcome, condition = (frozenset(each) for each in asked)
    names = [tuple(pag.names[v] for v in each) for each in asked]
    legal = legality(pag)
    warning = None if legal else f"The graph is not a legal PAG, so this need not hold: {legal.reasons[0]}"
    try:
        expression = search.conditional(setting, outcome, condition)
    except _Obstacle as obstacle:
        return Identification(names[0], names[1], names[2], None, str(obstacle), warning)
    reduced = _simplest(expression, _independences(pag)) if legal else expression
    return Identification(names[0], names[1], names[2], reduced, "Every causal graph of the class gives this expression.", warning)


class _Obstacle(Exception):
    """Why an effect is not identified."""


@dataclass(frozen=True)
class _Piece:
    """A factor of Q[T]: the distribution of a bucket given all buckets before it."""

    bucket: Vertices
    factor: Expression


_Chain = tuple[_Piece, ...]


class _Search:
    """The recursion, over one PAG."""

    def __init__(self, pag: PAG) -> None:
        _refuse_selection(pag)
        self.pag, self.parts = pag, Components(pag)
        self._known: dict[tuple[Vertices, Vertices], Expression] = {}

    def positions(self, names: str | Iterable[str]) -> tuple[int, ...]:
        return self.pag.indices(names)

    def names(self, vertices: Iterable[int]) -> Names:
        return tuple(self.pag.names[v] for v in sorted(vertices))

    def conditional(self, x: Vertices, y: Vertices, given: Vertices) -> Expression:
        """CIDP: P(y | do(x), given), by way of P(y, given' | do(x')) with as little given' as possible."""
        if not given:
            return self.marginal(x, y)
        x, given = self._observe_what_splits_buckets(x, y, given)
        x, given = self._set_what_can_be_set(x, y, given)
        joint = self.marginal(x, y | given)
        return quotient(joint, sum_over(self.names(y), joint)) if given else joint

    def _observe_what_splits_buckets(self, x: Vertices, y: Vertices, given: Vertices) -> tuple[Vertices, Vertices]:
        """Observe x rather than set it where its bucket reaches into the causes of y and given."""
        while (split := self._split_bucket(x, y | given)) is not None:
            moved = split & x
            path = self.parts.open_path(moved, y, given, self.parts.everything - (x - moved))
            if path is not None:
                raise _Obstacle(self._open_direction(split, x, y | given))
            x, given = x - moved, given | moved
        return x, given

    def _set_what_can_be_set(self, x: Vertices, y: Vertices, given: Vertices) -> tuple[Vertices, Vertices]:
        """Set what is given, bucket by bucket, where setting and observing come to the same."""
        waiting = [bucket & given for bucket in self.parts.buckets if bucket & given]
        while True:
            among = self.parts.everything - x
            moved = next((part for part in waiting if self.parts.open_path(part, y, given - part, among) is None), None)
            if moved is None:
                return x, given
            waiting.remove(moved)
            x, given = x | moved, given - moved

    def marginal(self, x: Vertices, y: Vertices) -> Expression:
        """IDP: P(y | do(x)) is Q of the possible causes of y that x leaves, summed over all but y."""
        everything = self.parts.everything
        split = self._split_bucket(x, y)
        if split is not None:
            raise _Obstacle(self._open_direction(split, x, y))
        causes = self.parts.possible_ancestors(y, everything - x)
        return sum_over(self.names(causes - y), self.q(causes, everything, self._joint()))

    def q(self, wanted: Vertices, given: Vertices, chain: _Chain) -> Expression:
        """Q[wanted] from Q[given], of which the chain holds the factors."""
        if (wanted, given) not in self._known:
            self._known[wanted, given] = self._q(wanted, given, chain)
        return self._known[wanted, given]

    def _q(self, wanted: Vertices, given: Vertices, chain: _Chain) -> Expression:
        if wanted == given:
            return product(piece.factor for piece in chain)
        # The last first: what has no effects in T is summed out, which keeps factors simple.
        for piece in reversed(chain):
            if piece.bucket <= given - wanted and self._tied_effect(piece.bucket, given) is None:
                return self.q(wanted, given - piece.bucket, self._without(piece.bucket, given, chain))
        for piece in chain:
            if piece.bucket <= wanted and (region := self.parts.region(piece.bucket, wanted)) != wanted:
                rest = self.parts.region(wanted - region, wanted)
                both = product(self.q(part, given, chain) for part in (region, rest))
                shared = region & rest
                return quotient(both, self.q(shared, given, chain)) if shared else both
        raise _Obstacle(self._hidden_cause(wanted, given))

    def _joint(self) -> _Chain:
        """The observed distribution as a chain, in a partial topological order."""
        order = self.parts.ordered()
        if order is None:
            raise _Obstacle("the graph has a cycle of possible causes, which no PAG has.")
        before = [frozenset[int]().union(*order[:i]) for i in range(len(order))]
        return tuple(_Piece(bucket, P(self.names(bucket), self.names(earlier))) for bucket, earlier in zip(order, before, strict=True))

    def _without(self, bucket: Vertices, given: Vertices, chain: _Chain) -> _Chain:
        """Q[given] with the bucket set: put behind it whatever it may affect, then leave out its factor."""
        effects = self.parts.possible_descendants(bucket, given)
        first = [piece for piece in chain if not piece.bucket <= effects]
        moved: list[_Piece] = []
        for piece in chain:
            if piece.bucket <= effects:
                moved.append(piece)
                continue
            for i in reversed(range(len(moved))):
                piece, moved[i] = self._exchanged(moved[i], piece)
            first[next(i for i, other in enumerate(first) if other.bucket == piece.bucket)] = piece
        return tuple(piece for piece in (*first, *moved) if piece.bucket != bucket)

    def _exchanged(self, first: _Piece, second: _Piece) -> tuple[_Piece, _Piece]:
        """Two neighbours of a chain in the other order, where the first is no cause of the second."""
        a, b, names = first.factor, second.factor, self.names(first.bucket)
        if not b.free.intersection(names):
            return second, first
        if isinstance(a, P) and isinstance(b, P) and set(b.given) == a.free:
            return replace(second, factor=P(b.variables, a.given)), replace(first, factor=P(a.variables, self._sorted(a.given, b.variables)))
        both = product([a, b])
        alone = sum_over(names, both)
        return replace(second, factor=alone), replace(first, factor=quotient(both, alone))

    def _sorted(self, *names: Names) -> Names:
        return self.names(self.pag.indices(name for each in names for name in each))

    def _tied_effect(self, bucket: Vertices, among: Vertices) -> int | None:
        """Something that the bucket may affect and may share hidden causes with."""
        effects = self.parts.possible_descendants(bucket, among)
        tied = (effects & self.parts.pc_component(bucket, among).keys()) - bucket
        return min(tied) if tied else None

    def _split_bucket(self, x: Vertices, y: Vertices) -> Vertices | None:
        """A bucket of which x holds a part and the possible causes of y that x leaves another."""
        causes = self.parts.possible_ancestors(y, self.parts.everything - x)
        return next((bucket for bucket in self.parts.buckets if bucket & causes and not bucket <= causes), None)

    def _open_direction(self, split: Vertices, x: Vertices, y: Vertices) -> str:
        causes = self.parts.possible_ancestors(y, self.parts.everything - x)
        a, b = next((a, b) for a in sorted(split & x) for b in sorted(self.parts.around[a]) if b in split & causes)
        start, end = self.pag.names[a], self.pag.names[b]
        if b in y:
            return f"{start} o-o {end} leaves open which of the two causes the other, and whether a hidden cause drives both."
        target = min(v for v in y if b in self.parts.possible_ancestors({v}, self.parts.everything - x))
        onward = self.parts.text(self.parts.directed_path({b}, target, self.parts.everything - x))
        return f"{start} o-o {end} leaves open which of the two causes the other, and {end} may act on {self.pag.names[target]}: {onward}."

    def _hidden_cause(self, wanted: Vertices, given: Vertices) -> str:
        """Which bucket cannot be set, and for which of its possible effects."""
        tied = [(bucket, effect) for bucket in self.parts.buckets if bucket <= given - wanted for effect in [self._tied_effect(bucket, given)]]
        bucket, effect = next((bucket, effect) for bucket, effect in tied if effect is not None)
        hidden = self.parts.pc_component(bucket, given)[effect]
        acting = self.parts.directed_path(bucket, effect, given)
        a, b, path = self.pag.names[hidden[0]], self.pag.names[effect], self.parts.text(hidden)
        if hidden != acting:
            return f"hidden causes may tie {a} to {b} ({path}), and {self.pag.names[acting[0]]} may act on {b} ({self.parts.text(acting)})."
        if self.parts.around[hidden[1]][hidden[0]] == TAIL:
            return f"{path} is not visible: a hidden common cause of the two may stand behind it."
        return f"{path} leaves open whether {a} causes {b} or a hidden cause drives both."


def _simplest(expression: Expression, independent: Independent) -> Expression:
    """The expression with its conditions cut down by independences, as often as that helps."""
    shorter = expression.reduced(independent)
    return expression if shorter == expression else _simplest(shorter, independent)


def _independences(pag: PAG) -> Independent:
    """What the class has in common: separation in one of its MAGs."""
    mag = member_mag(pag)

    def independent(a: AbstractSet[str], b: AbstractSet[str], given: AbstractSet[str]) -> bool:
        held = mask_of(mag.indices(given))
        targets = mask_of(mag.indices(b))
        return not any(mag.separation.connected(v, held) & targets for v in mag.indices(a))

    return independent


def _refuse_selection(pag: PAG) -> None:
    for edge in pag.edges():
        marks = {int(edge.mark_u), int(edge.mark_v)}
        if TAIL in marks and ARROW not in marks:
            raise InvalidGraph(
                f"the edge {edge} tells of selection of the sample, under which this identification does not hold; "
                "it takes PAGs without edges --- and --o."
            )


def _refuse_overlap(pag: PAG, asked: list[tuple[int, ...]]) -> None:
    if not asked[1]:
        raise InvalidSetting("name at least one variable y whose distribution is asked for.")
    together = [v for each in asked for v in each]
    for v in together:
        if together.count(v) > 1:
            raise InvalidSetting(f"{pag.names[v]!r} is named twice; x, y and given must be different variables.")
