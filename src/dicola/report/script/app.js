// The page: views, search, light and dark, and one place that knows what is chosen.

const live = html("p", { class: "unseen", role: "status", "aria-live": "polite" });
function say(text) { live.textContent = text; }

function tabList(label, entries, onchange) {
  const tabs = new Map(entries.map(([key, title]) => [key, button(title, () => select(key), { role: "tab", id: `tab-${key}`, "aria-selected": "false", tabindex: -1 })]));
  const order = [...tabs.keys()];
  let current = null;
  function select(key, focus = false) {
    if (current) fill(tabs.get(current), { "aria-selected": "false", tabindex: -1 }, []);
    current = key;
    fill(tabs.get(key), { "aria-selected": "true", tabindex: 0 }, []);
    if (focus) tabs.get(key).focus();
    onchange(key);
  }
  const element = html("div", { role: "tablist", "aria-label": label, class: "tabs", onkeydown: (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) { event.preventDefault(); select(order[(order.indexOf(current) + step + order.length) % order.length], true); }
  } }, ...tabs.values());
  return { element, select, get current() { return current; } };
}

function makeSearch(choose) {
  const input = html("input", { type: "search", id: "search", placeholder: "Search a variable", role: "combobox", "aria-label": "Search a variable", "aria-expanded": "false", "aria-controls": "hits", "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false" });
  const list = html("ul", { id: "hits", role: "listbox", hidden: true, "aria-label": "Variables found" });
  let hits = [], active = 0;
  const close = () => { list.hidden = true; input.setAttribute("aria-expanded", "false"); input.removeAttribute("aria-activedescendant"); };
  const take = (v) => { close(); input.value = ""; choose.variable(v); document.querySelector(".surface").focus(); };
  const draw = () => {
    list.replaceChildren(...hits.map((v, i) => html("li", { role: "option", id: `hit-${i}`, "aria-selected": String(i === active), title: names[v], onpointerdown: (event) => { event.preventDefault(); take(v); } }, html("span", {}, facts.shown[v]), html("small", {}, count(around[v].length, "edge")))));
    list.hidden = !input.value.trim();
    if (!hits.length) list.replaceChildren(html("li", { class: "soft" }, "No variable has this in its name."));
    input.setAttribute("aria-expanded", String(!list.hidden));
    if (hits.length) input.setAttribute("aria-activedescendant", `hit-${active}`);
  };
  input.addEventListener("input", () => {
    const wanted = input.value.trim().toLowerCase(), all = wanted ? names.map((_, v) => v).filter((v) => names[v].toLowerCase().includes(wanted)) : [];
    const rank = (v) => { const name = names[v].toLowerCase(); return name === wanted ? 0 : name.startsWith(wanted) ? 1 : 2; };
    hits = all.sort((a, b) => rank(a) - rank(b) || a - b).slice(0, 10);
    active = 0;
    draw();
  });
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && hits.length) { event.preventDefault(); active = (active + step + hits.length) % hits.length; draw(); }
    else if (event.key === "Enter" && hits.length) { event.preventDefault(); take(hits[active]); }
    else if (event.key === "Escape") { event.stopPropagation(); input.value = ""; hits = []; close(); input.blur(); }
  });
  input.addEventListener("blur", close);
  return { input, element: html("div", { class: "search" }, input, list) };
}

function makeTheme() {
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
  const control = button("", () => set(isDark() ? "light" : "dark"), { class: "theme", id: "theme" });
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const label = () => { control.textContent = isDark() ? "\u2600" : "\u263e"; fill(control, { title: isDark() ? "Light colours" : "Dark colours", "aria-label": isDark() ? "Light colours" : "Dark colours" }, []); };
  function set(theme) { root.dataset.theme = theme; label(); }
  dark.addEventListener("change", label);
  label();
  return control;
}

