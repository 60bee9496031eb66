// The PAG: variables as boxes, folded communities as large boxes, and everything one can do to them.

const READABLE = 160; // variables that may be unfolded to bring some of them out
const TRAIL = 44; // pixels at the top that the way back covers

class Graph {
  constructor(surface, { choose }) {
    this.surface = surface;
    this.choose = choose; // told what was chosen: choose.variable(v), .edge(edge), .bundle(edges), .nothing()
    this.places = facts.boxes.map(([x, y, w]) => ({ x, y, w, h: BOX_HEIGHT }));
    this.folded = new Set(facts.folded);
    this.focus = null;
    this.light = null; // variable -> "lit" | "left" | "right" | "separator"
    this.chosen = null;
    this.cursor = null;
    this.drawnAt = 1;
    this.floor = 0; // edges that came more rarely in a bootstrap are not drawn
    this.stage = new Stage(surface, { grab: (event, point) => this.grab(event, point), onmove: ({ k }) => this.zoomed(k) });
    this.layers = { grounds: svg("g"), lines: svg("g"), boxes: svg("g") };
    this.stage.world.append(...Object.values(this.layers));
    surface.addEventListener("keydown", (event) => this.key(event));
    surface.addEventListener("pointerover", (event) => this.hover(event.target.closest("[data-item]")));
    surface.addEventListener("pointerleave", () => this.hover(null));
    this.draw();
  }

  // What stands on the stage now: one item a variable or folded community, in `items`; single edges and bundles of edges in `ties`.
  arrange() {
    this.items = new Map();
    this.itemOf = new Array(size).fill(null);
    if (this.focus !== null) {
      for (const [v, place] of neighbourhood(this.focus, this.places)) this.addVariable(v, place);
    } else {
      facts.communities.forEach((members, number) => { if (this.folded.has(number)) this.addCommunity(number, members); });
      names.forEach((_, v) => { if (!this.itemOf[v]) this.addVariable(v, this.places[v]); });
    }
    const ties = new Map();
    for (const edge of edges) {
      const a = this.itemOf[edge.u], b = this.itemOf[edge.v];
      if (!a || !b || a === b || hidden.has(edge.id) || (this.floor && oftenOf(edge).adjacent < this.floor)) continue;
      const key = a.key < b.key ? `${a.key} ${b.key}` : `${b.key} ${a.key}`;
      if (!ties.has(key)) ties.set(key, { a, b, edges: [] });
      ties.get(key).edges.push(edge);
    }
    this.ties = [...ties.values()];
    for (const tie of this.ties) { tie.a.ties.push(tie); tie.b.ties.push(tie); }
  }

  addVariable(v, box) {
    const item = { key: `v${v}`, variable: v, box, ties: [] };
    this.items.set(item.key, item);
    this.itemOf[v] = item;
  }

  addCommunity(number, members) {
    const { box } = boundsOf(members.map((v) => this.places[v]), 8); // smaller than what it holds, so that the edges around it show
    Object.assign(box, { w: Math.max(0.74 * box.w, 160), h: Math.max(0.6 * box.h, 70) });
    const item = { key: `c${number}`, community: number, members, box, ties: [] };
    this.items.set(item.key, item);
    members.forEach((v) => { this.itemOf[v] = item; });
  }

  draw() {
    this.arrange();
    this.layers.grounds.replaceChildren(...this.openCommunities());
    this.ties.forEach((tie, number) => this.buildTie(tie, number));
    this.layers.lines.replaceChildren(...this.ties.map((tie) => tie.group));
    for (const item of this.items.values()) this.buildItem(item);
    this.layers.boxes.replaceChildren(...[...this.items.values()].map((item) => item.group));
    this.paint();
  }

  openCommunities() {
    this.grounds = [];
    if (this.focus !== null) return [];
    facts.communities.forEach((members, number) => {
      if (this.folded.has(number)) return;
      const frame = svg("rect", { class: "frame", rx: 14 }), sign = svg("text", {}, `\u2212 fold ${count(members.length, "variable")}`);
      const title = svg("title", {}, `Fold these ${members.length} variables into one box`);
      const group = svg("g", { class: "ground", "data-fold": number }, title, frame, sign);
      this.grounds.push({ number, members, frame, sign, group });
    });
    this.grounds.forEach((ground) => this.placeGround(ground));
    return this.grounds.map((ground) => ground.group);
  }

  placeGround({ members, frame, sign }) {
    const { left, top, box } = boundsOf(members.map((v) => this.places[v]), 16);
    fill(frame, { x: round(left), y: round(top), width: round(box.w), height: round(box.h) }, []);
    fill(sign, { x: round(left + 12), y: round(top - 8) }, []);
  }

