"""What a run gives back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass, field
from functools import cached_property
from hashlib import sha256
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dicola.allowed import check
from dicola.ci.power import Power
from dicola.ci.untested import NOTHING, Untested
from dicola.confidence import Bootstrap
from dicola.decompose.merge import TreeSets
from dicola.decompose.tree import Tree
from dicola.errors import BudgetExceeded, DicolaError, InvalidData, Sentence, counted
from dicola.graphs.formats import native
from dicola.graphs.marks import Mark
from dicola.graphs.pag import PAG
from dicola.graphs.skeleton import LaterSets, SeparatingSets, Skeleton
from dicola.orient.equivalence import Legality, MagSets, legality
from dicola.orient.partial import Conflict, Reason
from dicola.result_folder import SEAL, check_seal, reading, seal_of, text_of, write_result
from dicola.score.hidden_columns import HiddenVariable
from dicola.statements import Judge, Statement, claims_in, in_brief
from dicola.tables.look import Look
from dicola.written_facts import check_discovery, check_seconds, check_skeleton, loaded, with_members

if TYPE_CHECKING:
    import pandas as pd

    from dicola.ci.base import CITest
    from dicola.effects.effect import Effect, Interval
    from dicola.effects.estimation import Method
    from dicola.effects.joint import JointEffect
    from dicola.posterior import NearBest
    from dicola.report.explain import Explanation

BOOTSTRAP = "bootstrap.csv"
_NEAR_TIE = 6.0  # a likelihood ratio of 20
_MOST_HIDDEN, _MOST_CHILDREN = 5, 8  # hidden variables, and children of one, that a sentence names
_FEW_UNDECIDED = 2000  # beyond, edges that are undecided are not asked again for the table of edges
_MOST_IN_A_MATRIX = 5_000  # variables whose marks are written as a matrix: 25 million cells
FILES = ("pag.csv", "edges.csv", "pag.json", "pag.svg", "report.html", "skeleton.json", "discovery.json", "timing.json")


@dataclass(frozen=True)
class Discovery:
    """The PAG with everything that led to it. Seconds take no part in equality.

    Attributes
    ----------
    pag : PAG
        What was learned, with the variables in the user's order.
    skeleton : Skeleton
        Its adjacencies and the set that separates each other pair.
    tree : Tree
        The decomposition; a single leaf where there was none.
    tests : dict
        CI tests by phase, and their ``"total"``.
    settings : dict
        Everything that was set, by name.
    warnings : tuple of str
        What to know before the answer is believed.
    conflicts : tuple of Conflict
        Marks that a rule wanted and did not get.
    reasons : dict
        ``reasons[a, b]`` says why the mark at b on the edge a - b stands (positions in
        ``skeleton.labels``).
    seconds : dict
        Wall-clock time by phase.
    evaluations : dict
        Where graphs were scored: how often, by kind.
    score : float or None
        That of the answer, less being better; ``None``: not scored.
    runner_up : float or None
        By how much the best graph met that means something else is worse, by the score and what the mode adds to it (for
        bidirected edges and settled marks); ``None``: not known.
    hidden : tuple of HiddenVariable
        Hidden variables that the best graph by score supposes, each with its ``children`` and the expected
        ``correlations`` with all variables in the order of ``skeleton.labels``; edges between children may come from nothing else.
    untested : Untested
        How many of the tests got a default answer: ``rows`` for lack of rows, ``determined`` where one
        variable was a function of those held fixed.
    power : Power or None
        Which links the rows would have shown; ``None`` for an oracle, and where nobody knows.
    look : Look or None
        What the table was, and what was left out of it; ``None`` where there was none.
    test : CITest or None
        The test that was asked; it is not written, so ``None`` for what was read back.
    bootstrap : Bootstrap or None
        How often edges and marks came in tables drawn from the rows; ``None`` where none were drawn.
    complete : bool
        Did the run come to its end? Else a budget was reached, or it was interrupted, and this is a part of
        the answer.
    undecided : tuple of pairs of str
        Where it did not: the edges that the run was not done with. They may be there or not, and their marks
        are open; all other marks stand.

    """

    pag: PAG
    skeleton: Skeleton
    tree: Tree
    tests: dict[str, int]
    settings: dict[str, Any]
    warnings: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    reasons: dict[tuple[int, int], Reason] = field(default_factory=dict, repr=False)
    seconds: dict[str, float] = field(default_factory=dict, compare=False)
    evaluations: dict[str, int] = field(default_factory=dict)
    score: float | None = None
    runner_up: float | None = None
    hidden: tuple[HiddenVariable, ...] = ()
    untested: Untested = NOTHING
    power: Power | None = None
    look: Look | None = field(default=None, repr=False, compare=False)
    test: CITest | None = field(default=None, repr=False, compare=False)
    bootstrap: Bootstrap | None = field(default=None, repr=False)
    complete: bool = True
    undecided: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @cached_property
    def _edges(self) -> pd.DataFrame:
        from dicola.edge_table import edge_table

        # To ask thousands of pairs again that nothing is known of takes long and tells little.
        edges = edge_table(self.pag, self.skeleton, self.test if len(self.undecided) <= _FEW_UNDECIDED else None)
        if self.score is None or not self.complete:
            return edges
        from dicola.posterior import score_differences

        scores = score_differences(self)
        return edges if scores is None else edges.assign(**scores)

    def _hidden_places(self) -> list[dict[str, Any]]:
        """Hidden variables, their children by position in ``skeleton.labels``."""
        place = {name: i for i, name in enumerate(self.skeleton.labels)}
        return [{"children": [place[name] for name in each.children], "correlations": each.correlations} for each in self.hidden]

    def _open_pairs(self) -> list[tuple[int, int]]:
        """The undecided pairs by position in ``skeleton.labels``."""
        place = {name: i for i, name in enumerate(self.skeleton.labels)}
        return [(place[u], place[v]) for u, v in self.undecided]

    @cached_property
    def _open(self) -> frozenset[frozenset[str]]:
        return frozenset(frozenset(pair) for pair in self.undecided)

    def is_decided(self, u: str, v: str) -> bool:
        """Was the run done with two variables?

        Parameters
        ----------
        u, v : str
            Their names.

        """
        return frozenset((u, v)) not in self._open

    def refuse_if_partial(self, what: str) -> None:
        """Refuse to go on from a part of an answer.

        Parameters
        ----------
        what : str
            What needs the whole, as the beginning of a sentence.

        Raises
        ------
        BudgetExceeded
            The run was stopped before it was complete.

        """
        if not self.complete:
            raise BudgetExceeded(
                f"{what} needs the whole answer, and this run was stopped before it was complete "
                f"({counted(len(self.undecided), 'edge is', 'edges are', ',')} undecided). Give it a larger budget, or none."
            )

    def to_pandas(self) -> pd.DataFrame:
        """One row per edge: its ends, marks and type, and how close it came to being removed.

        Returns
        -------
        pandas.DataFrame
            The columns of ``pag.to_pandas()`` and those of ``dicola.edge_table.edge_table``: the
            largest p-value given few neighbours, the set that gave it, sign and partial correlation
            where the test has them, and the leaves in which the pair was decided. What is asked for
            this is asked after the run and not counted. Where graphs were scored also
            ``score_without``, by how much the graph scores worse without the edge, and ``score_u``
            and ``score_v``, with another mark at that end, all other edges as they are. After a
            bootstrap also how often the edge and its marks came (``Bootstrap.beside``). Of a run
            that was stopped also whether the edge is ``decided``.

        """
        edges = self._edges.copy() if self.bootstrap is None else self.bootstrap.beside(self._edges)
        if not self.complete:
            edges["decided"] = [self.is_decided(u, v) for u, v in zip(edges["u"], edges["v"], strict=True)]
        return edges

    @cached_property
    def legality(self) -> Legality:
        """Does the PAG stand for a class of MAGs?

        Learned from finite data it often does not; the reasons say where. A part of an answer does not. With knowledge it is
        to be the PAG of a MAG that obeys, with the marks that this adds.
        """
        if not self.complete:
            return Legality(False, ("the run was stopped before it was complete, and the graph is a part of an answer.",))
        claims = claims_in(self.settings, self.pag.names)
        if claims is None or claims.selection:
            return legality(self.pag)
        from dicola.score.legal import legality_under

        return legality_under(self.pag, claims, self.skeleton.sets)

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """What became of each claim that was made beforehand, contexts included: obeyed, undecided or denied, with the evidence.

        Where an edge was required, the table of edges is asked as well whether the data would have
        removed it.
        """
        return Judge(self.pag, self.skeleton, self.conflicts, self._against).statements(self.settings)

    def _against(self, a: str, b: str) -> str:
        """What the data say against an edge, if they do."""
        alpha, edges = (self.settings.get("test") or {}).get("alpha"), self._edges
        row = edges[((edges["u"] == a) & (edges["v"] == b)) | ((edges["u"] == b) & (edges["v"] == a))]
        if alpha is None or row.empty or not float(row["p_value"].iloc[0]) > alpha:
            return ""
        given = str(row["given"].iloc[0])
        return f"the data show no link between {a} and {b}{f' given {given}' if given else ''} (p = {float(row['p_value'].iloc[0]):.2g})."

    def conflicts_in_words(self) -> list[str]:
        """One sentence per conflict."""
        from dicola.report.explain import conflicts_in_words

        return conflicts_in_words(self.conflicts, self.skeleton.labels)

    def explain(self, u: object, v: object) -> Explanation:
        """Why two variables are joined as they are, mark by mark, or which set separates them.

        Parameters
        ----------
        u, v
            Names of two different variables.

        Returns
        -------
        Explanation
            ``str()`` of it is a text to read, ``to_dict()`` plain values for JSON.

        Raises
        ------
        InvalidGraph
            A name is not a variable of the graph, or one was named twice.

        """
        from dicola.report.explain import explain

        return explain(self, u, v)

    def effect(
        self,
        x: object,
        y: object,
        table: Any = None,
        *,
        interval: Interval = "split",
        method: Method = "auto",
        level: float = 0.95,
        seed: int = 0,
        replicates: int = 100,
    ) -> Effect | JointEffect:
        """The effect of x on y: identified, bounded, or not identifiable with the reason.

        Parameters
        ----------
        x, y : str
            The names of the treatment and the outcome; for x also a list of names: all of them are
            set, and a ``JointEffect`` comes back.
        table : DataFrame, array, dict or Table, optional
            The table that the graph was learned from; without it only identification is told.
        interval : {"split", "bootstrap", "naive"}
            How the interval allows for the graph having been learned from the same rows: the graph
            is learned again, with the settings of this run, from one half of them and the effect
            estimated from the other; or both are done on rows drawn with replacement; or not at
            all. The graph of an oracle is taken as known.
        method : {"auto", "gaussian", "robust", "doubly-robust"}
            As for :func:`dicola.effect`.
        level : float
            Of the intervals.
        seed : int
            For the split, the draws and the folds.
        replicates : int
            Of the bootstrap.

        Raises
        ------
        InvalidGraph
            A name is not a variable of the graph, or one was named twice.
        InvalidData
            The table lacks a variable of the graph.
        InvalidSetting
            A setting is not allowed, or the run cannot be made again from its record.
        BudgetExceeded
            The run was stopped before it was complete.

        """
        self.refuse_if_partial("An effect")
        from dicola.effects.after_discovery import Asked
        from dicola.effects.joint import AskedTogether, treatments
        from dicola.pipeline.relearning import effect_from_record

        names = self.pag.names
        if (several := treatments(self.pag, x)) is not None:
            together = AskedTogether(several, names[self.pag.index(y)], level, seed)
            return effect_from_record(self.pag, self.settings, table, together, interval=interval, replicates=replicates)
        asked = Asked(names[self.pag.index(x)], names[self.pag.index(y)], method, level, seed)
        return effect_from_record(self.pag, self.settings, table, asked, interval=interval, replicates=replicates)

    def summary(self) -> str:
        """A few lines for a person."""
        why, taken = self.settings.get("mode_chosen"), self.settings.get("test_chosen")
        split = f"{self.tree.in_words()}, depth {self.tree.depth}"
        return Sentence(
            "{size} ({ends}){part}\nmode: {mode}{why}{test}{known}\ndecomposition: {tree}\n"
            "tests: {total:,} ({tests}){untested}{score}{sure}{drawn}",
            size=f"{counted(len(self.pag), 'variable')}, {counted(self.pag.n_edges, 'edge')}",
            ends=self.pag.ends_in_words(),
            part="" if self.complete else f"\nincomplete: {counted(len(self.undecided), 'edge is', 'edges are', ',')} undecided",
            mode=self.settings.get("mode", "exact"),
            why=Sentence(", as {why}", why=why) if why else "",
            test=Sentence("\ntest: {name}, as {why}", name=self.settings["test"]["name"], why=taken) if taken else "",
            tree=split if self.tree.branches else "none, all variables were learned at once",
            total=self.tests["total"],
            tests=", ".join(f"{phase} {count:,}" for phase, count in self.tests.items() if phase != "total"),
            untested=f", {sum(self.untested):,} of them not testable" if any(self.untested) else "",
            known=f"\nknowledge: {told}" if (told := self.statements_in_brief()) else "",
            score="\nscore: " + ", ".join(f"{kind} {count:,}" for kind, count in self.evaluations.items()) if self.evaluations else "",
            sure=f"\npower: {sure}" if (sure := self.how_sure()) else "",
            drawn="" if self.bootstrap is None else f"\nbootstrap: {self.bootstrap.summary()}",
        )

    def statements_in_brief(self) -> str:
        """How many claims were obeyed, how many are undecided, how many the data deny; empty where there are none."""
        if not self.settings.get("knowledge") and not self.settings.get("contexts") and not self.settings.get("targets"):
            return ""
        return in_brief(self.statements)

    def how_sure(self) -> str:
        """How much the data could tell: the links they would show, the marks left open, the next-best graph.

        Returns
        -------
        str
            Empty for a test without a level, such as an oracle, which is always right.

        """
        if (self.settings.get("test") or {}).get("alpha") is None:
            return ""
        if not self.complete:
            return f"The run was stopped: {len(self.undecided):,} of {counted(self.pag.n_edges, 'edge', spec=',')} undecided."
        ends, undecided = 2 * self.pag.n_edges, self.pag.count(Mark.CIRCLE)
        sentences = (
            "" if self.power is None else str(self.power),
            f"{undecided:,} of {ends:,} edge ends are undecided." if ends else "",
            "" if self.runner_up is None else _next_best(self.runner_up),
            _supposed(self.hidden),
        )
        return " ".join(filter(None, sentences))

    def near_best(self, within: float = 10.0, most: int = 60) -> NearBest:
        """Graphs that score nearly as well as the answer, with probabilities by the BIC.

        From the answer one edge is added, removed or turned, then another one, always going on from
        the best graph met. It takes about three times as long as the run itself.

        Parameters
        ----------
        within : float
            How much worse a graph may score; 10 is a likelihood ratio of 150.
        most : int
            Graphs to go on from.

        Returns
        -------
        NearBest
            ``top(k)`` has the best graphs, ``to_pandas()`` the probability of each edge and mark.

        Raises
        ------
        NeedsData
            Where the answer was not found by a score, or was read back from files.
        BudgetExceeded
            The run was stopped before it was complete.

        """
        self.refuse_if_partial("A search for graphs that score nearly as well")
        from dicola.posterior import near_best

        return near_best(self, within, most)

    def report(self) -> str:
        """The one-file HTML report."""
        from dicola.report.page import page

        return page(self, self.to_pandas())

    def draw(self) -> str:
        """The PAG as SVG text; edges that are undecided are dashed, and left out where they are too many to see."""
        from dicola.report.drawing import draw, visible_part

        return draw(*visible_part(self), selection=bool(self.settings.get("selection")))

    def _repr_html_(self) -> str:
        from dicola.report.card import card

        return card(self)

    def __hash__(self) -> int:
        return hash(self.pag)

    def write(self, folder: str | Path) -> Path:
        """Write the result into a folder, from which ``read`` reads it back.

        The PAG is written as CSV (up to 5,000 variables), JSON, SVG and a table of edges, beside it a report, the separating
        sets, the settings and, apart from the rest, the timings. They take the place of an earlier result as one: whatever
        happens on the way, the folder holds the old result or the new one (``dicola.transaction``), and
        files that are not of a result are left alone. ``timing.json`` holds a digest of every file, so
        that ``read`` notices files of two runs, and damage.

        Parameters
        ----------
        folder
            Made where it does not exist.

        Returns
        -------
        Path
            The folder.

        Raises
        ------
        InvalidData
            The folder cannot be written, or is the current one.

        """
        return write_result(folder, self.texts(), self.seconds)

    @property
    def left_out(self) -> str | None:
        """What ``write`` does not write, in a sentence: beyond 5,000 variables ``pag.csv``, which has a cell for each pair."""
        if len(self.pag) <= _MOST_IN_A_MATRIX:
            return None
        return (
            f"pag.csv is left out: it has a cell for each pair of variables, and there are {len(self.pag):,} of them "
            f"(at most {_MOST_IN_A_MATRIX:,}); pag.json and edges.csv have all edges."
        )

    def texts(self) -> dict[str, str]:
        """The text of each file that ``write`` writes, but for the timings."""
        from dicola.edge_table import to_csv

        skeleton = _dump(_skeleton_to_dict(self.skeleton, self.tree))
        drawn = {} if self.bootstrap is None else self.bootstrap.texts()
        return {
            **({} if self.left_out else {"pag.csv": native.to_csv(self.pag)}),
            "pag.json": native.to_json(self.pag),
            "edges.csv": to_csv(self.to_pandas()),
            "pag.svg": self.draw(),
            "report.html": self.report(),
            "skeleton.json": skeleton,
            "discovery.json": _dump(self._to_dict(_digests(self.pag, skeleton, drawn.get(BOOTSTRAP)))),
            **drawn,
        }

    def _to_dict(self, digests: dict[str, str]) -> dict[str, Any]:
        return {
            "format": "dicola.discovery",
            "version": 1,
            "sha256": digests,
            "sealed_by": SEAL,
            "tests": self.tests,
            **({"untested": self.untested._asdict()} if any(self.untested) else {}),
            **({"evaluations": self.evaluations} if self.evaluations else {}),
            **{name: value for name in ("score", "runner_up") if (value := getattr(self, name)) is not None},
            **({"hidden": self._hidden_places()} if self.hidden else {}),
            **({} if self.power is None else {"power": asdict(self.power)}),
            **({} if self.look is None else {"look": self.look.to_dict()}),
            **({} if self.bootstrap is None else {"bootstrap": self.bootstrap.to_dict()}),
            **({} if self.complete else {"complete": False, "undecided": self._open_pairs()}),
            "settings": self.settings,
            "warnings": self.warnings,
            "conflicts": [astuple(conflict) for conflict in self.conflicts],
            "reasons": [(*ends, *reason) for ends, reason in sorted(self.reasons.items())],
        }

    @classmethod
    def read(cls, folder: str | Path) -> Discovery:
        """Read back what ``write`` wrote.

        Parameters
        ----------
        folder
            What ``write``, or ``dicola fit --out``, made.

        Returns
        -------
        Discovery
            Equal to the one that was written.

        Raises
        ------
        InvalidData
            A file is missing or damaged, or the files are of different runs.

        """
        check("folder", folder)
        source = Path(folder)
        with reading(source):
            return cls._read(source)

    @classmethod
    def _read(cls, folder: Path) -> Discovery:
        from dicola.edge_table import from_csv

        try:
            texts = {name: text_of(folder, name) for name in FILES if name.endswith(".json")}
            facts, pag = loaded(texts["discovery.json"], "discovery.json"), native.from_json(texts["pag.json"])
            drawn = text_of(folder, BOOTSTRAP) if "bootstrap" in facts else None
            if "sha256" in facts and facts["sha256"] != _digests(pag, texts["skeleton.json"], drawn):
                raise InvalidData(
                    "its files were not written together: pag.json, skeleton.json, discovery.json and what came of a bootstrap are of "
                    "different runs, or one was changed. Write the result again."
                )
            written, seconds = with_members(loaded(texts["skeleton.json"], "skeleton.json")), loaded(texts[SEAL], SEAL)
            seal = seal_of(seconds)
            check_skeleton(written, pag.names)
            check_discovery(facts, len(pag))
            check_seconds(seconds)
            skeleton, tree = _skeleton_from_dict(written, pag.names)
            known = None if drawn is None else claims_in(facts["settings"], pag.names)
            found = cls(
                pag=pag,
                skeleton=skeleton,
                tree=tree,
                tests=facts["tests"],
                settings=facts["settings"],
                warnings=tuple(facts["warnings"]),
                conflicts=tuple(
                    Conflict(r, o, a, Mark(s), Mark(w), tuple(z), sr, tuple(sz)) for r, o, a, s, w, z, sr, sz in facts["conflicts"]
                ),
                reasons={(a, b): Reason(rule, tuple(witness)) for a, b, rule, witness in facts["reasons"]},
                seconds=seconds,
                evaluations=facts.get("evaluations", {}),
                score=facts.get("score"),
                runner_up=facts.get("runner_up"),
                hidden=tuple(_hidden_from(facts, skeleton.labels)),
                untested=Untested(**facts.get("untested", {})),
                power=Power(**facts["power"]) if "power" in facts else None,
                look=Look.from_dict(facts["look"]) if "look" in facts else None,
                bootstrap=None if drawn is None else Bootstrap.from_csv(drawn, facts["bootstrap"], pag, known),
                complete=facts.get("complete", True),
                undecided=tuple((skeleton.labels[a], skeleton.labels[b]) for a, b in facts.get("undecided", ())),
            )
            with suppress(FileNotFoundError):  # results written before there was one have none
                vars(found)["_edges"] = from_csv(text_of(folder, "edges.csv"), pag)
            if seal or "sealed_by" in facts:
                check_seal(folder, seal, seconds)
            return found
        except FileNotFoundError as error:
            raise InvalidData(
                f"{str(folder)!r} does not hold a written discovery: there is no file {error.filename!r}. Name a folder that "
                "Discovery.write, or dicola fit, oracle or demo with --out, wrote."
            ) from None
        except DicolaError as error:
            raise InvalidData(f"{str(folder)!r} does not hold a written discovery: {error}") from None
        except (OSError, LookupError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise InvalidData(f"{str(folder)!r} does not hold a written discovery: {type(error).__name__}: {error}.") from None


def _hidden_from(facts: dict[str, Any], labels: Sequence[str]) -> Iterator[HiddenVariable]:
    for each in facts.get("hidden", ()):
        yield HiddenVariable(tuple(labels[v] for v in each["children"]), tuple(map(float, each["correlations"])))


def _supposed(hidden: Sequence[HiddenVariable]) -> str:
    """Which hidden variables an answer supposes, in words; of many the first."""
    if not hidden:
        return ""
    shown = [_listed(each.children, _MOST_CHILDREN) for each in hidden[:_MOST_HIDDEN]]
    more = f"; and {len(hidden) - len(shown)} more" if len(hidden) > len(shown) else ""
    what = "A hidden variable is supposed" if len(hidden) == 1 else f"{len(hidden)} hidden variables are supposed:"
    return f"{what} behind {'; behind '.join(shown)}{more}."


def _listed(names: Sequence[str], most: int) -> str:
    """Some names, of many the first."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _next_best(gap: float) -> str:
    """How far the next-best graph is, in words: a difference of 2 is one of 1 in the log likelihood, or what the mode counts as much."""
    sentence = f"The next-best graph that means something else scores {gap:.1f} worse"
    return f"{sentence}: a near-tie." if gap < _NEAR_TIE else f"{sentence}."


