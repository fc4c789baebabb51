// "Load more" appends the next rows in place. The address then names the last part, so that a page that is opened from
// the list leads back to where the person was. Without this script the link shows the next part alone.
import { follows } from "./address.js";
import { prepare } from "./prepare.js";

const ROWS = ".list > tbody, [data-rows]";

/** The rows that a "Load more" belongs to: the last ones before it. */
function rowsBefore(link) {
  const before = (rows) => rows.compareDocumentPosition(link) & Node.DOCUMENT_POSITION_FOLLOWING;
  return [...link.ownerDocument.querySelectorAll(ROWS)].filter(before).pop();
}

/** What is refreshed by itself would lose the appended rows: it stays as it is. */
function keep(rows) {
  rows.closest("[data-live], [data-refresh]")?.setAttribute("data-grown", "");
}

async function append(link) {
  const response = await fetch(link.href, { credentials: "same-origin" });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const rows = rowsBefore(link);
  const next = page.querySelector("[data-parts]");
  const fresh = next && rowsBefore(next);
  // Signed out, or the page is another one by now.
  if (!response.ok || response.redirected || !rows || !fresh) throw new Error(response.status);
  const first = fresh.firstElementChild;
  keep(rows);
  rows.append(...[...fresh.children].map((row) => document.adoptNode(row)));
  link.closest("[data-parts]").replaceWith(document.adoptNode(next));
  follows("replaceState", link.href);
  prepare(rows);
  first?.setAttribute("tabindex", "-1");
  first?.focus({ preventScroll: true });
}

export function followMore() {
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-more]");
    if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (link.getAttribute("aria-busy")) return;
    link.setAttribute("aria-busy", "true");
    try {
      await append(link);
    } catch {
      location.assign(link.href);
    }
  });
}
