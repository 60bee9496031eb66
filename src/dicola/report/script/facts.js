// What the run found. Variables, edges, communities and tree nodes are numbers; this file alone knows how they are written down.

const facts = JSON.parse(document.getElementById("facts").textContent);
const CIRCLE = 1, ARROW = 2, TAIL = 3;
const MARK_NAMES = { [CIRCLE]: "circle", [ARROW]: "arrowhead", [TAIL]: "tail" };
const SIGNS = { left: { 1: "o", 2: "<", 3: "-" }, right: { 1: "o", 2: ">", 3: "-" } };
const KINDS = { 32: "directed", 23: "directed", 22: "bidirected", 33: "selection" };
const kindOf = (markU, markV) => KINDS[`${markU}${markV}`] || "circle";

const names = facts.names.map((name) => (name.trim() ? name : "(no name)"));
const size = names.length;
const open = new Set(facts.open); // edges that a run which was stopped was not done with
const hidden = open.size > facts.most_open ? open : new Set(); // too many of them to be drawn
const edges = facts.edges.map(([u, v, markU, markV, bend], id) => ({
  id, u, v, markU, markV, bend, isOpen: open.has(id), kind: kindOf(markU, markV), sign: `${SIGNS.left[markU]}-${SIGNS.right[markV]}`,
}));
const around = names.map(() => []);
for (const edge of edges) {
  around[edge.u].push(edge);
  around[edge.v].push(edge);
}
const pairKey = (x, y) => (x < y ? x * size + y : y * size + x);
const edgeByPair = new Map(edges.map((edge) => [pairKey(edge.u, edge.v), edge]));
const otherEnd = (edge, v) => (edge.u === v ? edge.v : edge.u);
const markAt = (edge, v) => (edge.u === v ? edge.markU : edge.markV);
const reasonAt = (edge, v) => facts.why[edge.id][edge.u === v ? 0 : 1];
const conflictsOf = (edge) => facts.conflicts.filter(([a, b]) => pairKey(a, b) === pairKey(edge.u, edge.v)).map((entry) => entry[2]);

// The test that came closest to removing an edge; null where none is told. What it held fixed is text.
function closestTest(edge) {
  const told = facts.evidence && facts.evidence[edge.id];
  return told && { p: told[0], given: told[1], sign: told[2], r: told[3] };
}

// By how much the graph scores worse without an edge, and with another mark at one of its ends; null where that is not known.
const scoreWithout = (edge) => (facts.scores ? facts.scores[edge.id][0] : null);
const scoreOtherwise = (edge, w) => (facts.scores ? facts.scores[edge.id][edge.u === w ? 1 : 2] : null);
const worse = (by) => (by > 0.05 ? `${by.toFixed(1)} worse` : "as well");

// How often an edge came in the tables of a bootstrap, as shares, and how sure that makes it; null where there was none.
function oftenOf(edge) {
  if (!facts.drawn) return null;
  const [adjacent, same, u, v, sure, sureU, sureV] = facts.drawn.often[edge.id];
  return { adjacent, same, marks: [u, v], sure, sureMarks: [sureU, sureV] };
}
const markOften = (edge, w) => oftenOf(edge).marks[edge.u === w ? 0 : 1];
const markSure = (edge, w) => oftenOf(edge).sureMarks[edge.u === w ? 0 : 1];
const apartOften = new Map(facts.drawn ? facts.drawn.apart.map(([x, y, share]) => [pairKey(x, y), share]) : []);
const tablesOf = (share) => `${Math.round(share * facts.drawn.tables)} of ${count(facts.drawn.tables, "bootstrap table")}`;
const percent = (share) => `${Math.round(100 * share)} %`;
const surely = (probability) => (probability > 0.995 ? "over 99 %" : percent(probability));

const communityOf = new Array(size).fill(-1);
facts.communities.forEach((members, number) => members.forEach((v) => { communityOf[v] = number; }));
const communityNames = facts.communities.map((members) =>
  [...members].sort((a, b) => around[b].length - around[a].length || a - b).slice(0, 3).map((v) => facts.shown[v]));

