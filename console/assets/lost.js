// Warns that the page may be outdated while the service cannot be reached, and since when.
import { clock } from "./times.js";

const lost = new Set();

/** `what`: each way to hear of changes is lost and found by itself. */
export function setLost(what, isLost) {
  const was = lost.size > 0;
  if (isLost) lost.add(what);
  else lost.delete(what);
  if (was === lost.size > 0) return;
  const bar = Object.assign(document.createElement("div"), { className: "stale" });
  bar.textContent = `Reconnecting. This page is as of ${clock(Date.now())}.`;
  document.querySelector("[data-stale]").replaceChildren(...(lost.size > 0 ? [bar] : []));
}

// The browser notices at once.
addEventListener("offline", () => setLost("network", true));
addEventListener("online", () => setLost("network", false));
