// Keeps the element that a person points at, works in or reads in its place in the window while the page changes.
const READ = ":is(tr, li, p, h2, h3, dl, form, figure)";

/** The times of a page grow older by themselves. */
export const content = (element) => element.innerHTML.replace(/(<time\b[^>]*>)[^<]*/g, "$1");

function isInWindow(element) {
  const { top, bottom, height } = element.getBoundingClientRect();
  return height > 0 && bottom > 0 && top < innerHeight;
}

/** What should stay, the most important first. */
function seen(main) {
  const pointed = [...main.querySelectorAll("tbody tr:hover")];
  const focused = main.contains(document.activeElement) && main !== document.activeElement ? [document.activeElement] : [];
  // At the top of a page its beginning stays by itself.
  const read = scrollY > 0 ? [...main.querySelectorAll(READ)] : [];
  return [...pointed, ...focused, ...read].filter(isInWindow);
}

/** The same element, or the new one with the same content. */
function again(main, { element, was }) {
  if (element.isConnected) return element;
  return [...main.querySelectorAll(element.localName)].find((one) => content(one) === was);
}

function scroll(main, by) {
  // Extends a short page.
  const missing = innerHeight + by - main.getBoundingClientRect().bottom;
  if (by > 0 && missing > 0) main.style.minHeight = `${main.offsetHeight + missing}px`;
  scrollBy({ top: by, behavior: "instant" });
}

export function holdStill(change) {
  const main = document.querySelector("main");
  const marks = seen(main).map((element) => ({ element, was: content(element), top: element.getBoundingClientRect().top }));
  change();
  for (const mark of marks) {
    const now = again(main, mark);
    if (!now) continue;
    scroll(main, now.getBoundingClientRect().top - mark.top);
    return;
  }
}
