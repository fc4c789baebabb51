// Pages of the instance have no live socket: elements with `data-refresh` name every how many seconds the page is fetched
// again, and are replaced then. Nothing is fetched while the tab is hidden.
const SLOWEST_MS = 60000;

const elements = () => document.querySelectorAll("[data-refresh][id]");

/** Puts what changed in place; what a person works in stays. */
function patch(page) {
  for (const old of elements()) {
    const fresh = page.getElementById(old.id);
    const busy = old.hasAttribute("data-grown") || old.contains(document.activeElement) || old.querySelector("details[open], :checked");
    if (fresh && !busy && fresh.innerHTML !== old.innerHTML) old.replaceWith(document.adoptNode(fresh));
  }
}

export function refresh(changed) {
  let failures = 0;
  const stale = (lost) => {
    const bar = document.querySelector("[data-stale]");
    if (bar) bar.hidden = !lost;
  };
  const wait = () => {
    const seconds = [...elements()].map((element) => Number(element.dataset.refresh)).filter((every) => every > 0);
    const every = Math.min(...seconds, 5) * 1000;
    setTimeout(look, Math.min(every * 2 ** failures, SLOWEST_MS));
  };
  const look = async () => {
    if (!document.hidden && elements().length > 0) {
      const asked = location.href;
      try {
        const response = await fetch(asked, { credentials: "same-origin" });
        // The session has ended.
        if (response.redirected) return location.assign(response.url);
        if (response.status >= 500) throw new Error(response.status);
        const page = new DOMParser().parseFromString(await response.text(), "text/html");
        // After a refused form the address may be one that only takes forms.
        if (response.ok && asked === location.href) {
          patch(page);
          changed();
        }
        failures = 0;
      } catch {
        failures += 1;
      }
      stale(failures > 0);
    }
    wait();
  };
  wait();
}
