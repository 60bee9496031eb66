// The page: views, search, light and dark, and one place that knows what is chosen.

const live = html("p", { class: "unseen", role: "status", "aria-live": "polite" });
function say(text) { live.textContent = text; }

function tabList(label, entries, onchange) {
  const tab = (key, title) => button(title, () => select(key), { role: "tab", id: `tab-${key}`, "aria-selected": "false", tabindex: -1 });
  const tabs = new Map(entries.map(([key, title]) => [key, tab(key, title)]));
  const order = [...tabs.keys()];
  let current = null;
  function select(key, focus = false) {
    if (current) fill(tabs.get(current), { "aria-selected": "false", tabindex: -1 }, []);
    current = key;
    fill(tabs.get(key), { "aria-selected": "true", tabindex: 0 }, []);
    if (focus) tabs.get(key).focus();
    onchange(key);
  }
  const onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    select(order[(order.indexOf(current) + step + order.length) % order.length], true);
  };
  const element = html("div", { role: "tablist", "aria-label": label, class: "tabs", onkeydown }, ...tabs.values());
  return { element, select, get current() { return current; } };
}

// A box that suggests variables as one types: those that are, begin with, or hold the text.
function makeSearch(choose) {
  const input = html("input", {
    type: "search", id: "search", placeholder: "Search a variable", "aria-label": "Search a variable",
    autocomplete: "off", spellcheck: "false", role: "combobox",
    "aria-expanded": "false", "aria-controls": "hits", "aria-autocomplete": "list",
  });
  const list = html("ul", { id: "hits", role: "listbox", hidden: true, "aria-label": "Variables found" });
  let hits = [], active = 0;

  function close() {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }
  function take(v) {
    close();
    input.value = "";
    choose.variable(v);
    document.querySelector(".surface").focus();
  }
  function option(v, i) {
    const onpointerdown = (event) => {
      event.preventDefault();
      take(v);
    };
    return html("li", { role: "option", id: `hit-${i}`, "aria-selected": String(i === active), title: names[v], onpointerdown },
      html("span", {}, facts.shown[v]), html("small", {}, count(around[v].length, "edge")));
  }
  function draw() {
    const nothing = html("li", { class: "soft" }, "No variable has this in its name.");
    list.replaceChildren(...(hits.length ? hits.map(option) : [nothing]));
    list.hidden = !input.value.trim();
    input.setAttribute("aria-expanded", String(!list.hidden));
    if (hits.length) input.setAttribute("aria-activedescendant", `hit-${active}`);
  }
  function find() {
    const wanted = input.value.trim().toLowerCase();
    const rank = (name) => (name === wanted ? 0 : name.startsWith(wanted) ? 1 : name.includes(wanted) ? 2 : 3);
    const ranked = names.map((name, v) => [rank(name.toLowerCase()), v]).filter(([own]) => wanted && own < 3);
    hits = ranked.sort((a, b) => a[0] - b[0] || a[1] - b[1]).slice(0, 10).map(([, v]) => v);
    active = 0;
    draw();
  }
  function key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && hits.length) {
      active = (active + step + hits.length) % hits.length;
      draw();
    } else if (event.key === "Enter" && hits.length) {
      take(hits[active]);
    } else if (event.key === "Escape") {
      input.value = "";
      hits = [];
      close();
      input.blur();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
  input.addEventListener("input", find);
  input.addEventListener("keydown", key);
  input.addEventListener("blur", close);
  return { input, element: html("div", { class: "search" }, input, list) };
}

// A slider that hides edges which came in few tables of a bootstrap.
function makeFloor(graph) {
  const shares = edges.map((edge) => oftenOf(edge).adjacent), told = html("output", { for: "floor" });
  const slider = html("input", { type: "range", id: "floor", min: 0, max: 100, value: 0, step: 1, "aria-label": "Hide edges below a frequency" });
  const tell = () => {
    const floor = Number(slider.value) / 100, left = shares.filter((share) => share >= floor).length;
    told.textContent = `${percent(floor)}: ${left} of ${count(shares.length, "edge")}`;
    return floor;
  };
  slider.addEventListener("input", () => graph.raise(tell()));
  tell();
  const title = `How often an edge came in ${count(facts.drawn.tables, "table")} drawn from the rows`;
  return html("label", { class: "floor", title }, "Edges in at least ", slider, told);
}

// The page follows the system until the button is pressed.
function makeTheme() {
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const turn = () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    label();
  };
  const control = button("", turn, { class: "theme", id: "theme" });
  function label() {
    const offer = isDark() ? "Light colours" : "Dark colours";
    control.textContent = isDark() ? "\u2600" : "\u263e";
    fill(control, { title: offer, "aria-label": offer }, []);
  }
  dark.addEventListener("change", label);
  label();
  return control;
}

