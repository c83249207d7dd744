// One stream for every tab: each event is the whole state of a job.
"use strict";
const base = document.body.dataset.base;
const mine = document.getElementById("job");
const words = (seconds) => (seconds == null ? "" : seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`);

function told(job) {
  const at = job.progress;
  if (at.share == null) return "";
  const stage = at.stage ? `${at.kind} ${at.stage} ${at.done}/${at.total}; ` : "";
  const left = at.left == null ? "" : `, about ${words(at.left)} left`;
  return `${stage}${at.runs_done} of ${at.runs} runs done${left}`;
}

function listed(job) {
  const found = document.querySelector(`#jobs [data-job="${job.id}"]`);
  if (found) return found;
  const item = document.createElement("li"); // asked after this page was made
  item.dataset.job = job.id;
  const [state, link, changed, reason] = ["span", "a", "code", "span"].map((tag) => document.createElement(tag));
  state.className = "state";
  link.href = base + job.path;
  link.textContent = `${job.experiment}, scale ${job.scale}`;
  changed.textContent = Object.keys(job.set).length ? JSON.stringify(job.set) : "";
  reason.className = "muted";
  item.append(state, " ", link, " ", changed, " ", reason);
  document.getElementById("jobs").prepend(item);
  document.getElementById("nothing").hidden = true;
  return item;
}

function show(job) {
  if (document.getElementById("jobs")) {
    const state = listed(job).querySelector(".state");
    state.textContent = job.state === "running" ? `running ${Math.round(100 * (job.progress.share || 0))}%` : job.state;
  }
  if (!mine || mine.dataset.job !== job.id) return;
  const state = document.getElementById("state");
  const before = state.dataset.state;
  state.dataset.state = job.state;
  state.textContent = job.reason ? `${job.state}: ${job.reason}` : job.state;
  const bar = document.getElementById("share");
  bar.hidden = job.state !== "running";
  bar.value = job.progress.share || 0;
  document.getElementById("left").textContent = told(job);
  document.getElementById("cancel").hidden = !["waiting", "running"].includes(job.state);
  grow(job);
  if (job.state === "done" && before !== "done") location.reload(); // the verdicts are there
}

function judged(view, place) {
  place.textContent = "";
  const chip = add("span", `as it stands: ${view.status}`, place);
  chip.className = `chip ${view.status}`;
  const part = view.part ? `, ${view.part}` : "";
  place.append(` ${view.now.toPrecision(3)} · ${view.claim}${part}: ${view.rule} (the band)`);
}

const plots = new Map(); // by title: the curves of the run under way
let looked = 0;

async function grow(job) {
  const place = document.getElementById("growing");
  if (job.state !== "running" || !job.progress.run || Date.now() - looked < 1000) return;
  looked = Date.now();
  const answer = await fetch(`${base}records/${job.id}`);
  if (!answer.ok) return;
  const { run, views } = await answer.json();
  const titles = new Set(views.map((view) => view.title));
  if (views.length && (place.dataset.run !== run || [...plots.keys()].some((title) => !titles.has(title)))) {
    place.textContent = ""; // another run, or its next stage
    plots.clear();
    place.dataset.run = run;
  }
  for (const view of views) {
    const data = [view.steps, ...Object.values(view.series)];
    if (!plots.has(view.title)) {
      const section = add("section", null, place);
      add("h3", view.title, section);
      const verdict = add("p", "", section);
      verdict.className = "so-far";
      plots.set(view.title, { plot: drawCurves(view, section), verdict });
    }
    const { plot, verdict } = plots.get(view.title);
    plot.setData(data);
    if (view.claim) judged(view, verdict);
  }
}

const events = new EventSource(`${base}events`);
events.addEventListener("jobs", (event) => JSON.parse(event.data).forEach(show));
events.addEventListener("job", (event) => show(JSON.parse(event.data)));
events.addEventListener("open", () => answers(true));
events.addEventListener("error", () => answers(false));
addEventListener("pagehide", () => events.close());

function answers(isOpen) {
  document.body.dataset.stream = isOpen ? "open" : "gone";
  document.getElementById("gone").hidden = isOpen;
}
