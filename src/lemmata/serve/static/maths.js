// Mathematics is typeset from its source; LaTeX between dollars in a text too. Everything else stays as text.
"use strict";
const typeset = (source, place, displayMode) =>
  katex.render(source, place, { displayMode, throwOnError: false, trust: false });
for (const place of document.querySelectorAll(".tex")) {
  if (place.dataset.tex) {
    typeset(place.dataset.tex, place, false);
    continue;
  }
  const pieces = place.textContent.split(/(\$\$[^$]+\$\$|\$[^$]+\$)/);
  place.textContent = "";
  for (const piece of pieces) {
    const span = document.createElement("span");
    if (piece.startsWith("$")) typeset(piece.replace(/^\$+|\$+$/g, ""), span, piece.startsWith("$$"));
    else span.textContent = piece;
    place.append(span);
  }
}
