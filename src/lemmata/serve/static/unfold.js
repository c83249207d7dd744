// A link to what is folded away opens it.
function unfold() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const inside = target && target.tagName === "SECTION" && target.querySelector(":scope > .folded");
  if (inside) inside.open = true;
  for (let fold = target; fold; fold = fold.parentElement) if (fold.tagName === "DETAILS") fold.open = true;
  if (target) target.scrollIntoView();
}
addEventListener("hashchange", unfold);
addEventListener("load", unfold);