  buildItem(item) {
    const group = svg("g", { "data-item": item.key, id: `item-${item.key}` });
    if (item.members) {
      const [first, ...rest] = communityNames[item.community], title = [first, ...rest].join(", ");
      group.classList.add("community");
      const room = item.box.w * 0.86, em = Math.min(item.box.h * 0.28, room / Math.max(0.66 * (first.length + 2), 5.6));
      group.append(svg("title", {}, `${count(item.members.length, "variable")}: ${title}, \u2026 Click to unfold.`),
        svg("rect", { rx: Math.min(40, item.box.h * 0.12), x: -item.box.w / 2, y: -item.box.h / 2, width: item.box.w, height: item.box.h }),
        svg("text", { class: "name", "font-size": round(em), y: round(-em * 0.15) }, `${first} \u2026`),
        svg("text", { class: "tally", "font-size": round(em * 0.72), y: round(em * 1.05) }, count(item.members.length, "variable")));
    } else {
      const v = item.variable;
      group.classList.add("node");
      if (v === this.focus) group.classList.add("focus");
      if (!facts.names[v].trim()) group.classList.add("nameless");
      group.append(svg("title", {}, names[v]),
        svg("rect", { rx: CORNER, x: -item.box.w / 2, y: -item.box.h / 2, width: item.box.w, height: item.box.h }),
        svg("text", { y: 4.5 }, facts.shown[v]));
    }
    item.group = group;
    this.placeItem(item);
  }

  placeItem(item) { item.group.setAttribute("transform", `translate(${round(item.box.x)} ${round(item.box.y)})`); }

  buildTie(tie, number) {
    const single = tie.edges.length === 1 ? tie.edges[0] : null;
    const [edge] = tie.edges;
    tie.mixed = !single;
    tie.paths = edgePaths(single || {});
    const title = single ? `${names[edge.u]} ${edge.sign} ${names[edge.v]}` : count(tie.edges.length, "edge");
    const kind = single ? edge.kind : "bundle";
    tie.group = svg("g", { class: `edge ${kind}`, "data-tie": number }, svg("title", {}, title), ...tie.paths);
    tie.coarse = Boolean(tie.a.members || tie.b.members);
    tie.group.classList.toggle("coarse", tie.coarse);
    tie.group.classList.toggle("undecided", tie.edges.every(({ isOpen }) => isOpen));
    if (tie.mixed) tie.paths[1].style.strokeWidth = round(1.6 + 0.8 * Math.log2(tie.edges.length));
    else if (facts.drawn) this.shade(tie, edge);
    this.placeTie(tie);
  }

  // The surer, the thicker and darker: the line by how often the edge came, each mark by how often it did.
  shade(tie, edge) {
    const { adjacent, marks } = oftenOf(edge), [, line, ...ends] = tie.paths, opacity = (share) => round(0.2 + 0.8 * share);
    line.style.setProperty("--width", round(0.8 + 2 * adjacent));
    line.style.setProperty("--sure", opacity(adjacent));
    ends.forEach((path, i) => path.style.setProperty("--sure", opacity(marks[i])));
  }

  // Draw only edges that came in this share of the tables at least.
  raise(floor) {
    this.floor = floor;
    this.draw();
  }

  placeTie(tie) {
    if (tie.mixed) { shapeEdge(tie.paths, tie.a.box, tie.b.box, {}); return; }
    const [edge] = tie.edges, forward = this.itemOf[edge.u] === tie.a, whole = !tie.a.members && !tie.b.members && this.focus === null;
    const [from, to] = forward ? [tie.a, tie.b] : [tie.b, tie.a];
    const bend = whole && !tie.a.moved && !tie.b.moved ? edge.bend : 0;
    shapeEdge(tie.paths, from.box, to.box, { ...edge, bend, scale: tie.coarse ? this.markScale() : 1 });
  }

  // Marks at folded communities keep their size on the screen when one looks from afar.
  markScale() { return Math.min(12, Math.max(1, 1 / this.stage.view.k)); }

  zoomed(k) {
    this.surface.classList.toggle("far", k < 0.3);
    if (!this.ties || Math.abs(Math.log(k / this.drawnAt)) < 0.1) return;
    this.drawnAt = k;
    this.ties.filter((tie) => tie.coarse).forEach((tie) => this.placeTie(tie));
  }