// The decomposition: a split writes its separator and smaller side; the rest follows from the root downward.
const tree = facts.tree.map((entry, number) => ({ number, isLeaf: !entry, variables: null, parent: -1, depth: 0 }));
(function derive() {
  const waiting = [0];
  tree[0].variables = names.map((_, v) => v);
  while (waiting.length) {
    const node = tree[waiting.pop()];
    if (node.isLeaf) continue;
    const [left, right, separator, smaller, side] = facts.tree[node.number];
    const taken = new Set([...separator, ...side]);
    const rest = node.variables.filter((v) => !taken.has(v));
    Object.assign(node, { children: [left, right], separator, sides: smaller ? [rest, side] : [side, rest] });
    node.children.forEach((child, i) => {
      if (tree[child].variables) return;
      Object.assign(tree[child], { parent: node.number, depth: node.depth + 1 });
      tree[child].variables = [...node.sides[i], ...separator].sort((a, b) => a - b);
      waiting.push(child);
    });
  }
})();
const leavesOf = names.map(() => []);
tree.forEach((node) => { if (node.isLeaf) node.variables.forEach((v) => leavesOf[v].push(node.number)); });

const recorded = (entries) => new Map(entries.map(([x, y, ...set]) => [pairKey(x, y), set]));
const foundLater = recorded(facts.later);
const foundAcross = recorded(facts.across);
const leafSets = new Map();
const sideSets = new Map();

function setsOfLeaf(number) {
  if (!leafSets.has(number)) leafSets.set(number, recorded((facts.sets || {})[number] || []));
  return leafSets.get(number);
}

function sidesOf(node) {
  if (!sideSets.has(node.number)) sideSets.set(node.number, node.sides.map((side) => new Set(side)));
  return sideSets.get(node.number);
}

// Where the graph was found by its score: the ancestors of each variable in its MAG, itself included.
const ancestors = facts.arrows && names.map((_, v) => new Set([v]));
if (ancestors) {
  const parents = names.map(() => []);
  facts.arrows.forEach(([u, v]) => parents[v].push(u));
  ancestors.forEach((found) => { for (const v of found) parents[v].forEach((u) => found.add(u)); });
}

// A set that separates two variables and the tree node it was found at; null where none is on record. Of several the smallest, then the
// first, as TreeSets in decompose/merge.py answers.
function separation(x, y) {
  const key = pairKey(x, y);
  if (ancestors) {
    const both = new Set([...ancestors[x], ...ancestors[y]]);
    return { set: [...both].filter((v) => v !== x && v !== y).sort((a, b) => a - b), node: null };
  }
  if (foundLater.has(key)) return { set: foundLater.get(key), node: null };
  if (foundAcross.has(key)) return { set: foundAcross.get(key), node: null, inMerge: true };
  let best = null;
  const seen = new Set();
  const waiting = [0];
  const offer = (set, node) => { if (!best || precedes(set, node, best)) best = { set, node }; };
  while (waiting.length) {
    const node = tree[waiting.pop()];
    if (seen.has(node.number)) continue;
    seen.add(node.number);
    if (node.isLeaf) {
      const set = setsOfLeaf(node.number).get(key);
      if (set) offer(set, node.number);
      continue;
    }
    const [left, right] = sidesOf(node);
    if ((left.has(x) && right.has(y)) || (right.has(x) && left.has(y))) {
      offer(node.separator, node.number);
      continue;
    }
    if (!right.has(x) && !right.has(y)) waiting.push(node.children[0]);
    if (!left.has(x) && !left.has(y)) waiting.push(node.children[1]);
  }
  return best;
}

function precedes(set, node, best) {
  if (set.length !== best.set.length) return set.length < best.set.length;
  for (let i = 0; i < set.length; i += 1) if (set[i] !== best.set[i]) return set[i] < best.set[i];
  return node < best.node;
}

function pairCount() {
  return (size * (size - 1)) / 2 - edges.length;
}
