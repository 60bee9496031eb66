// Tables that sort and filter. Rows come a hundred at a time, so that half a million pairs cost nothing until asked for.

const PAGE = 100, PAIRS_AT_ONCE = 40000;

class Table {
  // columns: { title, value(row) to sort by, cell(row) to show, number, width ("wide", "some", "few") }; rows(words) answers with the rows
  // to filter, or a sentence; open(row) is done by a click on a row beside its buttons, and by Enter on it.
  constructor({ columns, rows, text, open, placeholder, note }) {
    Object.assign(this, { columns, rows, text, open, sorted: 0, down: false, shown: PAGE });
    const refilter = later(() => {
      this.shown = PAGE;
      this.draw();
    });
    this.filter = html("input", { type: "search", placeholder, "aria-label": placeholder, oninput: refilter });
    this.tally = html("p", { class: "tally", role: "status" });
    this.body = html("tbody");
    const head = ({ title, number }, i) => html("th", { scope: "col", class: number && "number" }, button(title, () => this.sort(i)));
    this.heads = columns.map(head);
    this.more = button("Show more", () => this.showMore(), { class: "more" });
    const table = html("table", {}, html("thead", {}, html("tr", {}, ...this.heads)), this.body);
    this.element = html("div", { class: "sheet" },
      html("div", { class: "bar" }, this.filter, this.tally),
      note ? soft(note) : null,
      html("div", { class: "scroll" }, table, this.more));
  }

  showMore() {
    this.shown += PAGE * 5;
    this.draw();
  }

  sort(i) {
    this.down = this.sorted === i ? !this.down : Boolean(this.columns[i].number);
    this.sorted = i;
    this.draw();
  }

  draw() {
    const words = this.filter.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const all = this.rows(words);
    const direction = this.down ? "descending" : "ascending";
    this.heads.forEach((head, i) => head.setAttribute("aria-sort", i === this.sorted ? direction : "none"));
    if (typeof all === "string") {
      this.body.replaceChildren();
      this.tally.textContent = all;
      this.more.hidden = true;
      return;
    }
    const holdsAll = (text) => words.every((word) => text.includes(word));
    const kept = words.length ? all.filter((row) => holdsAll(this.text(row).toLowerCase())) : all;
    const { value } = this.columns[this.sorted], sign = this.down ? -1 : 1;
    const keyed = kept.map((row, i) => [value(row), i, row]);
    keyed.sort(([a, i], [b, j]) => sign * (a < b ? -1 : a > b ? 1 : 0) || i - j);
    this.body.replaceChildren(...keyed.slice(0, this.shown).map(([, , row]) => this.row(row)));
    if (this.body.firstChild) this.body.firstChild.tabIndex = 0;
    this.tally.textContent = kept.length === all.length ? grouped(all.length) : `${grouped(kept.length)} of ${grouped(all.length)}`;
    this.more.hidden = kept.length <= this.shown;
  }

  row(row) {
    const onclick = (event) => { if (!event.target.closest("button") && getSelection().isCollapsed) this.open(row); };
    const onkeydown = (event) => { if (event.target === event.currentTarget) this.key(event, row); };
    const cells = this.columns.map((column) => html("td", { class: column.number ? "number" : column.width }, column.cell(row)));
    return html("tr", { tabindex: -1, onclick, onkeydown }, ...cells);
  }