  // Classes that say what is chosen, lit or pointed at; nothing moves.
  paint() {
    const light = this.light;
    this.surface.classList.toggle("lighting", Boolean(light));
    for (const item of this.items.values()) {
      item.state = !light ? null : item.members ? commonest(item.members.map((v) => light.get(v))) : light.get(item.variable) || null;
      for (const state of ["lit", "left", "right", "separator"]) item.group.classList.toggle(state, item.state === state);
      item.group.classList.toggle("unlit", Boolean(light) && !item.state);
      item.group.classList.toggle("cursor", this.cursor === item.key);
    }
    for (const tie of this.ties) {
      tie.group.classList.toggle("unlit", Boolean(light) && !(tie.a.state && tie.b.state));
      tie.group.classList.toggle("chosen", tie.edges.includes(this.chosen));
    }
  }

  hover(element) {
    const item = element ? this.items.get(element.dataset.item) : null;
    if (item === this.hovered) return;
    this.hovered = item;
    for (const tie of this.ties) tie.group.classList.toggle("near", Boolean(item) && (tie.a === item || tie.b === item));
  }

  grab(event, start) {
    const [itemElement, tieElement, fold] = ["[data-item]", "[data-tie]", "[data-fold]"].map((own) => event.target.closest(own));
    if (itemElement) {
      const item = this.items.get(itemElement.dataset.item);
      let last = start;
      return {
        move: (point) => { this.shift(item, point.x - last.x, point.y - last.y); last = point; },
        click: () => this.open(item),
      };
    }
    if (tieElement) return { click: () => this.openTie(this.ties[Number(tieElement.dataset.tie)]) };
    if (fold) return { click: () => this.fold([Number(fold.dataset.fold)], true) };
    return { click: () => this.choose.nothing() };
  }

  shift(item, dx, dy) {
    const moved = (box) => ({ ...box, x: box.x + dx, y: box.y + dy });
    item.moved = true;
    item.box = moved(item.box);
    if (item.members) item.members.forEach((v) => { this.places[v] = moved(this.places[v]); });
    else if (this.focus === null) this.places[item.variable] = item.box;
    this.placeItem(item);
    item.ties.forEach((tie) => this.placeTie(tie));
    const ground = item.members ? null : this.grounds.find(({ number }) => number === communityOf[item.variable]);
    if (ground) this.placeGround(ground);
  }

  open(item) {
    this.cursor = item.key;
    if (item.members) this.fold([item.community], false);
    else this.choose.variable(item.variable);
  }

  openTie(tie) {
    if (tie.edges.length === 1) this.choose.edge(tie.edges[0]);
    else this.choose.bundle(tie.edges);
  }

  fold(numbers, folded) {
    for (const number of numbers) {
      if (folded) this.folded.add(number);
      else this.folded.delete(number);
    }
    this.draw();
    if (numbers.length > 1) this.fit();
    else this.stage.fit(boundsOf(facts.communities[numbers[0]].map((v) => this.places[v]), folded ? 400 : 60), { glide: true, most: 1 });
  }

  fit(glide = true) {
    const above = this.focus === null && !this.light ? 0 : TRAIL;
    this.stage.fit(boundsOf([...this.items.values()].map((item) => item.box), 12), { glide, most: 1.5, above });
  }

  // Only a variable and its neighbours; null for the whole graph.
  focusOn(v) {
    if (this.focus === v) return;
    if (this.focus === null) this.whole = this.stage.view;
    this.focus = v;
    this.draw();
    if (v === null && this.whole) this.stage.glide(this.whole);
    else this.fit();
  }

  // Bring out some variables of the whole graph, unfolding what hides them where that stays readable.
  lightUp(light) {
    this.light = light;
    if (light) {
      this.focus = null;
      const hidden = [...new Set([...light.keys()].map((v) => communityOf[v]))].filter((number) => this.folded.has(number));
      const more = hidden.reduce((sum, number) => sum + facts.communities[number].length, 0);
      if (more <= READABLE) hidden.forEach((number) => this.folded.delete(number));
    }
    this.draw();
    if (!light) return;
    const shown = [...this.items.values()].filter((item) => item.state);
    this.stage.fit(boundsOf(shown.map((item) => item.box), 40), { glide: true, most: 1, above: TRAIL });
  }

  mark(edge) {
    this.chosen = edge;
    if (edge && this.focus !== null && !(this.itemOf[edge.u] && this.itemOf[edge.v])) this.focusOn(null);
    if (edge) {
      const hidden = [edge.u, edge.v].map((v) => communityOf[v]).filter((number) => this.folded.has(number));
      if (hidden.length && this.focus === null && this.itemOf[edge.u] === this.itemOf[edge.v]) {
        hidden.forEach((number) => this.folded.delete(number));
        this.draw();
      }
    }
    this.paint();
  }

