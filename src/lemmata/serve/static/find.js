// Search as you type. The address holds what was asked for, so that it can be sent.
"use strict";
const form = document.getElementById("find");
const items = [...document.querySelectorAll(".claims > li")].map((li) => ({ li, text: li.textContent.toLowerCase() }));
const sections = [...document.querySelectorAll(".found-in")];

function asked() {
  return Object.fromEntries([...new FormData(form)].filter(([, value]) => value));
}

function show() {
  const want = asked();
  const words = (want.q || "").toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const { li, text } of items) {
    const data = li.dataset;
    const fits = words.every((word) => text.includes(word))
      && (!want.verdict || data.verdict === want.verdict)
      && (!want.paper || data.paper === want.paper)
      && (!want.cost || Number(data.cost) < Number(want.cost))
      && (!want.replicated || data.replicated === want.replicated);
    li.hidden = !fits;
    count += fits;
  }
  for (const section of sections) section.hidden = !section.querySelector("li:not([hidden])");
  document.getElementById("count").textContent = `${count} ${count === 1 ? "claim" : "claims"}`;
  const query = new URLSearchParams(want).toString();
  history.replaceState(null, "", query ? `?${query}` : location.pathname);
}

for (const [name, value] of new URLSearchParams(location.search)) {
  if (form.elements[name]) form.elements[name].value = value;
}
form.addEventListener("input", show);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const first = items.find(({ li }) => !li.hidden);
  if (first) location.href = first.li.querySelector("a").href;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) {
    event.preventDefault();
    form.elements.q.focus();
  }
});
show();
