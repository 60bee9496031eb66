// What is said about the thing chosen: an edge in words with its evidence, a variable, a pair without an edge.

const SOME_LEAVES = 12; // listed of a variable; the rest is counted

class Panel {
  constructor(element, { choose }) {
    this.element = element;
    this.choose = choose;
  }

  show(...content) {
    this.element.replaceChildren(...content.flat().filter(Boolean));
    this.element.scrollTop = 0;
  }

  variable(v) { return button(names[v], () => this.choose.variable(v), { class: "name", title: names[v] }); }

  node(number) { return button(nodeName(number), () => this.choose.node(number), { class: "name" }); }

  list(variables) { return listed(variables.map((v) => this.variable(v))); }

  // A sentence of the library; `named(role)` answers with what stands for a {role}, anew for each mention.
  sentence(text, named) { return text.split(/\{(\w+)\}/).flatMap((part, i) => (i % 2 === 0 ? [part] : named(part))); }

  heading(kind, ...title) { return html("header", {}, html("p", { class: "kind" }, kind), html("h2", {}, ...title)); }

  pairHeading(kind, x, between, y) {
    const end = (v) => html("span", { class: "end" }, this.variable(v));
    return this.heading(kind, end(x), between, end(y));
  }

  back() {
    return button("Close", () => this.choose.nothing(), { class: "close", "aria-label": "Close and show how to read the graph" });
  }

  edge(edge) {
    const sign = html("span", { class: "mid" }, signPicture(edge.markU, edge.markV), html("span", { class: "unseen" }, edge.sign));
    if (edge.isOpen) {
      this.show(this.back(), this.pairHeading("Undecided", edge.u, sign, edge.v), html("p", { class: "words" }, facts.stopped));
      return;
    }
    const words = this.sentence(facts.words[`${edge.markU}${edge.markV}`], (end) => this.variable(edge[end]));
    this.show(
      this.back(),
      this.pairHeading("Edge", edge.u, sign, edge.v),
      html("p", { class: "words" }, ...words),
      this.often(edge),
      html("section", {}, html("h3", {}, "Evidence"), this.end(edge, edge.v), this.end(edge, edge.u), this.adjacency(edge)),
      this.conflicts(conflictsOf(edge)),
    );
  }

  often(edge) {
    const told = oftenOf(edge);
    if (!told) return null;
    const sure = told.sure === null ? "" : ` Calibrated, the two are adjacent with a probability of ${surely(told.sure)}.`;
    return soft(`Adjacent in ${tablesOf(told.adjacent)}, with exactly these marks in ${Math.round(told.same * facts.drawn.tables)}.${sure}`);
  }

  end(edge, v) {
    const mark = markAt(edge, v), w = otherEnd(edge, v), reason = reasonAt(edge, v);
    const meaning = this.sentence(facts.meanings[`${mark}${markAt(edge, w)}`], (role) => names[role === "at" ? v : w]);
    const score = scoreOtherwise(edge, v);
    const glyph = html("span", { class: `glyph ${MARK_NAMES[mark]}`, "aria-hidden": "true" });
    return html("div", { class: "evidence" },
      html("h4", {}, glyph, `${capital(MARK_NAMES[mark])} at `, names[v]),
      html("p", {}, ...meaning),
      reason ? this.reason(reason) : soft(facts.undecided[mark]),
      !facts.scores || mark === CIRCLE ? null : soft(score === null ? facts.no_other_mark
        : `With another mark here, and all other edges as they are, the graph scores ${worse(score)}.`),
      facts.drawn ? soft(this.markOften(edge, v)) : null);
  }

  markOften(edge, v) {
    const sure = markSure(edge, v);
    return `This mark came in ${tablesOf(markOften(edge, v))}.` + (sure === null ? "" : ` Calibrated: ${surely(sure)}.`);
  }