  reveal(edge) { this.stage.fit(boundsOf([this.itemOf[edge.u].box, this.itemOf[edge.v].box], 120), { glide: true, most: 1 }); }

  key(event) {
    if (stageKey(this.stage, event, () => this.fit())) return;
    const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const current = this.items.get(this.cursor);
    if (directions[event.key]) {
      event.preventDefault();
      this.moveCursor(current ? nearest([...this.items.values()], current, directions[event.key]) : this.firstInSight());
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (current) this.open(current);
    }
  }

  firstInSight() {
    const box = this.stage.box, { x, y, k } = this.stage.view, middle = { x: (box.width / 2 - x) / k, y: (box.height / 2 - y) / k };
    const distance = ({ box: own }) => Math.hypot(own.x - middle.x, own.y - middle.y);
    return [...this.items.values()].sort((a, b) => distance(a) - distance(b))[0];
  }

  moveCursor(item) {
    if (!item) return;
    this.cursor = item.key;
    this.paint();
    this.stage.reveal(item.box);
    const { members, variable, community } = item;
    if (members) say(`${count(members.length, "variable")} folded: ${communityNames[community].join(", ")}`);
    else say(`${names[variable]}, ${count(around[variable].length, "edge")}`);
  }
}

// The part to which most members of a folded community belong; a separator inside it does not colour the whole.
function commonest(states) {
  const tally = (state) => states.filter((own) => own === state).length;
  const [best] = ["lit", "left", "right"].sort((a, b) => tally(b) - tally(a));
  return tally(best) ? best : states.includes("separator") ? "lit" : null;
}

function boundsOf(boxes, margin) {
  if (!boxes.length) return null;
  const left = Math.min(...boxes.map((b) => b.x - b.w / 2)) - margin, right = Math.max(...boxes.map((b) => b.x + b.w / 2)) + margin;
  const top = Math.min(...boxes.map((b) => b.y - b.h / 2)) - margin, bottom = Math.max(...boxes.map((b) => b.y + b.h / 2)) + margin;
  return { left, right, top, bottom, box: { x: (left + right) / 2, y: (top + bottom) / 2, w: right - left, h: bottom - top } };
}

// The item that lies nearest in a direction, counting what lies aside double.
function nearest(items, from, [dx, dy]) {
  let best = null, least = Infinity;
  for (const item of items) {
    const x = item.box.x - from.box.x, y = item.box.y - from.box.y, ahead = x * dx + y * dy, aside = Math.abs(x * dy - y * dx);
    if (item === from || ahead <= aside * 0.5 || ahead + 2 * aside >= least) continue;
    best = item;
    least = ahead + 2 * aside;
  }
  return best;
}

// A variable in the middle and its neighbours around it, in the directions in which they lie in the whole drawing.
function neighbourhood(v, places) {
  const centre = places[v], others = around[v].map((edge) => otherEnd(edge, v));
  const angle = (w) => Math.atan2(places[w].y - centre.y, places[w].x - centre.x);
  others.sort((a, b) => angle(a) - angle(b) || a - b);
  const widest = Math.max(centre.w, ...others.map((w) => places[w].w)), rings = Math.ceil(others.length / 16);
  const found = new Map([[v, { ...centre, x: 0, y: 0 }]]);
  others.forEach((w, i) => {
    const turn = (others.length ? angle(others[0]) : 0) + (2 * Math.PI * i) / others.length, ring = 1 + (i % rings) * 0.75;
    const across = ring * Math.max(widest + 70, 26 * Math.min(others.length, 16));
    const down = ring * Math.max(130, 16 * Math.min(others.length, 16));
    found.set(w, { ...places[w], x: across * Math.cos(turn), y: down * Math.sin(turn) });
  });
  const boxes = [...found.values()];
  for (let pass = 0, crowded = true; crowded && pass < 200; pass += 1) {
    crowded = false;
    for (const a of boxes) {
      for (const b of boxes) {
        const lackX = (a.w + b.w) / 2 + 18 - Math.abs(b.x - a.x), lackY = (a.h + b.h) / 2 + 22 - Math.abs(b.y - a.y);
        if (a === b || b === boxes[0] || lackX <= 0 || lackY <= 0) continue;
        crowded = true;
        if (lackX < lackY) b.x += (b.x < a.x ? -1 : 1) * (lackX + 0.1);
        else b.y += (b.y < a.y ? -1 : 1) * (lackY + 0.1);
      }
    }
  }
  return found;
}