(function start() {
  const root = document.documentElement, title = document.querySelector("h1").textContent;
  const surfaceOf = (label) => svg("svg", { class: "surface", tabindex: 0, role: "application", "aria-label": label });
  const zoomKeys = "plus and minus zoom, 0 shows all.";
  const graphSurface = surfaceOf(`Graph of ${count(size, "variable")}. Arrow keys move between variables, Enter opens one, ${zoomKeys}`);
  const matrixSurface = surfaceOf(`Matrix of marks. Arrow keys move between cells, Enter explains one, ${zoomKeys}`);
  const side = html("aside", { class: "side", "aria-label": "Explanation", tabindex: -1 });
  const outlineSide = html("aside", { class: "side wide", "aria-label": "Decomposition" });
  const trail = html("div", { class: "trail" });
  const place = {
    graph: html("div", { class: "canvas" }, graphSurface, trail),
    matrix: html("div", { class: "canvas" }, matrixSurface),
    tables: html("section", { class: "tables", "aria-label": "Tables" }),
  };

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
      const stays = root.dataset.view === "matrix" || root.dataset.view === "graph";
      if (!stays) show("graph");
      const isHidden = graph.light || (graph.focus !== null && !(graph.itemOf[edge.u] && graph.itemOf[edge.v]));
      if (graph.light) graph.lightUp(null);
      graph.mark(edge);
      if (isHidden) trail.replaceChildren();
      if (!stays || isHidden) graph.reveal(edge);
      panel.edge(edge);
      say(`${names[edge.u]} ${edge.sign} ${names[edge.v]}. ${words(edge)}`);
    },
    bundle(list) { panel.bundle(list); },
    pair(x, y) {
      if (root.dataset.view === "tables") {
        const { set } = separation(x, y) || { set: [] };
        show("graph");
        light([...[x, y].map((v) => [v, "lit"]), ...set.map((v) => [v, "separator"])], "Separating set of ", `${names[x]}, ${names[y]}`);
      }
      panel.pair(x, y);
    },
    node(number) {
      const { isLeaf, variables, separator, sides } = tree[number], each = (list, state) => list.map((v) => [v, state]);
      show("tree");
      outline.reveal(number);
      if (isLeaf) light(each(variables, "lit"), "Leaf ", String(number));
      else light([...each(sides[0], "left"), ...each(sides[1], "right"), ...each(separator, "separator")], "Split ", String(number));
    },
  };

  // What the stage shows instead of the whole graph, with the way back to it.
  function note(text, name, ...more) {
    const goBack = () => {
      choose.nothing();
      graphSurface.focus();
    };
    trail.replaceChildren(button("\u2190 Whole graph", goBack, { class: "back" }), html("span", {}, text, html("b", {}, name)), ...more);
  }

  function light(states, text, name) {
    graph.mark(null);
    graph.lightUp(new Map(states));
    const parts = ["left", "separator", "right"].filter((part) => states.some(([, state]) => state === part));
    note(text, name, ...parts.map((part) => html("span", { class: `key ${part}` }, part)));
  }

  function legend() {
    if (root.dataset.view === "matrix") panel.matrixLegend();
    else panel.legend();
  }

  const graph = new Graph(graphSurface, { choose }), panel = new Panel(side, { choose }), outline = new Outline(outlineSide, { choose });
  const every = facts.communities.map((_, number) => number);
  const folds = [
    button("Fold", () => graph.fold(every, true), { title: "Fold all communities" }),
    button("Unfold", () => graph.fold(every, false), { title: "Unfold all communities" }),
  ];
  place.graph.append(stageButtons(graph.stage, () => graph.fit(), every.length ? folds : []));

  if (facts.drawn) place.graph.append(makeFloor(graph));

  let matrix = null, tables = null;
  function openMatrix() {
    matrix = new Matrix(matrixSurface, { choose });
    const onchange = (event) => matrix.arrange(event.target.value === "community");
    const orders = [html("option", { value: "name" }, "by name"), html("option", { value: "community" }, "by community")];
    const order = html("label", {}, "Order ", html("select", { onchange }, ...orders));
    place.matrix.append(matrix.readout, stageButtons(matrix.stage, () => matrix.fit(), every.length ? [order] : []));
    matrix.fit(false);
  }
  function openTables() {
    tables = makeTables(place.tables, { choose });
    tables.select("edges");
  }
  function isWhole() { return !graph.light && graph.focus === null && !graph.chosen; }
  function enter(view) {
    const before = root.dataset.view;
    root.dataset.view = view;
    if (view === "matrix" && !matrix) openMatrix();
    if (view === "tables" && !tables) openTables();
    if (before === view) return;
    if (!graph.chosen && graph.focus === null) legend();
    if (view === "graph" || view === "tree") requestAnimationFrame(() => { if (isWhole()) graph.fit(false); });
  }
  const views = { graph: "Graph", matrix: "Matrix", tree: "Decomposition", tables: "Tables", summary: "Summary" };
  const tabs = tabList("Views", Object.entries(views), enter);
  function show(view) { if (tabs.current !== view) tabs.select(view); }

  const search = makeSearch(choose);
  const notes = button(count(facts.care.length, "note"), () => show("summary"), { class: "chip care", title: facts.care.join("\n") });
  const about = [html("strong", {}, title), html("span", {}, facts.about.join(" \u00b7 ")), facts.care.length ? notes : null];
  const bar = html("header", { class: "app" },
    html("div", { class: "brand" }, ...about),
    tabs.element,
    html("div", { class: "controls" }, search.element, makeTheme()));
  document.body.prepend(bar, html("div", { class: "body" }, outlineSide, place.graph, place.matrix, side, place.tables), live);
  root.classList.add("live");
  tabs.select("graph");
  graph.fit(false);

  document.addEventListener("keydown", (event) => {
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (isTyping || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") choose.nothing();
    if (event.key !== "/") return;
    event.preventDefault();
    search.input.focus();
  });
  let width = innerWidth, height = innerHeight;
  addEventListener("resize", later(() => {
    if (Math.abs(innerWidth - width) < 40 && Math.abs(innerHeight - height) < 160) return; // a phone's bar that comes and goes
    [width, height] = [innerWidth, innerHeight];
    if (root.dataset.view === "matrix") matrix.fit(false);
    else if (root.dataset.view === "graph" || root.dataset.view === "tree") graph.fit(false);
  }));
})();