  reason([name, ...witness]) {
    const rule = facts.rules[name] || facts.rules[""], who = (role) => witness.at(rule.roles[role]);
    const because = this.sentence(rule.sentence, (role) => (role === "path" ? this.list(witness) : this.variable(who(role))));
    return [
      html("p", {}, html("strong", { class: "rule" }, name), " ", ...because),
      rule.apart ? soft(...this.apart(...rule.apart.map(who))) : null,
    ];
  }

  apart(x, y) {
    const found = separation(x, y);
    const pair = [this.variable(x), " and ", this.variable(y)];
    if (!found) return [...pair, facts.sets ? " have no separating set on record." : ": the separating set stands in skeleton.json."];
    if (!found.set.length) return [...pair, " are independent with nothing held fixed."];
    return [...pair, " are independent given ", ...this.list(found.set), "."];
  }

  adjacency(edge) {
    const both = ancestors ? [] : leavesOf[edge.u].filter((number) => leavesOf[edge.v].includes(number)), test = closestTest(edge);
    const score = scoreWithout(edge);
    if (!both.length && !test && score === null) return null;
    const where = listed(both.slice(0, 4).map((number) => this.node(number)));
    const rest = both.length > 4 ? ` and ${both.length - 4} more.` : ".";
    return html("div", { class: "evidence" },
      html("h4", {}, "Adjacent"),
      both.length ? html("p", {}, "No set separated the two in ", ...where, rest) : null,
      test && soft(`Weakest test: p = ${pValue(test.p)} given ${test.given || "nothing"}`
        + (test.r === null ? "." : `, partial correlation ${signed(test.r)}.`)),
      score === null ? null : soft(`Without the edge the graph scores ${worse(score)}.`));
  }

  conflicts(sentences) {
    if (!sentences.length) return null;
    const rows = sentences.map((text) => html("li", {}, text));
    const heading = [html("h3", {}, "Conflicts here"), html("p", {}, "The first claim stands.")];
    return html("section", { class: "care" }, ...heading, html("ul", {}, ...rows));
  }

  pair(x, y) {
    const found = separation(x, y);
    this.show(
      this.back(),
      this.pairHeading("No edge", x, html("span", { class: "soft" }, "and"), y),
      html("p", { class: "words" }, ...this.apart(x, y)),
      found && soft(...this.place(found)),
      facts.drawn ? soft(`Adjacent in ${tablesOf(apartOften.get(pairKey(x, y)) || 0)}.`) : null,
    );
  }

  place({ node: number, inMerge }) {
    if (ancestors) return ["These are the ancestors of the two in the graph with the best score."];
    if (inMerge) return ["Found in a merge: a set that takes variables of both sides separates the two."];
    if (number === null) return ["Found while orienting, after the merge."];
    const { isLeaf, variables } = tree[number], many = count(variables.length, "variable");
    if (isLeaf) return ["Found by the learner in ", this.node(number), ` of ${many}.`];
    return ["Found at ", this.node(number), `, which divides ${many}: the two lie on opposite sides.`];
  }

  about(v) {
    const own = [...around[v]].sort((a, b) => otherEnd(a, v) - otherEnd(b, v));
    const rows = own.map((edge) => {
      const w = otherEnd(edge, v);
      return this.row(edge, signPicture(markAt(edge, v), markAt(edge, w)), html("span", {}, names[w]));
    });
    const leaves = leavesOf[v], shown = listed(leaves.slice(0, SOME_LEAVES).map((number) => this.node(number)));
    const rest = leaves.length > SOME_LEAVES ? `, and ${leaves.length - SOME_LEAVES} more.` : ".";
    this.show(
      this.back(),
      this.heading("Variable", html("span", {}, names[v])),
      html("section", {}, html("h3", {}, count(own.length, "edge")),
        own.length ? html("ul", { class: "rows" }, ...rows) : soft("It can be separated from every other variable.")),
      html("section", {}, html("h3", {}, "Decomposition"), html("p", {}, `In ${count(leaves.length, "leaf", "leaves")}: `, ...shown, rest)),
    );
  }

