// Fields with `data-shows` name an element that the server draws from them, as the person behind an id. It is drawn again
// when one of them is left with another value.
import { showTimes } from "./times.js";

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
  const [old, fresh] = [document.getElementById(shows), page.getElementById(shows)];
  if (!old || !fresh) return;
  old.replaceChildren(...document.adoptNode(fresh).childNodes);
  showTimes(old);
});
