// A surface to pan and zoom: wheel, pinch, drag, and the view that shows a given rectangle.

class Stage {
  // `grab(event, point)` may answer with { move, drop, click } to take a press over; a press on nothing pans.
  constructor(surface, { grab, onmove = () => {} }) {
    this.surface = surface;
    this.world = svg("g", { class: "world" });
    this.surface.append(this.world);
    this.grab = grab;
    this.onmove = onmove;
    this.view = { x: 0, y: 0, k: 1 };
    this.pointers = new Map();
    this.held = null;
    surface.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    surface.addEventListener("pointerdown", (event) => this.press(event));
    surface.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) surface.addEventListener(end, (event) => this.release(event));
  }

  get box() { return this.surface.getBoundingClientRect(); }

  point(event) {
    const box = this.box;
    return { x: (event.clientX - box.left - this.view.x) / this.view.k, y: (event.clientY - box.top - this.view.y) / this.view.k };
  }

  show(view) {
    this.view = view;
    this.world.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.k})`);
    this.onmove(view);
  }

  glide(view) {
    cancelAnimationFrame(this.frame);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) { this.show(view); return; }
    const from = this.view, start = performance.now();
    const step = (now) => {
      const t = Math.min(1, (now - start) / 220), ease = 1 - (1 - t) ** 3;
      this.show({ x: from.x + (view.x - from.x) * ease, y: from.y + (view.y - from.y) * ease, k: from.k + (view.k - from.k) * ease });
      if (t < 1) this.frame = requestAnimationFrame(step);
    };
    this.frame = requestAnimationFrame(step);
  }

  // Show the rectangle { left, top, right, bottom } of the world, no larger than `most` times its own size, below what lies `above` it.
  fit(bounds, { most = 1.5, glide = false, above = 0 } = {}) {
    const box = this.box, margin = Math.min(28, box.width * 0.04), tools = 40;
    if (!box.width || !bounds) return;
    const width = Math.max(bounds.right - bounds.left, 1), height = Math.max(bounds.bottom - bounds.top, 1);
    const k = Math.min(most, (box.width - 2 * margin) / width, (box.height - above - tools - 2 * margin) / height);
    const x = (box.width - k * (bounds.left + bounds.right)) / 2, y = (box.height + above - tools - k * (bounds.top + bounds.bottom)) / 2;
    const view = { x, y, k };
    if (glide) this.glide(view);
    else this.show(view);
  }

  zoom(factor, at = { x: this.box.width / 2, y: this.box.height / 2 }) {
    const { x, y, k } = this.view, next = Math.min(8, Math.max(0.01, k * factor));
    this.show({ k: next, x: at.x - ((at.x - x) * next) / k, y: at.y - ((at.y - y) * next) / k });
  }

  pan(dx, dy) { this.show({ ...this.view, x: this.view.x + dx, y: this.view.y + dy }); }

  // Pan just enough that a point of the world is in sight.
  reveal(point) {
    const box = this.box, { x, y, k } = this.view, margin = 60;
    const px = point.x * k + x, py = point.y * k + y;
    const dx = px < margin ? margin - px : px > box.width - margin ? box.width - margin - px : 0;
    const dy = py < margin ? margin - py : py > box.height - margin ? box.height - margin - py : 0;
    if (dx || dy) this.pan(dx, dy);
  }

  wheel(event) {
    event.preventDefault();
    const box = this.box, pixels = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
    this.zoom(Math.exp(-pixels * (event.ctrlKey ? 0.01 : 0.0016)), { x: event.clientX - box.left, y: event.clientY - box.top });
  }

  press(event) {
    if (event.button) return;
    cancelAnimationFrame(this.frame);
    this.surface.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.pointers.size === 2) { this.held = null; return; }
    this.start = { x: event.clientX, y: event.clientY };
    this.moved = false;
    this.held = this.grab(event, this.point(event));
  }

  drag(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1], box = this.box;
      const span = (p) => Math.hypot(p.x - other.x, p.y - other.y) || 1;
      this.zoom(span(now) / span(before), { x: (now.x + other.x) / 2 - box.left, y: (now.y + other.y) / 2 - box.top });
      this.moved = true;
    } else {
      this.moved = this.moved || Math.hypot(now.x - this.start.x, now.y - this.start.y) > 4;
      if (this.moved && this.held && this.held.move) this.held.move(this.point(event));
      else if (this.moved) this.pan(now.x - before.x, now.y - before.y);
    }
    this.pointers.set(event.pointerId, now);
  }

  release(event) {
    if (!this.pointers.delete(event.pointerId) || this.pointers.size) return;
    const held = this.held;
    this.held = null;
    if (!held || event.type === "pointercancel") return;
    if (!this.moved && held.click) held.click();
  }
}

function stageButtons(stage, fit, more = []) {
  const tool = (label, title, onclick) => button(label, onclick, { title, "aria-label": title });
  return html("div", { class: "tools", role: "group", "aria-label": "Zoom" }, ...more,
    tool("+", "Zoom in", () => stage.zoom(1.35)), tool("\u2212", "Zoom out", () => stage.zoom(1 / 1.35)), tool("Fit", "Show all", fit));
}

// Plus, minus, 0 and Shift with the arrows; answers whether the key was meant for the stage.
function stageKey(stage, event, fit) {
  const arrows = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.key === "+" || event.key === "=") stage.zoom(1.35);
  else if (event.key === "-") stage.zoom(1 / 1.35);
  else if (event.key === "0") fit();
  else if (event.shiftKey && arrows[event.key]) stage.pan(...arrows[event.key]);
  else return false;
  event.preventDefault();
  return true;
}
