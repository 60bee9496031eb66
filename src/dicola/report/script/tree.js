// The decomposition as an outline: each split with its separator, each leaf with its variables. A click lights the part up in the graph.

const SOME_VARIABLES = 12; // named in a row
const SMALL_TREE = 60; // nodes up to which everything is open at first

class Outline {
  constructor(element, { choose }) {
    this.choose = choose;
    this.open = new Set(tree.filter((node) => !node.isLeaf && (node.depth < 3 || tree.length <= SMALL_TREE)).map((node) => node.number));
    this.list = html("ul", { role: "tree", class: "outline", "aria-label": "Decomposition tree", onkeydown: (event) => this.key(event) });
    const leaves = tree.filter((node) => node.isLeaf), largest = Math.max(...leaves.map((leaf) => leaf.variables.length));
    const isDivided = tree.length > 1;
    const title = isDivided ? `${count(leaves.length, "leaf", "leaves")}, the largest with ${count(largest, "variable")}` : "Not divided";
    const hint = isDivided
      ? "Each split parts the variables at a separator, which goes to both sides. Click one to see it in the graph."
      : "All variables were learned at once.";
    const all = [button("Open all", () => this.openAll(true)), button("Close all", () => this.openAll(false))];
    fill(element, {}, [
      html("header", {}, html("p", { class: "kind" }, "Decomposition"), html("h2", {}, title)),
      soft(hint),
      isDivided ? html("div", { class: "bar" }, ...all) : null,
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
      if (node.isLeaf || again || !this.open.has(number)) continue;
      waiting.push([node.children[1], level + 1], [node.children[0], level + 1]);
    }
    this.list.replaceChildren(...rows);
    this.select(this.selected);
  }

  // A node reached from two splits has its rows once; the second time it refers to the first.
  row(node, level, again) {
    const opens = !node.isLeaf && !again, isOpen = this.open.has(node.number);
    const share = html("span", { class: "share", "aria-hidden": "true" });
    share.style.setProperty("--share", `${(100 * node.variables.length) / size}%`);
    const onclick = (event) => {
      if (opens && event.target.closest(".twist")) this.toggle(node.number);
      else this.pick(node.number);
    };
    const item = html("li", {
      role: "treeitem", class: node.isLeaf ? "leaf" : "split", tabindex: -1, "data-node": node.number, onclick,
      "aria-level": level, "aria-expanded": opens ? String(isOpen) : null, "aria-selected": "false",
    },
    html("span", { class: "twist", "aria-hidden": "true" }, opens ? (isOpen ? "\u25be" : "\u25b8") : ""),
    html("span", { class: "what" }, share, ...nodeInWords(node), again ? html("span", { class: "soft" }, "(as above)") : null));
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
    const rows = [...this.list.children], here = rows.indexOf(event.target.closest("li"));
    const number = Number(rows[here].dataset.node), node = tree[number], isOpen = !node.isLeaf && this.open.has(number);
    const go = (i) => {
      if (!rows[i]) return;
      rows[here].tabIndex = -1;
      rows[i].tabIndex = 0;
      rows[i].focus();
    };
    const stay = (change) => {
      change();
      this.list.children[here].focus();
    };
    const actions = {
      ArrowDown: () => go(here + 1),
      ArrowUp: () => go(here - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      ArrowRight: () => (node.isLeaf || isOpen ? go(here + 1) : stay(() => this.toggle(number))),
      ArrowLeft: () => (isOpen ? stay(() => this.toggle(number)) : go(rows.findIndex((row) => Number(row.dataset.node) === node.parent))),
      Enter: () => stay(() => this.pick(number)),
      " ": () => stay(() => this.pick(number)),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}

function nodeInWords(node) {
  const some = (variables) => variables.slice(0, SOME_VARIABLES).map((v) => facts.shown[v]).join(", ")
    + (variables.length > SOME_VARIABLES ? ", \u2026" : "");
  const title = (facts) => html("span", { class: "title" }, html("b", {}, capital(nodeName(node.number))), ` \u00b7 ${facts}`);
  if (node.isLeaf) return [title(count(node.variables.length, "variable")), html("span", { class: "which" }, some(node.variables))];
  const { separator, sides: [left, right] } = node;
  const sum = `${node.variables.length} = ${left.length} + ${right.length}${separator.length ? ` + ${separator.length} shared` : ""}`;
  const where = separator.length ? ["at ", html("em", {}, some(separator))] : "nothing ties the two sides together";
  return [title(sum), html("span", { class: "which" }, where)];
}
