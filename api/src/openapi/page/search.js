// The search: which operations have all words that were typed, or words of the API that stand for them.

import { byId, make } from "./dom.js";
import { parameters, requestFields } from "./schema.js";
import { SMALL_WORDS, synonymsOf } from "./words.js";

/** What is searched of an operation, in small letters: its title, in which a word counts most, and all else. */
function textsOf(api, operation) {
  const fields = ["path", "query"].flatMap((place) => parameters(api, operation, place)).concat(requestFields(api, operation));
  const said = fields.filter(({ name }) => !/^guild_?id$/i.test(name)).map(({ name, type, text }) => `${name} ${type} ${text || ""}`);
  const title = [operation.summary, operation.path.replace(/{\w+}/g, ""), operation.operationId.replace(/([A-Z])/g, " $1")];
  const rest = [operation.method, operation.path, operation.description, operation["x-scope"], operation.operationId, operation.tags[0], ...said];
  return [title, rest].map((texts) => texts.join(" ").toLowerCase());
}

/** Whether a word of the text begins so: `ban` finds `ban-status` and `bans`, not `urban`. */
function has(text, word) {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[a-z0-9]/.test(text[at - 1]) || !/[a-z0-9]/.test(word[0])) return true;
  }
  return false;
}

/** The typed words without the small ones, if there are others. */
function wordsOf(query) {
  const all = query.toLowerCase().split(/\s+/).map((word) => word.replace(/[?!.,;:]+$/, "")).filter(Boolean);
  const meant = all.filter((word) => !SMALL_WORDS.has(word));
  return meant.length ? meant : all;
}

/** The words a typed one is searched as: itself and its synonyms; those of a begun word only if it finds nothing. */
function meanings(entries, word) {
  const own = [word, ...synonymsOf(word, false)];
  const known = own.length > 1 || entries.some(({ texts }) => texts.some((text) => has(text, word)));
  return known ? own : [word, ...synonymsOf(word, true)];
}

/** How well a word fits: as typed before as a synonym, in the title before elsewhere; 0: not at all. */
function fit([title, rest], [typed, ...synonyms]) {
  if (has(title, typed)) return 6;
  if (synonyms.some((word) => has(title, word))) return 3;
  if (has(rest, typed)) return 2;
  return synonyms.some((word) => has(rest, word)) ? 1 : 0;
}

/** The operations that match all words, the best first, and the words of the API that were searched too. */
function find(entries, query) {
  const words = wordsOf(query).map((word) => meanings(entries, word));
  const ranked = entries.map((entry) => ({ entry, fits: words.map((any) => fit(entry.texts, any)) }))
    .filter(({ fits }) => fits.every(Boolean))
    .map(({ entry, fits }) => ({ entry, rank: fits.reduce((sum, one) => sum + one, 0) }))
    .sort((a, b) => b.rank - a.rank);
  return { found: ranked.map(({ entry }) => entry), also: [...new Set(words.flatMap(([, ...others]) => others))] };
}

function told(count, all, also) {
  if (!count) return `Nothing found in ${all} calls.`;
  const calls = count === 1 ? "1 call" : `${count} calls`;
  return `${calls} of ${all}.${also.length ? ` Also searched: ${also.join(", ")}.` : ""}`;
}

function nothing(query, clear) {
  const button = make("button", { type: "button" }, "Clear the search");
  button.addEventListener("click", clear);
  return [make("p", {}, make("strong", {}, `Nothing found for “${query}”.`)),
    make("p", {}, "Search for a path, a word of a summary or a field: ban, sync, Discord, rank, place_id."), button];
}

/** The lists of what was found, at the top of the menu and of the page. */
function places() {
  const [links, calls] = [make("ul", {}), make("section", { class: "area", "aria-label": "Calls found" })];
  byId("menu").prepend(links);
  byId("operations").prepend(calls);
  return [links, calls];
}

/** Moves what was found into these places, in its order, and everything else home; `null`: everything. */
function arrange(entries, found, places) {
  for (const { parts, homes } of entries) parts.forEach((part, at) => homes[at].append(part));
  for (const { parts } of found || []) parts.forEach((part, at) => places[at].append(part));
  places.forEach((place) => { place.hidden = !found; });
  for (const group of document.querySelectorAll(".area[id], .group")) group.hidden = Boolean(found);
  places[0].querySelector(".hint")?.remove();
  if (found && !found.length) places[0].append(make("li", { class: "hint" }, "Nothing found"));
}

function remember(query) {
  const address = new URL(location.href);
  if (query) address.searchParams.set("q", query);
  else address.searchParams.delete("q");
  history.replaceState(null, "", address);
}

/** `/` from anywhere but a field goes to the search, Escape there clears it. */
function shortcuts(input, clear) {
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && input.value) {
      event.preventDefault();
      clear();
    }
  });
}

/** `operations` with the elements that show each: `{ operation, parts }`. */
export function startSearch(api, operations) {
  const entries = operations.map(({ operation, parts }) =>
    ({ parts, homes: parts.map((part) => part.parentElement), texts: textsOf(api, operation) }));
  const into = places();
  const [input, count, empty] = [byId("query"), byId("count"), byId("nothing")];
  let later;
  const apply = () => {
    const query = input.value.trim();
    const { found, also } = find(entries, query);
    arrange(entries, query ? found : null, into);
    if (byId("intro").hidden !== Boolean(query)) byId("key").open = !query;
    byId("intro").hidden = Boolean(query);
    empty.hidden = found.length > 0;
    empty.replaceChildren(...(found.length ? [] : nothing(query, clear)));
    clearTimeout(later);
    later = setTimeout(() => { count.textContent = query ? told(found.length, entries.length, also) : ""; }, 200);
    remember(query);
  };
  const clear = () => {
    input.value = "";
    apply();
    input.focus();
  };
  input.addEventListener("input", () => {
    apply();
    scrollTo(0, 0);
  });
  byId("search").addEventListener("submit", (event) => event.preventDefault());
  shortcuts(input, clear);
  byId("search").hidden = false;
  into.forEach((place) => { place.hidden = true; });
  input.value = new URL(location.href).searchParams.get("q") || "";
  if (input.value) apply();
}
