"""IDP and CIDP: which effects follow from a PAG alone, and by which expression.

A PAG stands for every causal graph with hidden variables that entails the same independences. An
effect is identified when all of them, whatever their mechanisms, compute it from the observed
distribution by one expression. Both algorithms find such an expression whenever there is one
(Jaber, Ribeiro, Zhang and Bareinboim 2022; without conditions Jaber, Zhang and Bareinboim 2019).
Where they find none, two causal graphs of the class agree on all that can be observed and differ in
the effect.

The steps are about Q[T], the distribution of T when all other variables are set. Q of everything is
the observed distribution. A bucket B of T that shares no possible c-component with what it may
affect can be set as well,

    Q[T - B] = Q[T] / Q[T](B | T without what B may affect),

and Q[C] falls apart into regions,

    Q[C] = Q[R] Q[S] / Q[R ∩ S],  R the region of a bucket in C, S the region of the rest.

Here Q[T] is a product with one factor per bucket, each given the buckets before it. In an order in
which nothing that B may affect stands before B, setting B means leaving out its factor.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import accumulate

from dicola.allowed import ANY, checked, instance
from dicola.effects.components import Components, Vertices
from dicola.effects.expression import Expression, Independent, P, joined, product, quotient, sum_over
from dicola.errors import InvalidGraph, InvalidSetting
from dicola.graphs.bits import mask_of
from dicola.graphs.mag import MAG
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
            answer = f"{self.query} = {self.expression.text(beside=(*self.x, *self.y, *self.given))}{chosen}. {self.reason}"
        return answer if self.warning is None else f"{answer} {self.warning}"


@checked(pag=instance(PAG), given=ANY)
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
    be one: then the answer carries a ``warning``, or is "not identified" where no causal graph
    comes near. Conditions that the graph says are independent of a variable are left out.

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
    _refuse_selection(pag)
    asked = [pag.indices(names) for names in (x, y, given)]
    _refuse_overlap(pag, asked)
    setting, outcome, condition = (tuple(pag.names[v] for v in each) for each in asked)
    question = Identification(setting, outcome, condition, None, "")
    mag, fault = _member(pag)
    if mag is None:
        return replace(question, reason=f"the graph is the PAG of no causal graph, as {fault}")
    warning = fault and f"The graph is not a legal PAG, so this need not hold: {fault}"
    independent = _independences(mag)
    try:
        found = _Search(pag, independent).conditional(*(frozenset(each) for each in asked))
    except _Obstacle as obstacle:
        return replace(question, reason=str(obstacle), warning=warning)
    reason = "Every causal graph of the class gives this expression."
    return replace(question, expression=_simplest(found, independent), reason=reason, warning=warning)


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

    def __init__(self, pag: PAG, independent: Independent) -> None:
        self.pag, self.parts, self.independent = pag, Components(pag), independent
        self._known: dict[tuple[Vertices, Vertices], Expression] = {}

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
        # Whatever has no effect on these is summed out at once: no factor needs it.
        start = self.parts.possible_ancestors(causes, everything)
        return sum_over(self.names(causes - y), self.q(causes, start, self._joint(start)))

    def q(self, wanted: Vertices, given: Vertices, chain: _Chain) -> Expression:
        """Q[wanted] from Q[given], of which the chain holds the factors."""
        if (wanted, given) not in self._known:
            self._known[wanted, given] = self._q(wanted, given, chain)
        return self._known[wanted, given]

    def _q(self, wanted: Vertices, given: Vertices, chain: _Chain) -> Expression:
        tops, bottoms = list[Expression](), list[Expression]()
        while True:
            while (bucket := self._removable(wanted, given, chain)) is not None:
                given, chain = given - bucket, self._without(bucket, given, chain)
            if wanted == given:
                tops += [piece.factor for piece in chain]
                return quotient(product(tops), product(bottoms))
            region = self._proper_region(wanted, chain)
            if region is None:
                raise _Obstacle(self._hidden_cause(wanted, given))
            rest = self.parts.region(wanted - region, wanted)
            tops.append(self.q(region, given, chain))
            if region & rest:
                bottoms.append(self.q(region & rest, given, chain))
            wanted = rest

    def _removable(self, wanted: Vertices, given: Vertices, chain: _Chain) -> Vertices | None:
        """A bucket that can be set as well; the last, as what has no effects is summed out, which keeps factors simple."""
        left = (piece.bucket for piece in reversed(chain) if piece.bucket <= given - wanted)
        return next((bucket for bucket in left if not self._tied_effects(bucket, given)), None)

    def _proper_region(self, wanted: Vertices, chain: _Chain) -> Vertices | None:
        """The region of a bucket in what is wanted, if it is not all of that."""
        regions = (self.parts.region(piece.bucket, wanted) for piece in chain if piece.bucket <= wanted)
        return next((region for region in regions if region != wanted), None)

    def _joint(self, variables: Vertices) -> _Chain:
        """Their observed distribution as a chain, in a partial topological order; no other is a possible cause of them."""
        order = self.parts.ordered(variables)
        if order is None:
            raise _Obstacle("the graph has a cycle of possible causes, which no PAG has.")
        before = accumulate(order, frozenset.union, initial=frozenset[int]())
        return tuple(_Piece(bucket, self._p(bucket, self.names(earlier))) for bucket, earlier in zip(order, before, strict=False))

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
        whole = joined(a, b, self.independent) if isinstance(a, P) and isinstance(b, P) else None
        if whole is not None:
            alone = self._p(second.bucket, whole.given)
            return replace(second, factor=alone), replace(first, factor=self._p(first.bucket, whole.given + alone.variables))
        both = product([a, b])
        rest = sum_over(names, both, self.independent)
        return replace(second, factor=rest), replace(first, factor=quotient(both, rest))

    def _p(self, bucket: Vertices, given: Iterable[str]) -> P:
        """P(bucket | given), with no more behind the bar than independence asks for."""
        return P(self.names(bucket), self.names(self.pag.indices(tuple(given)))).reduced(self.independent)

    def _tied_effects(self, bucket: Vertices, among: Vertices) -> Vertices:
        """What the bucket may affect and may share hidden causes with."""
        effects = self.parts.possible_descendants(bucket, among)
        return (effects & self.parts.pc_component(bucket, among).keys()) - bucket

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
        """Which bucket cannot be set, for which of its possible effects; the shortest paths tell it best."""
        stuck = [
            (bucket, effect) for bucket in self.parts.buckets if bucket <= given - wanted for effect in self._tied_effects(bucket, given)
        ]
        told = [(self.parts.pc_component(bucket, given)[v], self.parts.directed_path(bucket, v, given), v) for bucket, v in stuck]
        hidden, acting, effect = min(told, key=lambda each: (len(each[0]) + len(each[1]), each))
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


def _member(pag: PAG) -> tuple[MAG | None, str | None]:
    """A MAG of the class, if there is one, and what is wrong with the PAG, if it is not legal."""
    legal = legality(pag)
    if legal:
        return member_mag(pag), None
    try:
        mag = member_mag(pag)
    except InvalidGraph:
        return None, legal.reasons[0]
    return (mag if mag.invalid() is None else None), legal.reasons[0]


def _independences(mag: MAG) -> Independent:
    """What a whole class has in common: separation in one of its MAGs."""

    def independent(a: AbstractSet[str], b: AbstractSet[str], given: AbstractSet[str]) -> bool:
        few, many = sorted((a, b), key=len)
        held, targets = (mask_of(mag.indices(names)) for names in (given, many))
        return not any(mag.separation.connected(v, held) & targets for v in mag.indices(few))

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
