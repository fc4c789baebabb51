// The address of the page that is shown. Going back to another page loads it; a link to a part of this one does not.
const page = () => location.pathname + location.search;
let shown = page();

/** Forms and "Load more" have changed the page: the address follows. */
export function follows(change, url) {
  history[change](null, "", url);
  shown = page();
}

export function isShown(url) {
  const { pathname, search } = new URL(url);
  return pathname + search === shown;
}

addEventListener("popstate", () => {
  if (!isShown(location.href)) location.reload();
});
