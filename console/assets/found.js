// Fields with `data-shows` name elements that the server draws from them, as the person behind an id. They are drawn again
// while one of the fields is typed into: what is drawn when a field is left moves the page away under the mouse.
import { prepare } from "./prepare.js";

const PAUSE_MS = 300;
let waiting = null;

/** What was wrong keeps its room. */
function forgetProblem(field) {
  field.removeAttribute("aria-invalid");
  const problem = document.getElementById(`problem-${field.name}`);
  if (problem) problem.style.visibility = "hidden";
}

/** With who was chosen for what was typed. */
function typed(form) {
  const names = [...form.querySelectorAll("[data-shows]")].flatMap(({ name }) => [name, `${name}_is`]);
  const sent = new FormData(form);
  return new URLSearchParams(names.flatMap((name) => sent.getAll(name).map((text) => [name, text]))).toString();
}

async function draw(form, shows) {
  const asked = typed(form);
  const response = await fetch(`${form.action}?${asked}`, { credentials: "same-origin" }).catch(() => null);
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  // A later value has its own answer, and so has a form that was sent meanwhile.
  if (!form.isConnected || asked !== typed(form)) return;
  for (const name of shows.split(" ")) {
    const [old, fresh] = [document.getElementById(name), page.getElementById(name)];
    // The part that a person works in does not move.
    if (!old || !fresh || fresh.innerHTML === old.innerHTML) continue;
    old.replaceChildren(...document.adoptNode(fresh).childNodes);
    prepare(old);
  }
}

document.addEventListener("input", ({ target }) => {
  const { form, dataset: { shows } } = target;
  if (!shows) return;
  forgetProblem(target);
  clearTimeout(waiting);
  waiting = setTimeout(draw, PAUSE_MS, form, shows);
});
