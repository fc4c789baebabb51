// Makes what works without scripts quicker: forms answer in place, times are in the viewer's zone, `/` finds.
import { follow } from "./live.js";
import { showTimes } from "./times.js";

const main = () => document.querySelector("main");

/** Puts the main part of an answer in place of ours. */
async function place(response) {
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.querySelector("main");
  if (!fresh) {
    location.assign(response.url);
    return;
  }
  main().replaceWith(document.adoptNode(fresh));
  const bar = page.querySelector(".bar");
  if (bar) document.querySelector(".bar")?.replaceWith(document.adoptNode(bar));
  document.title = page.title;
  if (response.url !== location.href) history.pushState(null, "", response.url);
  showTimes(fresh);
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
follow(document.body.dataset.guild, () => showTimes(main()));
