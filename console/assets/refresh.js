// Pages of the instance have no live socket: elements with `data-refresh` name every how many seconds the page is fetched
// again. Nothing is fetched while the tab is hidden.
import { setLost } from "./lost.js";
import { update } from "./patch.js";

const SLOWEST_MS = 60000;
const FASTEST_S = 5;

export function refresh() {
  let failures = 0;
  let next = null;
  const parts = () => [...document.querySelectorAll("[data-refresh][id]")];
  const wait = () => {
    const seconds = parts().map((part) => Number(part.dataset.refresh)).filter((every) => every > 0);
    next = setTimeout(look, Math.min(Math.min(...seconds, FASTEST_S) * 1000 * 2 ** failures, SLOWEST_MS));
  };
  const look = async () => {
    next = null;
    if (!document.hidden && parts().length > 0) {
      try {
        await update();
        failures = 0;
      } catch {
        failures += 1;
      }
      setLost("page", failures > 0);
    }
    wait();
  };
  addEventListener("online", () => {
    if (next === null) return;
    clearTimeout(next);
    look();
  });
  wait();
}
