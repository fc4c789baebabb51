// Makes what works without scripts quicker: forms answer in place, times are in the viewer's zone, `/` finds.
import { foldFilters } from "./fold.js";
import "./found.js";
import { follow } from "./live.js";
import { followMore } from "./more.js";
import { refresh } from "./refresh.js";
import { showTimes } from "./times.js";

const main = () => document.querySelector("main");

/** Puts the main part of an answer in place of ours. */
async function place(response) {
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.querySelector("main");
  // Another frame: after signing in or out, or in another guild.
  const moved = page.body.dataset.guild !== document.body.dataset.guild || !page.querySelector(".own") !== !document.querySelector(".own");
  if (!fresh || moved) {
    location.assign(response.url);
    return;
  }
  main().replaceWith(document.adoptNode(fresh));
  for (const name of [".bar", ".rail"]) {
    const part = page.querySelector(name);
    if (part) document.querySelector(name)?.replaceWith(document.adoptNode(part));
  }
  document.title = page.title;
  if (response.redirected && response.url !== location.href) history.pushState(null, "", response.url);
  showTimes(fresh);
  showScripted(fresh);
  foldFilters(fresh);
  follow(document.body.dataset.guild, () => showTimes(main()));
  (fresh.querySelector("[aria-invalid]") ?? fresh).focus({ preventScroll: !fresh.querySelector("[aria-invalid]") });
}

async function send(form, submitter) {
  const fields = new URLSearchParams(new FormData(form, submitter));
  const buttons = form.querySelectorAll("button");
  buttons.forEach((button) => { button.disabled = true; });
  try {
    await place(await fetch(form.action, { method: "POST", body: fields, credentials: "same-origin" }));
  } catch {
    const place = form.querySelector(".problem") ?? form.insertBefore(document.createElement("p"), form.firstChild);
    place.className = "problem";
    place.setAttribute("role", "alert");
    place.textContent = "The service cannot be reached. Nothing was sent twice; try again.";
  } finally {
    buttons.forEach((button) => { button.disabled = false; });
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || form.enctype === "multipart/form-data" || form.dataset.whole !== undefined) return;
  event.preventDefault();
  send(form, event.submitter);
});

/** Shows what works with scripts only. */
function showScripted(place) {
  place.querySelectorAll("[data-scripted]").forEach((element) => { element.hidden = false; });
}

// A file for a text area.
document.addEventListener("change", async (event) => {
  const file = event.target.dataset.into && event.target.files[0];
  if (file) document.getElementById(event.target.dataset.into).value = await file.text();
});

// A menu closes when a person goes on elsewhere.
document.addEventListener("click", (event) => {
  document.querySelectorAll("details.menu[open]").forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; });
});

addEventListener("popstate", () => location.reload());

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.textContent = "Copied";
});

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select");
  if (event.key === "Escape") document.querySelectorAll("details.menu[open]").forEach((menu) => { menu.open = false; });
  if (typing || event.ctrlKey || event.metaKey || event.altKey || event.key !== "/") return;
  const find = document.querySelector("[data-find]");
  if (find) {
    event.preventDefault();
    find.focus();
  }
});

showTimes(document);
showScripted(document);
foldFilters(document);
follow(document.body.dataset.guild, () => showTimes(main()));
followMore(showTimes);
if (!document.body.dataset.guild) refresh(() => showTimes(main()));
