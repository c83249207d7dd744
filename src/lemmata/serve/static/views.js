// Curves as the player and the watcher draw them: dashes tell them apart without colour, numbers stand in the legend.
"use strict";
const dashes = [[], [6, 4], [2, 3], [10, 3, 2, 3], [1, 4], [12, 6]];
const style = getComputedStyle(document.documentElement);
const colours = dashes.map((_, i) => style.getPropertyValue(`--curve-${i}`).trim());
const dark = matchMedia("(prefers-color-scheme: dark)").matches;

function add(tag, text, parent) {
  const made = document.createElement(tag);
  if (text != null) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

const axis = { stroke: dark ? "#c3c8cd" : "#333", grid: { stroke: dark ? "#333" : "#e4e4e4" } };

function sized(plot, parent) {
  addEventListener("resize", () => plot.setSize({ width: Math.min(900, parent.clientWidth), height: 280 }));
  return plot;
}

function drawLine(view, label, parent, plugin) {
  const place = add("div", null, parent);
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", `${view.title}: a point on ${label} over ${view.labels[0]}`);
  const ends = (values, others) => uPlot.rangeNum(Math.min(...values, ...others), Math.max(...values, ...others), 0.05, true);
  const known = (values) => values.filter((value) => value != null);
  const options = {
    width: Math.min(900, parent.clientWidth || 600), height: 280, legend: { show: false },
    scales: {
      x: { time: false, range: ends(known(view.line[0]), known(view.x)) },
      y: { range: ends(known(view.line[1]), known(view.y)) },
    },
    series: [{}, { label, stroke: colours[0], width: 2 }],
    axes: [{ ...axis, label: view.labels[0] }, { ...axis, label }], plugins: [plugin],
  };
  return sized(new uPlot(options, view.line, place), parent);
}

function drawCurves(view, parent) {
  const names = Object.keys(view.series);
  const lines = names.map((label, i) => ({ label, stroke: colours[i % 6], dash: dashes[(i + Math.floor(i / 6)) % 6], width: 2 }));
  const band = { hooks: { drawClear: [(plot) => {
    if (!view.band) return;
    const { left, top, width, height } = plot.bbox;
    const inside = (value, open) => (value == null ? open : Math.min(Math.max(plot.valToPos(value, "y", true), top), top + height));
    const [high, low] = [inside(view.band[1], top), inside(view.band[0], top + height)];
    plot.ctx.fillStyle = colours[2] + (dark ? "4d" : "26");
    plot.ctx.fillRect(left, high, width, low - high);
    if (view.predicted == null) return;
    plot.ctx.fillStyle = colours[2];
    plot.ctx.fillRect(left, inside(view.predicted, top), width, 2);
  }] } };
  const wanted = (view.band || []).concat(view.predicted ?? []).filter((value) => value != null);
  const range = (plot, low, high) => uPlot.rangeNum(Math.min(low, ...wanted), Math.max(high, ...wanted), 0.1, true);
  const place = add("div", null, parent);
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", `${view.title}: ${names.join(", ")} over training time`);
  const options = {
    width: Math.min(900, parent.clientWidth || 600), height: 280, scales: { x: { time: false }, y: { range } },
    series: [{ label: view.clock || "step" }, ...lines], axes: [{ ...axis }, { ...axis }], plugins: [band],
  };
  return sized(new uPlot(options, [view.steps, ...names.map((name) => view.series[name])], place), parent);
}
