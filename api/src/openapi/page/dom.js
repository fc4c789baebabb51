// Elements without markup: everything from the document and from answers goes in as text.

/** An element; children are elements or texts, `null` is left out. A value `true` sets an attribute, `false` does not. */
export function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== false && value !== undefined) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Text with `code` and **bold** in it. */
export function prose(text) {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/);
  return parts.filter(Boolean).map((part) => {
    if (part.startsWith("`")) return make("code", {}, part.slice(1, -1));
    if (part.startsWith("**")) return make("strong", {}, part.slice(2, -2));
    return part;
  });
}

export function byId(id) {
  return document.getElementById(id);
}

/** Tells screen readers; the same text twice is told twice. */
export function say(text) {
  const place = byId("said");
  place.textContent = "";
  setTimeout(() => { place.textContent = text; }, 50);
}

/** Storage that a browser may refuse. */
export function remembered(storage, name) {
  try { return storage().getItem(name) || ""; } catch { return ""; }
}

/** An empty text forgets. */
export function remember(storage, name, text) {
  try {
    if (text) storage().setItem(name, text);
    else storage().removeItem(name);
  } catch { /* the page works without */ }
}
