// One player: a slider over training time moves every view, matrices as tables of shaded cells, curves with a cursor.
"use strict";
const views = document.getElementById("views");
const time = document.getElementById("time");
const button = document.getElementById("play");
const dashes = [[], [6, 4], [2, 3], [10, 3, 2, 3], [1, 4], [12, 6]];
const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"];
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
const moves = []; // a function of the share of the time, one a view
let last = 0;

function add(tag, text, parent) {
  const made = document.createElement(tag);
  if (text != null) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

function nearest(steps, wanted) {
  let low = 0, high = steps.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle] < wanted) low = middle + 1; else high = middle;
  }
  return low > 0 && wanted - steps[low - 1] < steps[low] - wanted ? low - 1 : low;
}

function frames(view, parent) {
  const table = add("table", null, add("div", null, parent));
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
      cells[i].style.backgroundColor = `rgb(0 114 178 / ${(0.85 * share).toFixed(3)})`;
      cells[i].style.color = share > 0.55 && !dark ? "#fff" : "";
    });
  });
}

function curves(view, parent) {
  const names = Object.keys(view.series);
  const ink = dark ? "#c3c8cd" : "#333";
  const lines = names.map((label, i) => ({ label, stroke: colours[i % 6], dash: dashes[i % 6], width: 2 }));
  const band = { hooks: { drawClear: [(plot) => {
    if (!view.band) return;
    const [top, bottom] = [plot.valToPos(view.band[1], "y", true), plot.valToPos(view.band[0], "y", true)];
    plot.ctx.fillStyle = "rgba(0,158,115,.15)";
    plot.ctx.fillRect(plot.bbox.left, top, plot.bbox.width, bottom - top);
  }] } };
  const axis = { stroke: ink, grid: { stroke: dark ? "#333" : "#e4e4e4" } };
  const place = add("div", null, parent);
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", `${view.title}: ${names.join(", ")} over training steps`);
  const options = {
    width: Math.min(900, views.clientWidth || 600), height: 280, scales: { x: { time: false } },
    series: [{ label: "step" }, ...lines], axes: [{ ...axis }, { ...axis }], plugins: [band],
  };
  const plot = new uPlot(options, [view.steps, ...names.map((name) => view.series[name])], place);
  addEventListener("resize", () => plot.setSize({ width: Math.min(900, views.clientWidth), height: 280 }));
  moves.push((step) => {
    const i = nearest(view.steps, step);
    plot.setCursor({ left: plot.valToPos(view.steps[i], "x"), top: 10 }, false);
    plot.setLegend({ idx: i }, false);
  });
}

function move() {
  const step = last * time.value / 1000;
  document.getElementById("step").textContent = `step ${Math.round(step)}`;
  time.setAttribute("aria-valuetext", `step ${Math.round(step)} of ${last}`);
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
  last = Math.max(...data.views.map((view) => view.steps[view.steps.length - 1]));
  for (const view of data.views) {
    const section = add("section", null, views);
    add("h2", view.title, section);
    (view.type === "frames" ? frames : curves)(view, section);
    if (view.note) add("p", view.note, section).className = "muted";
  }
  if (data.left_out) add("p", `${data.left_out} more are not shown.`, views);
  move();
})();
