// LaTeX between dollars is typeset; everything else stays as text.
"use strict";
for (const place of document.querySelectorAll(".tex")) {
  const pieces = place.textContent.split(/(\$\$[^$]+\$\$|\$[^$]+\$)/);
  place.textContent = "";
  for (const piece of pieces) {
    const span = document.createElement("span");
    if (piece.startsWith("$")) {
      const displayMode = piece.startsWith("$$");
      katex.render(piece.replace(/^\$+|\$+$/g, ""), span, { displayMode, throwOnError: false, trust: false });
    } else {
      span.textContent = piece;
    }
    place.append(span);
  }
}
