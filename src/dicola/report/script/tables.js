// Tables that sort and filter. Rows come a hundred at a time, so that half a million pairs cost nothing until asked for.

const PAGE = 100, PAIRS_AT_ONCE = 40000;

class Table {
  // columns: { title, value(row) to sort by, cell(row) to show, number }; rows(words) answers with the rows to filter, or a sentence.
  constructor({ columns, rows, text, placeholder, note }) {
    Object.assign(this, { columns, rows, text, sorted: 0, down: false, shown: PAGE });
    this.filter = html("input", { type: "search", placeholder, "aria-label": placeholder, oninput: later(() => { this.shown = PAGE; this.draw(); }) });
    this.tally = html("p", { class: "tally", role: "status" });
    this.body = html("tbody");
    this.heads = columns.map((column, i) => html("th", { scope: "col", class: column.number ? "number" : null }, button(column.title, () => this.sort(i))));
    this.more = button("Show more", () => { this.shown += PAGE * 5; this.draw(); }, { class: "more" });
    this.element = html("div", { class: "sheet" }, html("div", { class: "bar" }, this.filter, this.tally), note ? html("p", { class: "soft" }, note) : null,
      html("div", { class: "scroll" }, html("table", {}, html("thead", {}, html("tr", {}, ...this.heads)), this.body), this.more));
  }

  sort(i) {
    this.down = this.sorted === i ? !this.down : Boolean(this.columns[i].number);
    this.sorted = i;
    this.draw();
  }

  draw() {
    const words = this.filter.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const all = this.rows(words);
    this.heads.forEach((head, i) => head.setAttribute("aria-sort", i !== this.sorted ? "none" : this.down ? "descending" : "ascending"));
    if (typeof all === "string") {
      this.body.replaceChildren();
      this.tally.textContent = all;
      this.more.hidden = true;
      return;
    }
    const kept = words.length ? all.filter((row) => { const text = this.text(row).toLowerCase(); return words.every((word) => text.includes(word)); }) : [...all];
    const { value } = this.columns[this.sorted], sign = this.down ? -1 : 1;
    const keyed = kept.map((row, i) => [value(row), i, row]);
    keyed.sort(([a, i], [b, j]) => sign * (a < b ? -1 : a > b ? 1 : 0) || i - j);
    this.body.replaceChildren(...keyed.slice(0, this.shown).map(([, , row]) => html("tr", {}, ...this.columns.map((column) => html("td", { class: column.number ? "number" : null }, column.cell(row))))));
    this.tally.textContent = kept.length === all.length ? grouped(all.length) : `${grouped(kept.length)} of ${grouped(all.length)}`;
    this.more.hidden = kept.length <= this.shown;
  }
}

