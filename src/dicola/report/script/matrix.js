// The mark matrix: the square in row a and column b shows the mark at b on the edge between a and b. Colour and shape say the same.

const CELL = 22;

class Matrix {
  constructor(surface, { choose }) {
    this.surface = surface;
    this.choose = choose;
    this.order = names.map((_, v) => v);
    this.longest = Math.min(180, 16 + 7.4 * Math.max(...facts.shown.map((label) => label.length), 4));
    this.cursor = null;
    this.stage = new Stage(surface, { grab: (event, point) => ({ click: () => this.press(point) }), onmove: (view) => this.follow(view) });
    surface.addEventListener("keydown", (event) => this.key(event));
    surface.addEventListener("pointermove", (event) => this.point(this.stage.point(event)));
    this.readout = html("p", { class: "readout", "aria-hidden": "true" });
    this.draw();
  }

  arrange(byCommunity) {
    this.order = names.map((_, v) => v);
    const rank = (v) => (communityOf[v] < 0 ? facts.communities.length : communityOf[v]);
    if (byCommunity) this.order.sort((a, b) => rank(a) - rank(b) || a - b);
    this.draw();
    this.fit(false);
  }

  draw() {
    this.place = new Array(size);
    this.order.forEach((v, i) => { this.place[v] = i; });
    const squares = { 1: "", 2: "", 3: "" }, glyphs = { 1: "", 2: "", 3: "" };
    let undecided = "";
    const add = (row, column, mark, isOpen) => {
      const x = this.place[column] * CELL, y = this.place[row] * CELL;
      if (isOpen) {
        undecided += `M${x + 5},${y + 5}l12,12m0,-12l-12,12`;
        return;
      }
      squares[mark] += `M${x + 1},${y + 1}h${CELL - 2}v${CELL - 2}h${2 - CELL}Z`;
      if (mark === CIRCLE) glyphs[1] += `M${x + 6},${y + 11}a5,5 0 1 0 10,0a5,5 0 1 0 -10,0Z`;
      if (mark === ARROW) glyphs[2] += `M${x + 6},${y + 5}L${x + 17},${y + 11}L${x + 6},${y + 17}Z`;
      if (mark === TAIL) glyphs[3] += `M${x + 5},${y + 11}h12`;
    };
    for (const edge of edges) {
      add(edge.u, edge.v, edge.markV, edge.isOpen);
      add(edge.v, edge.u, edge.markU, edge.isOpen);
    }
    const whole = size * CELL, lines = this.order.map((_, i) => `M0,${i * CELL}h${whole}M${i * CELL},0v${whole}`).join("");
    const path = (kind, mark, d) => svg("path", { class: `${kind} ${MARK_NAMES[mark]}`, d });
    const paths = [CIRCLE, ARROW, TAIL].flatMap((mark) => [path("square", mark, squares[mark]), path("glyph", mark, glyphs[mark])]);
    const diagonal = this.order.map((_, i) => `M${i * CELL},${i * CELL}h${CELL}v${CELL}h${-CELL}Z`).join("");
    this.cross = svg("path", { class: "cross" });
    this.ring = svg("rect", { class: "ring", width: CELL, height: CELL, rx: 3, visibility: "hidden" });
    this.stage.world.replaceChildren(
      svg("rect", { class: "sheet", width: whole, height: whole }), svg("path", { class: "grid", d: size <= 300 ? lines : "" }),
      svg("path", { class: "diagonal", d: diagonal }), ...paths, svg("path", { class: "undecided", d: undecided }), this.cross, this.ring);
    const band = (x, y, width, height) => svg("rect", { class: "band", x, y, width, height });
    const label = (place, v) => svg("text", place, svg("title", {}, names[v]), facts.shown[v]);
    const rowLabel = (v, i) => label({ x: -8, y: i * CELL + 15, "text-anchor": "end" }, v);
    const columnLabel = (v, i) => label({ transform: `translate(${i * CELL + 15} -8) rotate(-90)` }, v);
    if (this.rows) { this.rows.remove(); this.columns.remove(); this.corner.remove(); }
    this.rows = svg("g", { class: "labels" }, band(-this.longest, 0, this.longest, whole), ...this.order.map(rowLabel));
    this.columns = svg("g", { class: "labels" }, band(0, -this.longest, whole, this.longest), ...this.order.map(columnLabel));
    this.corner = svg("rect", { class: "band" });
    this.surface.append(this.columns, this.rows, this.corner);
  }

  // Labels stay in sight: rows at the left edge, columns at the top, however far one pans.
  follow({ x, y, k }) {
    const room = this.longest * k, left = Math.max(x, room), top = Math.max(y, room);
    this.rows.setAttribute("transform", `translate(${left} ${y}) scale(${k})`);
    this.columns.setAttribute("transform", `translate(${x} ${top}) scale(${k})`);
    fill(this.corner, { x: left - room, y: top - room, width: room, height: room }, []);
    this.surface.classList.toggle("far", k < 0.4);
  }

  fit(glide = true) {
    this.stage.fit({ left: -this.longest, top: -this.longest, right: size * CELL, bottom: size * CELL }, { glide, most: 1.4 });
  }

  cell(point) {
    const column = Math.floor(point.x / CELL), row = Math.floor(point.y / CELL);
    return row >= 0 && column >= 0 && row < size && column < size ? { row, column } : null;
  }

  point(point) {
    const cell = this.cell(point);
    const whole = size * CELL;
    this.cross.setAttribute("d", cell ? `M0,${(cell.row + 0.5) * CELL}H${whole}M${(cell.column + 0.5) * CELL},0V${whole}` : "");
    this.readout.textContent = cell ? this.describe(cell) : "";
  }

  describe({ row, column }) {
    const a = this.order[row], b = this.order[column];
    if (a === b) return names[a];
    const edge = edgeByPair.get(pairKey(a, b));
    if (!edge) return `${names[a]} and ${names[b]}: no edge`;
    if (edge.isOpen) return `${names[a]} and ${names[b]}: undecided`;
    return `${names[edge.u]} ${edge.sign} ${names[edge.v]}: ${MARK_NAMES[markAt(edge, b)]} at ${names[b]}`;
  }

  press(point) {
    const cell = this.cell(point);
    if (cell) this.moveCursor(cell, true);
    else this.choose.nothing();
  }

  moveCursor(cell, open) {
    this.cursor = cell;
    fill(this.ring, { x: cell.column * CELL, y: cell.row * CELL, visibility: "visible" }, []);
    this.stage.reveal({ x: (cell.column + 0.5) * CELL, y: (cell.row + 0.5) * CELL });
    this.readout.textContent = this.describe(cell);
    say(this.describe(cell));
    if (!open) return;
    const a = this.order[cell.row], b = this.order[cell.column], edge = edgeByPair.get(pairKey(a, b));
    if (edge) this.choose.edge(edge);
    else if (a !== b) this.choose.pair(a, b);
    else this.choose.about(a);
  }

  key(event) {
    if (stageKey(this.stage, event, () => this.fit())) return;
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const { row, column } = this.cursor || { row: 0, column: 0 };
    const within = (i) => Math.min(size - 1, Math.max(0, i));
    if (step) {
      event.preventDefault();
      this.moveCursor(this.cursor ? { row: within(row + step[0]), column: within(column + step[1]) } : { row, column }, false);
    } else if ((event.key === "Enter" || event.key === " ") && this.cursor) {
      event.preventDefault();
      this.moveCursor(this.cursor, true);
    }
  }
}
