// Parts of a page that the server draws anew: `data-live` after frames of the live socket, `data-refresh` every few seconds.
// A part is replaced if the server's version has changed, unless a person works in it.
import { prepare } from "./prepare.js";
import { content, holdStill } from "./still.js";
import { setClock } from "./times.js";

const PARTS = "[data-live][id], [data-refresh][id]";
const AGAIN_MS = 1000;
/** What the server sent for a part: scripts change what stands there. */
const served = new WeakMap();
let waiting = null;

function isChanged(field) {
  return ["checkbox", "radio"].includes(field.type) ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
}

/** Whether a person is in it: with the focus, an open fold or menu, a changed field, or marked text. */
function isBusy(part) {
  const selection = getSelection();
  return part.hasAttribute("data-grown")
    || part.contains(document.activeElement)
    || part.querySelector("details[open]") !== null
    || [...part.querySelectorAll("input, textarea")].some(isChanged)
    || (!selection.isCollapsed && selection.containsNode(part, true));
}

/** Before anything else changes them. */
export function remember(within) {
  for (const part of within.querySelectorAll(PARTS)) served.set(part, content(part));
}

function patch(page) {
  let kept = false;
  const changed = [];
  for (const old of document.querySelectorAll(PARTS)) {
    const fresh = page.getElementById(old.id);
    if (!fresh || content(fresh) === served.get(old)) continue;
    if (isBusy(old)) {
      kept ||= !old.hasAttribute("data-grown");
      continue;
    }
    served.set(fresh, content(fresh));
    changed.push([old, fresh]);
  }
  if (changed.length > 0) {
    holdStill(() => {
      for (const [old, fresh] of changed) {
        old.replaceWith(document.adoptNode(fresh));
        prepare(fresh);
      }
    });
  }
  // Until the person has gone on.
  waiting = kept ? setTimeout(patch, AGAIN_MS, page) : null;
}

/** Fetches the page again, and puts what changed in place. Fails if the service does not answer. */
export async function update() {
  const [asked, main] = [location.href, document.querySelector("main")];
  const response = await fetch(asked, { credentials: "same-origin" });
  if (response.status >= 500 || response.status === 429) throw new Error(response.status);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  // A form has brought another page meanwhile.
  if (asked !== location.href || main !== document.querySelector("main")) return;
  if (response.redirected) {
    // The session has ended.
    location.assign(response.url);
  } else if (response.ok) {
    clearTimeout(waiting);
    setClock(page);
    patch(page);
  } else if (!main.querySelector(".problem")) {
    // The subject of the page no longer exists. After a refused form the address may be one that only takes forms.
    location.assign(asked.split("#")[0]);
  }
}

/** The page is another one: what waits is of the old one. */
export function leave() {
  clearTimeout(waiting);
}
