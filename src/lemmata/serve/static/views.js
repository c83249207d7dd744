// Curves as the player and the watcher draw them: dashes tell them apart without colour, numbers stand in the legend.
"use strict";
const dashes = [[], [6, 4], [2, 3], [10, 3, 2, 3], [1, 4], [12, 6]];
const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"];
const dark = matchMedia("(prefers-color-scheme: dark)").matches;

function add(tag, text, parent) {
  const made = document.createElement(tag);
  if (text != null) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

function drawCurves(view, parent) {
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
    width: Math.min(900, parent.clientWidth || 600), height: 280, scales: { x: { time: false } },
    series: [{ label: "step" }, ...lines], axes: [{ ...axis }, { ...axis }], plugins: [band],
  };
  const plot = new uPlot(options, [view.steps, ...names.map((name) => view.series[name])], place);
  addEventListener("resize", () => plot.setSize({ width: Math.min(900, parent.clientWidth), height: 280 }));
  return plot;
}
