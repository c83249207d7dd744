// The form asks its question; the page of the question then shows how far it is.
"use strict";
const change = document.getElementById("change");

function question() {
  const set = {};
  let scale = "laptop";
  for (const [name, value] of new FormData(change)) {
    if (name === "scale") scale = value;
    else if (value.trim() !== "") set[name] = value.trim();
  }
  return { experiment: change.dataset.experiment, scale, set };
}

async function send(path, body) {
  const answer = await fetch(document.body.dataset.base + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text.startsWith("{") ? JSON.parse(text).refused : text);
  return JSON.parse(text);
}

change.addEventListener("submit", async (event) => {
  event.preventDefault();
  const refusal = document.getElementById("refusal");
  refusal.textContent = "";
  try {
    const job = await send("ask", question());
    location.href = document.body.dataset.base + job.path;
  } catch (error) {
    refusal.textContent = error.message;
  }
});

document.getElementById("cancel").addEventListener("click", async () => {
  const id = document.getElementById("job").dataset.job;
  await send(`cancel/${id}`, {}).catch((error) => { document.getElementById("refusal").textContent = error.message; });
});