def _dump(value: Any) -> str:
    # Sets of a learner's own class may hold NumPy's integers.
    return json.dumps(value, ensure_ascii=False, indent=1, default=index) + "\n"


def _digests(pag: PAG, skeleton: str, drawn: str | None = None) -> dict[str, str]:
    """What tells the parts of two results apart, whatever the order of the columns."""
    texts = {"pag": native.to_json(pag.reordered(sorted(pag.names))), "skeleton": skeleton}
    if drawn is not None:
        texts["bootstrap"] = drawn
    return {name: sha256(text.encode("utf-8")).hexdigest() for name, text in texts.items()}


def _skeleton_to_dict(skeleton: Skeleton, tree: Tree) -> dict[str, Any]:
    facts = skeleton.sets.to_dict(skeleton.variables)
    later = [entry for key in ("separating_sets", "separated_later") for entry in facts.pop(key, ())]
    if "tree" not in facts:  # no set comes from the tree, so it is written without any
        facts = TreeSets(tree, (None,) * len(tree.nodes)).to_dict(skeleton.variables) | facts
    return {
        "format": "dicola.skeleton",
        "version": 1,
        "labels": list(skeleton.labels),
        "edges": [list(edge) for edge in sorted(skeleton.edges)],
        "warnings": list(skeleton.warnings),
        **facts,
        "separated_later": later,
    }


def _skeleton_from_dict(facts: dict[str, Any], names: tuple[str, ...]) -> tuple[Skeleton, Tree]:
    labels, of_tree = tuple(facts["labels"]), TreeSets.from_dict(facts)
    variables = of_tree.tree.variables
    sets: SeparatingSets = MagSets.from_dict(facts, labels) if "mag" in facts else of_tree
    if facts["separated_later"]:
        sets = LaterSets({(x, y): z for x, y, z in facts["separated_later"]}, otherwise=sets)
    edges = frozenset((a, b) for a, b in facts["edges"])
    return Skeleton(labels, variables, edges, sets, names, tuple(facts["warnings"])), of_tree.tree