(function start() {
  const root = document.documentElement, main = document.querySelector("main"), title = document.querySelector("h1").textContent;
  const surfaceOf = (label) => svg("svg", { class: "surface", tabindex: 0, role: "application", "aria-label": label });
  const graphSurface = surfaceOf(`Graph of ${size} variables. Arrow keys move between variables, Enter opens one, plus and minus zoom, 0 shows all.`);
  const matrixSurface = surfaceOf("Matrix of marks. Arrow keys move between cells, Enter explains one, plus and minus zoom, 0 shows all.");
  const side = html("aside", { class: "side", "aria-label": "Explanation", tabindex: -1 }), outlineSide = html("aside", { class: "side wide", "aria-label": "Decomposition" });
  const trail = html("div", { class: "trail" });

  const choose = {
    nothing() {
      graph.mark(null);
      graph.focusOn(null);
      if (graph.light) graph.lightUp(null);
      trail.replaceChildren();
      outline.select(undefined);
      legend();
    },
    variable(v) {
      show("graph");
      if (graph.light) graph.lightUp(null);
      graph.mark(null);
      graph.focusOn(v);
      graph.cursor = `v${v}`;
      graph.paint();
      note("Neighbourhood of ", names[v]);
      panel.about(v);
      say(`${names[v]}, ${count(around[v].length, "edge")}`);
    },
    about(v) { panel.about(v); },
    edge(edge) {
      const stay = root.dataset.view === "matrix" || root.dataset.view === "graph";
      if (!stay) show("graph");
      if (graph.light) { graph.lightUp(null); trail.replaceChildren(); }
      const moved = graph.focus !== null && !(graph.itemOf[edge.u] && graph.itemOf[edge.v]);
      graph.mark(edge);
      if (moved) trail.replaceChildren();
      if (!stay || moved) graph.reveal(edge);
      panel.edge(edge);
      say(`${names[edge.u]} ${edge.sign} ${names[edge.v]}. ${words(edge)}`);
    },
    bundle(list) { panel.bundle(list); },
    pair(x, y) {
      if (root.dataset.view === "tables") {
        show("graph");
        light(new Map([[x, "lit"], [y, "lit"], ...((separation(x, y) || {}).set || []).map((v) => [v, "separator"])]), "Separating set of ", `${names[x]}, ${names[y]}`);
      }
      panel.pair(x, y);
    },
    node(number) {
      show("tree");
      outline.reveal(number);
      const node = tree[number];
      const parts = node.isLeaf ? node.variables.map((v) => [v, "lit"])
        : [...node.sides[0].map((v) => [v, "left"]), ...node.sides[1].map((v) => [v, "right"]), ...node.separator.map((v) => [v, "separator"])];
      light(new Map(parts), node.isLeaf ? "Leaf " : "Split ", String(number), node);
    },
  };

  function note(text, name, ...more) {
    const back = button("\u2190 Whole graph", () => { choose.nothing(); graphSurface.focus(); }, { class: "back" });
    trail.replaceChildren(back, html("span", {}, text, html("b", {}, name)), ...more);
  }

  function light(map, text, name, node) {
    graph.mark(null);
    graph.lightUp(map);
    const key = node && !node.isLeaf ? ["left", "separator", "right"].map((part) => html("span", { class: `key ${part}` }, part)) : [];
    note(text, name, ...key);
  }

  const graph = new Graph(graphSurface, { choose }), panel = new Panel(side, { choose }), outline = new Outline(outlineSide, { choose });
  const lazy = {};
  const place = { graph: html("div", { class: "canvas" }, graphSurface, trail), matrix: html("div", { class: "canvas" }, matrixSurface), tables: html("section", { class: "tables", "aria-label": "Tables" }) };
  const folds = facts.communities.length ? [button("Fold", () => graph.fold(facts.communities.map((_, i) => i), true), { title: "Fold all communities" }), button("Unfold", () => graph.fold(facts.communities.map((_, i) => i), false), { title: "Unfold all communities" })] : [];
  place.graph.append(stageButtons(graph.stage, () => graph.fit(), folds));
  const body = html("div", { class: "body" }, outlineSide, place.graph, place.matrix, side, place.tables);
  const views = [["graph", "Graph"], ["matrix", "Matrix"], ["tree", "Decomposition"], ["tables", "Tables"], ["summary", "Summary"]];
  const tabs = tabList("Views", views, (view) => enter(view));

  function legend() {
    if (root.dataset.view === "matrix") panel.matrixLegend();
    else panel.legend();
  }

  function show(view) { if (tabs.current !== view) tabs.select(view); }

  function enter(view) {
    const before = root.dataset.view;
    root.dataset.view = view;
    if (view === "matrix" && !lazy.matrix) {
      lazy.matrix = new Matrix(matrixSurface, { choose });
      const order = facts.communities.length ? [html("label", {}, "Order ", html("select", { onchange: (event) => lazy.matrix.arrange(event.target.value === "community") }, html("option", { value: "name" }, "by name"), html("option", { value: "community" }, "by community")))] : [];
      place.matrix.append(lazy.matrix.readout, stageButtons(lazy.matrix.stage, () => lazy.matrix.fit(), order));
      lazy.matrix.fit(false);
    }
    if (view === "tables" && !lazy.tables) {
      lazy.tables = makeTables(place.tables, { choose });
      lazy.tables.select("edges");
    }
    if (before !== view && !graph.chosen && graph.focus === null) legend();
    if ((view === "graph" || view === "tree") && before !== view) requestAnimationFrame(() => { if (!graph.light && graph.focus === null && !graph.chosen) graph.fit(false); });
  }

  const search = makeSearch(choose);
  const care = facts.care.length ? button(count(facts.care.length, "note"), () => show("summary"), { class: "chip care", title: facts.care.join("\n") }) : null;
  const bar = html("header", { class: "app" },
    html("div", { class: "brand" }, html("strong", {}, title), html("span", {}, facts.about.join(" \u00b7 ")), care),
    tabs.element, html("div", { class: "controls" }, search.element, makeTheme()));
  document.body.prepend(bar, body, live);
  root.classList.add("live");
  main.tabIndex = -1;

  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) { event.preventDefault(); search.input.focus(); }
    if (event.key === "Escape" && !typing) choose.nothing();
  });
  tabs.select("graph");
  graph.fit(false);
  let width = innerWidth, height = innerHeight;
  addEventListener("resize", later(() => {
    if (Math.abs(innerWidth - width) < 40 && Math.abs(innerHeight - height) < 160) return;
    width = innerWidth;
    height = innerHeight;
    if (root.dataset.view === "matrix") lazy.matrix.fit(false);
    else if (root.dataset.view === "graph" || root.dataset.view === "tree") graph.fit(false);
  }));
})();
