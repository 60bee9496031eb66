// The shapes of edges: a gentle curve from border to border and a true mark at each end. `scale` enlarges marks on coarse drawings.

const BOX_HEIGHT = 28, CORNER = 8, RADIUS = 4.2, HEAD = 11.5, SPAN = 5;

const round = (value) => Math.round(value * 10) / 10;
const at = (p) => `${round(p.x)},${round(p.y)}`;

function along(a, c, b, t) {
  const s = 1 - t;
  return { x: s * s * a.x + 2 * s * t * c.x + t * t * b.x, y: s * s * a.y + 2 * s * t * c.y + t * t * b.y };
}

function inside(p, box, grown) {
  const dx = Math.abs(p.x - box.x) - box.w / 2 + CORNER, dy = Math.abs(p.y - box.y) - box.h / 2 + CORNER;
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) < CORNER + grown;
}

// Where the curve from a leaves its box, grown by so much on all sides.
function leaving(a, c, b, box, grown) {
  let low = 0, high = 1;
  for (let i = 0; i < 18; i += 1) {
    const t = (low + high) / 2;
    if (inside(along(a, c, b, t), box, grown)) low = t;
    else high = t;
  }
  return low;
}

// The visible part of the edge between two boxes { x, y, w, h }; null where they overlap. It begins at the border, or at the middle of a
// circle that touches the border.
function route(a, b, bend, markA, markB, scale) {
  const dx = b.x - a.x, dy = b.y - a.y, length = Math.hypot(dx, dy) || 1;
  const c = { x: (a.x + b.x) / 2 - (2 * bend * dy) / length, y: (a.y + b.y) / 2 + (2 * bend * dx) / length };
  const grown = (mark) => (mark === CIRCLE ? (RADIUS + 0.8) * scale : 0);
  const low = leaving(a, c, b, a, grown(markA)), high = 1 - leaving(b, c, a, b, grown(markB));
  if (low >= high) return null;
  const polar = (low + high - 2 * low * high), first = (1 - low) * (1 - high), last = low * high;
  const control = { x: first * a.x + polar * c.x + last * b.x, y: first * a.y + polar * c.y + last * b.y };
  return { start: along(a, c, b, low), control, end: along(a, c, b, high) };
}

// Where the line begins behind a mark, and the outline of the mark.
function markShape(mark, tip, towards, scale) {
  const dx = towards.x - tip.x, dy = towards.y - tip.y, length = Math.hypot(dx, dy) || 1, ux = dx / length, uy = dy / length;
  const go = (by, aside = 0) => ({ x: tip.x + ux * by * scale - uy * aside * scale, y: tip.y + uy * by * scale + ux * aside * scale });
  if (mark === CIRCLE) {
    const r = round(RADIUS * scale), half = (across) => `a${r},${r} 0 1 0 ${round(across)},0`;
    return { from: go(RADIUS), d: `M${round(tip.x - r)},${round(tip.y)}${half(2 * r)}${half(-2 * r)}Z` };
  }
  if (mark === ARROW) {
    const notch = go(0.8 + 0.75 * HEAD), corners = [go(0.8), go(HEAD + 0.8, SPAN), notch, go(HEAD + 0.8, -SPAN)];
    return { from: notch, d: `M${corners.map(at).join("L")}Z` };
  }
  return { from: tip, d: "" };
}

// Write the curve and its marks into the paths of an edge's group: [hit, line, mark, mark].
function shapeEdge(paths, a, b, { bend = 0, markU = TAIL, markV = TAIL, scale = 1 }) {
  const way = route(a, b, bend, markU, markV, scale);
  const [hit, line, first, second] = paths;
  if (!way) { paths.forEach((path) => path.setAttribute("d", "")); return; }
  const head = markShape(markU, way.start, way.control, scale), foot = markShape(markV, way.end, way.control, scale);
  const d = bend ? `M${at(head.from)}Q${at(way.control)} ${at(foot.from)}` : `M${at(head.from)}L${at(foot.from)}`;
  hit.setAttribute("d", d);
  line.setAttribute("d", d);
  first.setAttribute("d", head.d);
  second.setAttribute("d", foot.d);
}

function edgePaths(edge) {
  return ["hit", "line", MARK_NAMES[edge.markU] || "", MARK_NAMES[edge.markV] || ""].map((kind) => svg("path", { class: kind }));
}

// The sign of an edge alone, as a small picture beside its words.
function signPicture(markU, markV) {
  const edge = { markU, markV }, paths = edgePaths(edge);
  shapeEdge(paths, { x: -6, y: 8, w: 16, h: 16 }, { x: 62, y: 8, w: 16, h: 16 }, edge);
  const frame = { width: 56, height: 16, viewBox: "0 0 56 16", "aria-hidden": "true" };
  return svg("svg", { class: `sign edge ${kindOf(markU, markV)}`, ...frame }, ...paths.slice(1));
}