function makeTables(element, { choose }) {
  const variable = (v) => button(facts.shown[v], () => choose.variable(v), { class: "name", title: names[v] });
  const rule = (edge, v) => { const reason = reasonAt(edge, v); return reason ? reason[0] : ""; };
  const edgeTable = () => new Table({
    placeholder: "Filter edges by name, sign, rule or words", rows: () => edges,
    text: (e) => `${names[e.u]} ${e.sign} ${names[e.v]} ${rule(e, e.u)} ${rule(e, e.v)} ${words(e)}`,
    columns: [
      { title: "From", value: (e) => e.u, cell: (e) => variable(e.u) },
      { title: "Edge", value: (e) => e.sign, cell: (e) => { const open = button("", () => choose.edge(e), { class: "open", "aria-label": `Explain ${names[e.u]} ${e.sign} ${names[e.v]}` }); open.append(signPicture(e.markU, e.markV)); return open; } },
      { title: "To", value: (e) => e.v, cell: (e) => variable(e.v) },
      { title: "Rules", value: (e) => `${rule(e, e.u)} ${rule(e, e.v)}`, cell: (e) => [...new Set([rule(e, e.u), rule(e, e.v)])].filter(Boolean).sort().join(", ") || "\u2013" },
      { title: "In words", value: (e) => words(e), cell: (e) => words(e) },
    ],
  });
  const tally = (v, mark) => around[v].filter((edge) => markAt(edge, v) === mark).length;
  const numeric = (title, value) => ({ title, number: true, value, cell: (v) => grouped(value(v)) });
  const variableTable = () => new Table({
    placeholder: "Filter variables by name", rows: () => names.map((_, v) => v), text: (v) => names[v],
    columns: [
      { title: "Variable", value: (v) => v, cell: variable },
      numeric("Edges", (v) => around[v].length), numeric("Arrowheads at it", (v) => tally(v, ARROW)), numeric("Tails at it", (v) => tally(v, TAIL)),
      numeric("Circles at it", (v) => tally(v, CIRCLE)), numeric("Leaves", (v) => leavesOf[v].length),
    ],
  });
  const many = pairCount() > PAIRS_AT_ONCE;
  let allPairs = null;
  const pairTable = () => new Table({
    placeholder: many ? "Type a variable\u2019s name to list its pairs" : "Filter pairs by name or separating set",
    note: facts.sets ? null : "The sets that the learner recorded are too many to stand in this page; they are in skeleton.json. Those of the splits are listed.",
    rows: (wanted) => {
      if (!many) return (allPairs = allPairs || pairsOf(names.map((_, v) => v)));
      const chosen = names.map((_, v) => v).filter((v) => wanted.length && names[v].toLowerCase().includes(wanted[0]));
      if (!chosen.length) return `${grouped(pairCount())} pairs without an edge. Type a name to list those of a variable.`;
      return pairsOf(chosen.slice(0, Math.max(1, Math.floor(PAIRS_AT_ONCE / size))));
    },
    text: (p) => `${names[p.x]} ${names[p.y]} ${p.set ? p.set.map((v) => names[v]).join(" ") : ""}`,
    columns: [
      { title: "Variable", value: (p) => p.x * size + p.y, cell: (p) => variable(p.x) },
      { title: "Other", value: (p) => p.y * size + p.x, cell: (p) => variable(p.y) },
      { title: "Size", number: true, value: (p) => (p.set ? p.set.length : -1), cell: (p) => (p.set ? String(p.set.length) : "") },
      { title: "Separating set", value: (p) => (p.set ? p.set.map((v) => names[v]).join(", ") : ""), cell: (p) => { const open = button(p.set ? p.set.map((v) => facts.shown[v]).join(", ") || "nothing" : "not on record", () => choose.pair(p.x, p.y), { class: "name plain" }); return open; } },
      { title: "Found", value: (p) => (p.node === null ? -1 : p.node), cell: (p) => (p.node === null ? "" : button(tree[p.node].isLeaf ? `leaf ${p.node}` : `split ${p.node}`, () => choose.node(p.node), { class: "name" })) },
    ],
  });
  const makers = { edges: [`Edges ${grouped(edges.length)}`, edgeTable], variables: [`Variables ${grouped(size)}`, variableTable], pairs: [`Pairs without an edge ${grouped(pairCount())}`, pairTable] };
  const made = {}, place = html("div", { class: "place" });
  const tabs = tabList("Tables", Object.entries(makers).map(([key, [title]]) => [key, title]), (key) => {
    made[key] = made[key] || makers[key][1]();
    place.replaceChildren(made[key].element);
    made[key].draw();
  });
  element.append(tabs.element, place);
  return tabs;
}

function words(edge) { return facts.words[`${edge.markU}${edge.markV}`].replace(/\{(u|v)\}/g, (_, end) => facts.shown[edge[end]]); }

function pairsOf(chosen) {
  const found = [], taken = new Set(chosen);
  for (const x of chosen) {
    for (let y = 0; y < size; y += 1) {
      if (x === y || (taken.has(y) && y < x) || edgeByPair.has(pairKey(x, y))) continue;
      const answer = separation(x, y);
      found.push({ x, y, set: answer && answer.set, node: answer ? answer.node : null });
    }
  }
  return found;
}
