// What is said about the thing chosen: an edge in words with its evidence, a variable, a pair without an edge, a part of the tree.

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

  list(variables) { return listed(variables.map((v) => this.variable(v))); }

  // A sentence of the library; `named(role)` answers with what stands for a {role}, anew for each mention.
  sentence(text, named) { return text.split(/\{(\w+)\}/).flatMap((part, i) => (i % 2 === 0 ? [part] : named(part))); }

  heading(kind, ...title) { return html("header", {}, html("p", { class: "kind" }, kind), html("h2", {}, ...title)); }

  back() { return button("Close", () => this.choose.nothing(), { class: "close", "aria-label": "Close and show how to read the graph" }); }

  edge(edge) {
    const words = this.sentence(facts.words[`${edge.markU}${edge.markV}`], (end) => this.variable(edge[end]));
    const sentences = conflictsOf(edge);
    this.show(
      this.back(),
      this.heading("Edge", html("span", { class: "end" }, this.variable(edge.u)), html("span", { class: "mid" }, signPicture(edge.markU, edge.markV), html("span", { class: "unseen" }, edge.sign)), html("span", { class: "end" }, this.variable(edge.v))),
      html("p", { class: "words" }, ...words),
      html("section", {}, html("h3", {}, "Evidence"), this.end(edge, edge.v), this.end(edge, edge.u), this.adjacency(edge)),
      sentences.length ? html("section", { class: "care" }, html("h3", {}, "Conflicts here"), html("p", {}, "The first claim stands."), html("ul", {}, ...sentences.map((text) => html("li", {}, text)))) : null,
    );
  }

  end(edge, v) {
    const mark = markAt(edge, v), w = otherEnd(edge, v), reason = reasonAt(edge, v);
    const block = html("div", { class: "evidence" },
      html("h4", {}, html("span", { class: `glyph ${MARK_NAMES[mark]}`, "aria-hidden": "true" }), `${capital(MARK_NAMES[mark])} at `, names[v]),
      html("p", {}, ...this.sentence(facts.meanings[`${mark}${markAt(edge, w)}`], (role) => names[role === "at" ? v : w])));
    if (!reason) block.append(html("p", { class: "soft" }, facts.undecided[mark]));
    else block.append(...this.reason(reason));
    return block;
  }

  reason([name, ...witness]) {
    const rule = facts.rules[name] || facts.rules[""], who = (role) => witness.at(rule.roles[role]);
    const because = this.sentence(rule.sentence, (role) => (role === "path" ? this.list(witness) : this.variable(who(role))));
    const lines = [html("p", {}, html("strong", { class: "rule" }, name), " ", ...because)];
    if (rule.apart) lines.push(html("p", { class: "soft" }, ...this.apart(...rule.apart.map(who))));
    return lines;
  }

  apart(x, y) {
    const found = separation(x, y);
    const pair = [this.variable(x), " and ", this.variable(y)];
    if (!found) return [...pair, facts.sets ? " have no separating set on record." : ": the separating set stands in skeleton.json."];
    if (!found.set.length) return [...pair, " are independent with nothing held fixed."];
    return [...pair, " are independent given ", ...this.list(found.set), "."];
  }

  adjacency(edge) {
    const both = leavesOf[edge.u].filter((number) => leavesOf[edge.v].includes(number));
    if (!both.length) return null;
    const where = listed(both.slice(0, 4).map((number) => this.node(number)));
    return html("div", { class: "evidence" }, html("h4", {}, "Adjacent"),
      html("p", {}, "No set separated the two in ", ...where, both.length > 4 ? ` and ${both.length - 4} more.` : "."));
  }

  node(number) {
    return button(tree[number].isLeaf ? `leaf ${number}` : `split ${number}`, () => this.choose.node(number), { class: "name" });
  }

  pair(x, y) {
    const found = separation(x, y);
    const where = found && (found.node === null ? ["Found while orienting, after the merge."] : tree[found.node].isLeaf
      ? ["Found by the learner in ", this.node(found.node), ` of ${count(tree[found.node].variables.length, "variable")}.`]
      : ["Found at ", this.node(found.node), `, which divides ${count(tree[found.node].variables.length, "variable")}: the two lie on opposite sides.`]);
    this.show(this.back(), this.heading("No edge", html("span", { class: "end" }, this.variable(x)), html("span", { class: "soft" }, "and"), html("span", { class: "end" }, this.variable(y))),
      html("p", { class: "words" }, ...this.apart(x, y)), where && html("p", { class: "soft" }, ...where));
  }

  about(v) {
    const own = [...around[v]].sort((a, b) => otherEnd(a, v) - otherEnd(b, v));
    const rows = own.map((edge) => {
      const w = otherEnd(edge, v), turned = edge.u !== v;
      const row = button("", () => this.choose.edge(edge), { class: "row", "aria-label": `${names[edge.u]} ${edge.sign} ${names[edge.v]}` });
      row.append(signPicture(turned ? edge.markV : edge.markU, turned ? edge.markU : edge.markV), html("span", {}, names[w]));
      return html("li", {}, row);
    });
    const leaves = leavesOf[v];
    this.show(this.back(), this.heading("Variable", html("span", {}, names[v])),
      html("section", {}, html("h3", {}, count(own.length, "edge")), own.length ? html("ul", { class: "rows" }, ...rows) : html("p", { class: "soft" }, "It can be separated from every other variable.")),
      html("section", {}, html("h3", {}, "Decomposition"), html("p", {}, `In ${count(leaves.length, "leaf", "leaves")}: `, ...listed(leaves.slice(0, 12).map((number) => this.node(number))), leaves.length > 12 ? `, and ${leaves.length - 12} more.` : ".")));
  }

  bundle(list) {
    const rows = list.map((edge) => {
      const row = button("", () => this.choose.edge(edge), { class: "row" });
      row.append(html("span", {}, names[edge.u]), signPicture(edge.markU, edge.markV), html("span", {}, names[edge.v]));
      return html("li", {}, row);
    });
    this.show(this.back(), this.heading("Between two groups", count(list.length, "edge")), html("ul", { class: "rows" }, ...rows));
  }

  matrixLegend() {
    const rows = [[ARROW, "B is not a cause of A."], [TAIL, "B is a cause of A."], [CIRCLE, "It cannot be told whether B is a cause of A."]].map(([mark, means]) =>
      html("li", {}, html("div", { class: "sample" }, html("span", { class: `square ${MARK_NAMES[mark]}` }, html("span", { class: `glyph ${MARK_NAMES[mark]}` })), html("b", {}, capital(MARK_NAMES[mark])), html("span", { class: "tally" }, grouped(edges.filter((e) => e.markU === mark).length + edges.filter((e) => e.markV === mark).length))), html("p", {}, means)));
    this.show(this.heading("How to read it", "Mark matrix"), html("p", { class: "soft" }, "The square in row A and column B shows the mark at B on the edge between A and B. Click one to read the edge; an empty one tells what separates the two."), html("ul", { class: "legend" }, ...rows));
  }

  legend() {
    const kinds = new Map();
    for (const edge of edges) kinds.set(`${edge.markU}${edge.markV}`, (kinds.get(`${edge.markU}${edge.markV}`) || 0) + 1);
    const rows = [...kinds].sort((a, b) => b[1] - a[1]).map(([marks, number]) => html("li", {},
      html("div", { class: "sample" }, html("b", {}, "A"), signPicture(Number(marks[0]), Number(marks[1])), html("b", {}, "B"), html("span", { class: "tally" }, grouped(number))),
      html("p", {}, facts.words[marks].replace(/\{u\}/g, "A").replace(/\{v\}/g, "B"))));
    const keys = [["/", "search"], ["\u2190 \u2191 \u2192 \u2193", "move between variables"], ["Enter", "open"], ["Esc", "back"], ["+ \u2212 0", "zoom, fit"], ["Shift + arrows", "pan"]];
    this.show(this.heading("How to read it", count(size, "variable") + ", " + count(edges.length, "edge")),
      !edges.length ? null : html("p", { class: "soft" }, "Click an edge to read it with its evidence, or a variable to see its neighbourhood.", facts.communities.length ? " A large box holds a folded community; click it to unfold." : ""),
      edges.length ? html("ul", { class: "legend" }, ...rows) : html("p", {}, "No edges: every pair of variables can be separated."),
      html("details", {}, html("summary", {}, "Keys"), html("dl", { class: "keys" }, ...keys.flatMap(([key, does]) => [html("dt", {}, html("kbd", {}, key)), html("dd", {}, does)]))));
  }
}

// Nodes in a row; a comma never begins a line.
function listed(nodes) { return nodes.flatMap((node, i) => (i < nodes.length - 1 ? [html("span", { class: "item" }, node, ","), " "] : [node])); }

function capital(text) { return text[0].toUpperCase() + text.slice(1); }
