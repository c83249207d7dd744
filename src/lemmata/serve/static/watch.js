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

function show(job, isFirst) {
  const item = document.querySelector(`#jobs [data-job="${job.id}"] .state`);
  if (item) item.textContent = job.state === "running" ? `running ${Math.round(100 * (job.progress.share || 0))}%` : job.state;
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
  if (!isFirst && job.state === "done" && before !== "done") location.reload(); // the verdicts are there
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
  if (place.dataset.run !== run && views.length) {
    place.textContent = "";
    plots.clear();
    place.dataset.run = run;
  }
  for (const view of views) {
    const data = [view.steps, ...Object.values(view.series)];
    if (plots.has(view.title)) { plots.get(view.title).setData(data); continue; }
    add("h3", view.title, place);
    plots.set(view.title, drawCurves(view, add("div", null, place)));
  }
}

const events = new EventSource(`${base}events`);
events.addEventListener("jobs", (event) => JSON.parse(event.data).forEach((job) => show(job, true)));
events.addEventListener("job", (event) => show(JSON.parse(event.data), false));
addEventListener("pagehide", () => events.close());
