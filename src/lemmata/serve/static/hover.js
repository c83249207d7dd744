// A figure says the number under the pointer; the same numbers are in its CSV.
"use strict";
const REACH = 24; // pixels

for (const place of document.querySelectorAll(".hover")) {
  const image = place.querySelector("img");
  const empty = () => { place.hidden = true; }; // an experiment may draw nothing: no box without a picture
  image.addEventListener("error", empty);
  if (image.complete && !image.naturalWidth) empty();
  const tip = document.createElement("output");
  tip.hidden = true;
  place.append(tip);
  let points = null;

  async function load() {
    points = [];
    const answer = await fetch(place.dataset.points);
    if (answer.ok) points = await answer.json();
  }

  function near(x, y, box) {
    let best = null, least = REACH ** 2;
    for (const point of points) {
      const distance = ((point[0] - x) * box.width) ** 2 + ((point[1] - y) * box.height) ** 2;
      if (distance < least) [best, least] = [point, distance];
    }
    return best;
  }

  place.addEventListener("pointermove", (event) => {
    if (!image.naturalWidth) return; // nothing is drawn
    if (points === null) { load(); return; }
    const style = getComputedStyle(image); // the picture lies within the image's padding
    const [frame, pad] = [image.getBoundingClientRect(), parseFloat(style.paddingLeft) + parseFloat(style.borderLeftWidth)];
    const box = { width: frame.width - 2 * pad, height: frame.height - 2 * pad };
    const found = near((event.clientX - frame.left - pad) / box.width, (event.clientY - frame.top - pad) / box.height, box);
    tip.hidden = !found;
    if (!found) return;
    tip.textContent = found[2];
    tip.style.left = `${Math.min(pad + found[0] * box.width, frame.width - tip.offsetWidth)}px`;
    tip.style.top = `${pad + found[1] * box.height + 12}px`;
  });
  place.addEventListener("pointerleave", () => { tip.hidden = true; });
}

for (const button of document.querySelectorAll("button.copy")) {
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.text);
    button.textContent = "Copied";
  });
}