  // One row of the table takes part in the order of Tab; the arrows move on from it.
  key(event, row) {
    const here = event.target, next = { ArrowDown: here.nextElementSibling, ArrowUp: here.previousElementSibling }[event.key];
    if (event.key === "Enter") this.open(row);
    if (!next) return;
    event.preventDefault();
    here.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}

function makeTables(element, { choose }) {
  const makers = {
    edges: [`Edges ${grouped(edges.length)}`, edgeTable],
    variables: [`Variables ${grouped(size)}`, variableTable],
    pairs: [`Pairs without an edge ${grouped(pairCount())}`, pairTable],
  };
  const made = {}, place = html("div", { class: "place" });
  const tabs = tabList("Tables", Object.entries(makers).map(([key, [title]]) => [key, title]), (key) => {
    made[key] = made[key] || makers[key][1](choose);
    place.replaceChildren(made[key].element);
    made[key].draw();
  });
  element.append(tabs.element, place);
  return tabs;
}

function variableCell(v, choose) { return button(facts.shown[v], () => choose.variable(v), { class: "name", title: names[v] }); }

function edgeTable(choose) {
  const rule = (edge, v) => (reasonAt(edge, v) || [""])[0];
  const rules = (edge) => [...new Set([rule(edge, edge.u), rule(edge, edge.v)])].filter(Boolean).sort().join(", ");
  const label = (edge) => `${names[edge.u]} ${edge.sign} ${names[edge.v]}`;
  const open = (edge) => button("", () => choose.edge(edge), { class: "open", "aria-label": `Explain ${label(edge)}` });
  return new Table({
    placeholder: "Filter edges by name, sign, rule or words",
    note: [...(facts.drawn ? [OFTEN_NOTE, areSure() ? SURE_NOTE : UNSURE_NOTE] : []), ...(facts.evidence ? [P_NOTE] : [])].join(" "),
    rows: () => edges,
    open: (edge) => choose.edge(edge),
    text: (edge) => `${label(edge)} ${rules(edge)} ${words(edge)}`,
    columns: [
      { title: "From", value: (edge) => edge.u, cell: (edge) => variableCell(edge.u, choose) },
      { title: "Edge", value: (edge) => edge.sign, cell: (edge) => fill(open(edge), {}, [signPicture(edge.markU, edge.markV)]) },
      { title: "To", value: (edge) => edge.v, cell: (edge) => variableCell(edge.v, choose) },
      ...(facts.drawn ? oftenColumns() : []),
      ...(facts.evidence ? evidenceColumns() : []),
      { title: "Rules", width: "few", value: rules, cell: (edge) => rules(edge) || "\u2013" },
      { title: "In words", width: "wide", value: words, cell: words },
    ],
  });
}

const P_NOTE = "The p-value is the largest of the tests of the two given nothing, one or two neighbours of one end: "
  + "the larger it is, the closer the edge came to being removed. A value above the level comes from a test that the run "
  + "did not ask for.";
const OFTEN_NOTE = "Adjacent and Same marks tell in how many of the tables of the bootstrap the two are adjacent, and joined as here.";
const SURE_NOTE = "Sure is the probability, calibrated on simulations, that they are adjacent.";
const UNSURE_NOTE = "No probabilities stand beside them, as none were calibrated for such a run.";
const areSure = () => edges.some((edge) => oftenOf(edge).sure !== null);

// How often an edge and its marks came in a bootstrap.
function oftenColumns() {
  const column = (title, value) => ({ title, number: true, value, cell: (edge) => (value(edge) === null ? "\u2013" : percent(value(edge))) });
  const columns = [
    column("Adjacent", (edge) => oftenOf(edge).adjacent),
    column("Same marks", (edge) => oftenOf(edge).same),
  ];
  const sure = (edge) => oftenOf(edge).sure;
  return areSure() ? [...columns, { ...column("Sure", sure), cell: (edge) => surely(sure(edge)) }] : columns;
}

function evidenceColumns() {
  const UNTOLD = "\u2013", tests = edges.map(closestTest);
  const column = (title, number, value, shown) => ({
    title,
    number,
    value: ({ id }) => (tests[id] ? value(tests[id]) : number ? -Infinity : ""),
    cell: ({ id }) => (tests[id] ? shown(tests[id]) : UNTOLD),
  });
  const columns = [
    column("p-value", true, (test) => test.p, (test) => pValue(test.p)),
    { ...column("Given", false, (test) => test.given || "", (test) => test.given || "nothing"), width: "some" },
  ];
  const signs = column("Partial correlation", true, (test) => test.r, (test) => (test.r === null ? test.sign || UNTOLD : signed(test.r)));
  return tests.some((test) => test && test.sign) ? [...columns, signs] : columns;
}

function variableTable(choose) {
  const numeric = (title, value) => ({ title, number: true, value, cell: (v) => grouped(value(v)) });
  const tally = (v, mark) => around[v].filter((edge) => markAt(edge, v) === mark).length;
  return new Table({
    placeholder: "Filter variables by name",
    rows: () => names.map((_, v) => v),
    open: (v) => choose.variable(v),
    text: (v) => names[v],
    columns: [
      { title: "Variable", value: (v) => v, cell: (v) => variableCell(v, choose) },
      numeric("Edges", (v) => around[v].length),
      numeric("Arrowheads at it", (v) => tally(v, ARROW)),
      numeric("Tails at it", (v) => tally(v, TAIL)),
      numeric("Circles at it", (v) => tally(v, CIRCLE)),
      numeric("Leaves", (v) => leavesOf[v].length),
    ],
  });
}

function pairTable(choose) {
  const areMany = pairCount() > PAIRS_AT_ONCE;
  const setOf = (pair, by) => (pair.set ? pair.set.map((v) => by[v]).join(", ") : "");
  const setSize = (pair) => (pair.set ? pair.set.length : -1);
  const openSet = (pair) => {
    const text = pair.set ? setOf(pair, facts.shown) || "nothing" : "not on record";
    return button(text, () => choose.pair(pair.x, pair.y), { class: "name plain" });
  };
  let every = null;
  const rows = (wanted) => {
    if (!areMany) return (every = every || pairsOf(names.map((_, v) => v)));
    const named = names.map((_, v) => v).filter((v) => wanted.length && names[v].toLowerCase().includes(wanted[0]));
    if (!named.length) return `${grouped(pairCount())} pairs without an edge. Type a name to list those of a variable.`;
    return pairsOf(named.slice(0, Math.max(1, Math.floor(PAIRS_AT_ONCE / size))));
  };
  return new Table({
    placeholder: areMany ? "Type a variable\u2019s name to list its pairs" : "Filter pairs by name or separating set",
    note: facts.sets ? null : "The sets recorded in leaves are too many for this page and stand in skeleton.json; splits are here.",
    rows,
    open: (pair) => choose.pair(pair.x, pair.y),
    text: (pair) => `${names[pair.x]} ${names[pair.y]} ${setOf(pair, names)}`,
    columns: [
      { title: "Variable", value: (pair) => pair.x * size + pair.y, cell: (pair) => variableCell(pair.x, choose) },
      { title: "Other", value: (pair) => pair.y * size + pair.x, cell: (pair) => variableCell(pair.y, choose) },
      ...(facts.drawn ? [apartColumn()] : []),
      { title: "Size", number: true, value: setSize, cell: (pair) => (pair.set ? String(setSize(pair)) : "") },
      { title: "Separating set", value: (pair) => setOf(pair, names), cell: openSet },
      {
        title: "Found",
        value: (pair) => (pair.node === null ? -1 : pair.node),
        cell: (pair) => (pair.node === null ? "" : button(nodeName(pair.node), () => choose.node(pair.node), { class: "name" })),
      },
    ],
  });
}

function apartColumn() {
  const share = ({ x, y }) => apartOften.get(pairKey(x, y)) || 0;
  return { title: "Adjacent", number: true, value: share, cell: (pair) => percent(share(pair)) };
}

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

// An edge in words, with the short names that tables show.
function words(edge) { return edge.isOpen ? facts.stopped : facts.words[`${edge.markU}${edge.markV}`].replace(/\{(u|v)\}/g, (_, end) => facts.shown[edge[end]]); }
