// Search as you type. The address holds what was asked for, so that it can be sent.
"use strict";
const form = document.getElementById("find");
const GREEK = Object.fromEntries(
  "α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta θ theta κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho σ sigma τ tau φ phi χ chi ψ psi ω omega"
    .split(" ").reduce((pairs, word, i, all) => (i % 2 ? pairs : [...pairs, [word, all[i + 1]]]), []),
);
const spelled = (text) => text.toLowerCase().replace(/[α-ω]/g, (letter) => GREEK[letter] || letter);
const items = [...document.querySelectorAll(".claims > li")].map((li) => ({ li, text: spelled(`${li.textContent} ${li.dataset.title}`) }));
const sections = [...document.querySelectorAll(".found-in")];

function asked() {
  return Object.fromEntries([...new FormData(form)].filter(([, value]) => value));
}

function show() {
  const want = asked();
  const words = spelled(want.q || "").split(/\s+/).filter(Boolean);
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
  const place = document.activeElement;
  const elsewhere = !/^(INPUT|SELECT|TEXTAREA)$/.test(place.tagName);
  if (event.key === "/" && (elsewhere || (place === form.elements.q && !place.value))) {
    event.preventDefault();
    form.elements.q.focus();
  }
});
show();
