// Fields with `data-shows` name elements that the server draws from them, as the person behind an id. They are drawn again
// when one of the fields is left with another value.
import { prepare } from "./prepare.js";

function forgetProblem(field) {
  field.removeAttribute("aria-invalid");
  document.getElementById(`problem-${field.name}`)?.remove();
}

function typed(form) {
  const fields = [...form.querySelectorAll("[data-shows]")];
  return new URLSearchParams(fields.map((field) => [field.name, field.value])).toString();
}

document.addEventListener("change", async (event) => {
  const { form, dataset: { shows } } = event.target;
  if (!shows) return;
  forgetProblem(event.target);
  const asked = typed(form);
  const response = await fetch(`${form.action}?${asked}`, { credentials: "same-origin" }).catch(() => null);
  // A later value has its own answer.
  if (!response?.ok || asked !== typed(form)) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const name of shows.split(" ")) {
    const [old, fresh] = [document.getElementById(name), page.getElementById(name)];
    // What a person works in does not move.
    if (!old || !fresh || fresh.innerHTML === old.innerHTML) continue;
    old.replaceChildren(...document.adoptNode(fresh).childNodes);
    prepare(old);
  }
});
