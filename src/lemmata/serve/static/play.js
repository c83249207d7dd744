// One player: a slider over training time moves every view, matrices as tables of shaded cells, curves with a cursor.
"use strict";
const views = document.getElementById("views");
const time = document.getElementById("time");
const button = document.getElementById("play");
const moves = []; // a function of the share of the time, one a view
let first = 0, last = 0, clock = "step";

function nearest(steps, wanted) {
  let low = 0, high = steps.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle] < wanted) low = middle + 1; else high = middle;
  }
  return low > 0 && wanted - steps[low - 1] < steps[low] - wanted ? low - 1 : low;
}

const ground = dark ? [20, 23, 26] : [255, 255, 255];
const blue = [0, 114, 178];

function light(colour) { // relative luminance
  const [r, g, b] = colour.map((part) => (part / 255 <= 0.04045 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function frames(view, parent) {
  const place = add("div", null, parent);
  place.tabIndex = 0; // a wide matrix is scrolled by keys, too
  const table = add("table", null, place);
  table.className = "matrix";
  add("caption", `${view.title}, numbers by row and column`, table).className = "unseen";
  const head = add("tr", null, add("thead", null, table));
  add("td", "", head);
  view.columns.forEach((name) => { add("th", name, head).scope = "col"; });
  const body = add("tbody", null, table);
  const cells = [];
  view.rows.forEach((name) => {
    const row = add("tr", null, body);
    add("th", name, row).scope = "row";
    view.columns.forEach(() => cells.push(add("td", "", row)));
  });
  const [low, high] = view.range;
  moves.push((step) => {
    view.values[nearest(view.steps, step)].forEach((value, i) => {
      const share = value == null ? 0 : (value - low) / (high - low || 1);
      cells[i].textContent = value == null ? "–" : value.toFixed(2);
      const shade = ground.map((part, j) => Math.round(part + 0.85 * share * (blue[j] - part)));
      cells[i].style.backgroundColor = `rgb(${shade})`;
      cells[i].style.color = light(shade) > 0.179 ? "#000" : "#fff"; // where black and white read equally well
    });
  });
}

function curves(view, parent) {
  const plot = drawCurves(view, parent);
  moves.push((step) => {
    const i = nearest(view.steps, step);
    plot.setCursor({ left: plot.valToPos(view.steps[i], "x"), top: 10 }, false);
    plot.setLegend({ idx: i }, false);
  });
}

function track(view, parent) {
  let at = 0;
  const point = { hooks: { draw: [(plot) => {
    const [x, y] = [plot.valToPos(view.x[at], "x", true), plot.valToPos(view.y[at], "y", true)];
    plot.ctx.beginPath();
    plot.ctx.arc(x, y, 6 * devicePixelRatio, 0, 2 * Math.PI);
    plot.ctx.fillStyle = colours[1];
    plot.ctx.fill();
  }] } };
  const [theory, legend] = [view.labels[1], add("p", "", null)];
  const plot = drawLine(view, theory, parent, point);
  parent.append(legend);
  moves.push((step) => {
    at = nearest(view.steps, step);
    legend.textContent = `The point: ${view.labels[0]} ${view.x[at].toPrecision(4)}, ${theory} ${view.y[at].toPrecision(4)}`;
    plot.redraw();
  });
}

function move() {
  const step = first + (last - first) * time.value / 1000;
  const said = `${clock} ${last - first > 50 ? Math.round(step) : Number(step.toFixed(2))}`;
  document.getElementById("step").textContent = said;
  time.setAttribute("aria-valuetext", `${said} of ${last}`);
  moves.forEach((one) => one(step));
}

function tick() {
  if (button.getAttribute("aria-pressed") !== "true") return;
  time.value = Number(time.value) + 4;
  move();
  if (Number(time.value) >= 1000) stop(); else requestAnimationFrame(tick);
}

function stop() {
  button.setAttribute("aria-pressed", "false");
  button.textContent = "Play";
}

button.addEventListener("click", () => {
  if (button.getAttribute("aria-pressed") === "true") { stop(); return; }
  if (Number(time.value) >= 1000) time.value = 0;
  button.setAttribute("aria-pressed", "true");
  button.textContent = "Pause";
  tick();
});
time.addEventListener("input", move);

(async () => {
  const answer = await fetch(views.dataset.source);
  const trouble = document.getElementById("trouble");
  if (!answer.ok) { trouble.textContent = await answer.text(); return; }
  const data = await answer.json();
  if (!data.views.length) { trouble.textContent = "This experiment records nothing over training time."; return; }
  clock = data.views[0].clock;
  first = Math.min(...data.views.map((view) => view.steps[0]));
  last = Math.max(...data.views.map((view) => view.steps[view.steps.length - 1]));
  for (const view of data.views) {
    const section = add("section", null, views);
    add("h2", view.title, section);
    ({ frames, curves, track })[view.type](view, section);
    if (view.note) add("p", view.note, section).className = "muted";
  }
  if (data.left_out) add("p", `${data.left_out} more are not shown.`, views);
  move();
})();