  bundle(list) {
    const name = (v) => html("span", {}, names[v]);
    const rows = list.map((edge) => this.row(edge, name(edge.u), signPicture(edge.markU, edge.markV), name(edge.v)));
    this.show(this.back(), this.heading("Between two groups", count(list.length, "edge")), html("ul", { class: "rows" }, ...rows));
  }

  row(edge, ...content) {
    const label = `${names[edge.u]} ${edge.sign} ${names[edge.v]}`;
    return html("li", {}, fill(button("", () => this.choose.edge(edge), { class: "row", "aria-label": label }), {}, content));
  }

  legend() {
    const kinds = new Map();
    for (const { markU, markV } of edges) kinds.set(`${markU}${markV}`, (kinds.get(`${markU}${markV}`) || 0) + 1);
    const rows = [...kinds].sort((a, b) => b[1] - a[1]).map(([marks, number]) => {
      const sign = signPicture(Number(marks[0]), Number(marks[1]));
      const meaning = facts.words[marks].replace(/\{u\}/g, "A").replace(/\{v\}/g, "B");
      return sample([html("b", {}, "A"), sign, html("b", {}, "B")], number, meaning);
    });
    const shades = facts.drawn ? " The thicker and darker an edge or a mark, the more often it came in the bootstrap." : "";
    const hint = "Click an edge to read it with its evidence, or a variable to see its neighbourhood."
      + (facts.communities.length ? " A large box holds a folded community; click it to unfold." : "") + shades;
    this.show(
      this.heading("How to read it", `${count(size, "variable")}, ${count(edges.length, "edge")}`),
      edges.length ? soft(hint) : null,
      edges.length ? html("ul", { class: "legend" }, ...rows) : html("p", {}, "No edges: every pair of variables can be separated."),
      this.keys(),
    );
  }

  matrixLegend() {
    const neither = "B is a cause neither of A nor of selection of the sample.", either = "B is a cause of A or of selection of the sample.";
    const meanings = {
      [ARROW]: facts.selection ? neither : "B is not a cause of A.",
      [TAIL]: facts.selection ? either : "B is a cause of A.",
      [CIRCLE]: "It cannot be told.",
    };
    const rows = [ARROW, TAIL, CIRCLE].map((mark) => {
      const number = edges.reduce((sum, edge) => sum + (edge.markU === mark) + (edge.markV === mark), 0);
      const square = html("span", { class: `square ${MARK_NAMES[mark]}` }, html("span", { class: `glyph ${MARK_NAMES[mark]}` }));
      return sample([square, html("b", {}, capital(MARK_NAMES[mark]))], number, meanings[mark]);
    });
    this.show(
      this.heading("How to read it", "Mark matrix"),
      soft("The square in row A and column B shows the mark at B on the edge between A and B. Click one to read the edge; "
        + "an empty one tells what separates the two."),
      html("ul", { class: "legend" }, ...rows),
      this.keys(),
    );
  }

  keys() {
    const keys = { "/": "search", Arrows: "move", Enter: "open", Esc: "back", "+ \u2212 0": "zoom, fit", "Shift + arrows": "pan" };
    const rows = Object.entries(keys).flatMap(([key, does]) => [html("dt", {}, html("kbd", {}, key)), html("dd", {}, does)]);
    return html("details", {}, html("summary", {}, "Keys"), html("dl", { class: "keys" }, ...rows));
  }
}

function soft(...content) { return html("p", { class: "soft" }, ...content); }

function sample(picture, number, meaning) {
  const line = html("div", { class: "sample" }, ...picture, html("span", { class: "tally" }, grouped(number)));
  return html("li", {}, line, html("p", {}, meaning));
}

// Nodes in a row; a comma never begins a line.
function listed(nodes) {
  return nodes.flatMap((node, i) => (i < nodes.length - 1 ? [html("span", { class: "item" }, node, ","), " "] : [node]));
}

function nodeName(number) { return `${tree[number].isLeaf ? "leaf" : "split"} ${number}`; }

function capital(text) { return text[0].toUpperCase() + text.slice(1); }
