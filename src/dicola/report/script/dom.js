// Elements. Text enters the page as text nodes only, so that no name is ever read as markup.

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(2).filter((child) => child !== null && child !== undefined));
  return node;
}

function html(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

function svg(tag, properties = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);
}

function button(label, onclick, properties = {}) {
  return html("button", { type: "button", onclick, ...properties }, label);
}

function count(number, noun, plural = noun + "s") {
  return grouped(number) + " " + (number === 1 ? noun : plural);
}

function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

function pValue(p) { return p === 0 ? "< 1e-300" : p.toPrecision(2); }

function signed(number) { return (number < 0 ? "\u2212" : "+") + Math.abs(number).toFixed(3); }

function later(work, milliseconds = 120) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, milliseconds);
  };
}
