// The decomposition as an outline: each split with its separator, each leaf with its variables. A click lights the part up in the graph.

const LISTED = 12; // variables named in a row

class Outline {
  constructor(element, { choose }) {
    this.element = element;
    this.choose = choose;
    this.open = new Set(tree.filter((node) => !node.isLeaf && (node.depth < 3 || tree.length <= 60)).map((node) => node.number));
    this.list = html("ul", { role: "tree", class: "outline", "aria-label": "Decomposition tree", onkeydown: (event) => this.key(event) });
    const leaves = tree.filter((node) => node.isLeaf), largest = Math.max(...leaves.map((leaf) => leaf.variables.length));
    const many = tree.length > 1;
    fill(element, {}, [
      html("header", {}, html("p", { class: "kind" }, "Decomposition"), html("h2", {}, many ? `${count(leaves.length, "leaf", "leaves")}, the largest with ${count(largest, "variable")}` : "Not divided")),
      html("p", { class: "soft" }, many ? "Each split parts the variables at a separator, which goes to both sides. Click one to see it in the graph." : "The learner ran on all variables at once."),
      many ? html("div", { class: "bar" }, button("Open all", () => this.openAll(true)), button("Close all", () => this.openAll(false))) : null,
      this.list,
    ]);
    this.draw();
  }

  openAll(open) {
    this.open = new Set(open ? tree.filter((node) => !node.isLeaf).map((node) => node.number) : []);
    this.draw();
  }

  draw() {
    const rows = [], seen = new Set(), waiting = [[0, 1]];
    while (waiting.length) {
      const [number, level] = waiting.pop(), node = tree[number], again = seen.has(number);
      seen.add(number);
      rows.push(this.row(node, level, again));
      if (!node.isLeaf && this.open.has(number) && !again) waiting.push([node.children[1], level + 1], [node.children[0], level + 1]);
    }
    this.list.replaceChildren(...rows);
    this.select(this.selected);
  }

  row(node, level, again) {
    const some = (variables) => variables.slice(0, LISTED).map((v) => facts.shown[v]).join(", ") + (variables.length > LISTED ? ", \u2026" : "");
    const share = html("span", { class: "share", "aria-hidden": "true" });
    share.style.setProperty("--share", `${(100 * node.variables.length) / size}%`);
    const label = node.isLeaf
      ? [html("span", { class: "title" }, html("b", {}, `Leaf ${node.number}`), ` \u00b7 ${count(node.variables.length, "variable")}`), html("span", { class: "which" }, some(node.variables))]
      : [html("span", { class: "title" }, html("b", {}, `Split ${node.number}`), ` \u00b7 ${node.variables.length} = ${node.sides[0].length} + ${node.sides[1].length}`, node.separator.length ? ` + ${node.separator.length} shared` : ""),
        html("span", { class: "which" }, node.separator.length ? ["at ", html("em", {}, some(node.separator))] : "nothing ties the two sides together")];
    const item = html("li", {
      role: "treeitem", "aria-level": level, "aria-expanded": node.isLeaf || again ? null : String(this.open.has(node.number)), "aria-selected": "false", tabindex: -1, "data-node": node.number, class: node.isLeaf ? "leaf" : "split",
      onclick: (event) => { if (event.target.closest(".twist")) this.toggle(node.number); else this.pick(node.number); },
    }, html("span", { class: "twist", "aria-hidden": "true" }, node.isLeaf || again ? "" : this.open.has(node.number) ? "\u25be" : "\u25b8"), html("span", { class: "what" }, share, ...label, again ? html("span", { class: "soft" }, "(as above)") : null));
    item.style.setProperty("--level", level - 1);
    return item;
  }

  toggle(number) {
    if (this.open.has(number)) this.open.delete(number);
    else this.open.add(number);
    this.draw();
  }

  pick(number) {
    this.select(number);
    this.choose.node(number);
  }

  // Mark a node as chosen, opening the way to it.
  reveal(number) {
    for (let up = tree[number].parent; up >= 0; up = tree[up].parent) this.open.add(up);
    this.selected = number;
    this.draw();
    const row = this.list.querySelector(`[data-node="${number}"]`);
    if (row) row.scrollIntoView({ block: "nearest" });
  }

  select(number) {
    this.selected = number;
    const rows = [...this.list.children];
    const chosen = rows.find((row) => Number(row.dataset.node) === number) || rows[0];
    for (const row of rows) {
      row.setAttribute("aria-selected", String(number !== undefined && row === chosen));
      row.tabIndex = row === chosen ? 0 : -1;
    }
  }

  key(event) {
    const rows = [...this.list.children], here = rows.indexOf(event.target.closest("li")), number = Number(rows[here].dataset.node), node = tree[number];
    const go = (i) => { if (rows[i]) { rows[here].tabIndex = -1; rows[i].tabIndex = 0; rows[i].focus(); } };
    const refocus = () => this.list.children[here].focus();
    const actions = {
      ArrowDown: () => go(here + 1), ArrowUp: () => go(here - 1), Home: () => go(0), End: () => go(rows.length - 1),
      ArrowRight: () => { if (!node.isLeaf && !this.open.has(number)) { this.toggle(number); refocus(); } else go(here + 1); },
      ArrowLeft: () => { if (!node.isLeaf && this.open.has(number)) { this.toggle(number); refocus(); } else go(rows.findIndex((row) => Number(row.dataset.node) === node.parent)); },
      Enter: () => { this.pick(number); refocus(); }, " ": () => { this.pick(number); refocus(); },
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}
