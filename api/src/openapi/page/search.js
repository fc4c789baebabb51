// The search: which operations have all words that were typed, or words of the API that stand for them.

import { byId, make } from "./dom.js";
import { parameters, requestFields } from "./schema.js";
import { synonymsOf } from "./words.js";

/** What of an operation is searched, in small letters. Ids such as `listBans` count as their words too. */
function textOf(api, operation) {
  const tag = api.tags.find((one) => one.name === operation.tags[0]);
  const fields = ["path", "query"].flatMap((place) => parameters(api, operation, place)).concat(requestFields(api, operation));
  const said = fields.filter(({ name }) => !/^guild_?id$/i.test(name)).map(({ name, type, text }) => `${name} ${type} ${text || ""}`);
  return [
    operation.method, operation.path, operation.summary, operation.description, operation["x-scope"],
    operation.operationId, operation.operationId.replace(/([A-Z])/g, " $1"), tag.name, tag.description, ...said,
  ].join(" ").toLowerCase();
}

/** Whether a word of the text begins so: `ban` finds `ban-status` and `bans`, not `urban`. */
function has(text, word) {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[a-z0-9]/.test(text[at - 1]) || !/[a-z0-9]/.test(word[0])) return true;
  }
  return false;
}

/** The words a typed one is searched as: itself and its synonyms; those of a begun word only if it finds nothing. */
function meanings(texts, word) {
  const own = [word, ...synonymsOf(word, false)];
  return own.length > 1 || texts.some((text) => has(text, word)) ? own : [word, ...synonymsOf(word, true)];
}

/** The operations that match, and the words of the API that were searched too. */
export function find(entries, query) {
  const texts = entries.map((entry) => entry.text);
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).map((word) => meanings(texts, word));
  const found = entries.filter(({ text }) => words.every((any) => any.some((word) => has(text, word))));
  return { found: new Set(found), also: words.filter((any) => any.length > 1).map(([word, ...others]) => ({ word, others })) };
}

function told(count, all, also) {
  if (!count) return `Nothing found in ${all} calls.`;
  const calls = count === 1 ? "1 call" : `${count} calls`;
  return `${calls} of ${all}.${also.map(({ word, others }) => ` Here “${word}” is “${others.join("”, “")}”.`).join("")}`;
}

function nothing(query, clear) {
  const button = make("button", { type: "button" }, "Clear the search");
  button.addEventListener("click", clear);
  return [make("p", {}, make("strong", {}, `Nothing found for “${query}”.`)),
    make("p", {}, "Search for a path, a word of a summary or a field: ban, sync, Discord, rank, place_id."), button];
}

/** Hides what does not match, areas without a match too. */
function show(entries, found) {
  for (const entry of entries) entry.parts.forEach((part) => { part.hidden = !found.has(entry); });
  for (const group of document.querySelectorAll(".area, .group")) {
    group.hidden = !group.querySelector(":scope > article:not([hidden]), :scope > ul > li:not([hidden])");
  }
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
  const entries = operations.map(({ operation, parts }) => ({ parts, text: textOf(api, operation) }));
  const [input, count, empty] = [byId("query"), byId("count"), byId("nothing")];
  let later;
  const apply = () => {
    const query = input.value.trim();
    const { found, also } = find(entries, query);
    show(entries, found);
    if (byId("intro").hidden !== Boolean(query)) byId("key").open = !query;
    byId("intro").hidden = Boolean(query);
    empty.hidden = found.size > 0;
    empty.replaceChildren(...(found.size ? [] : nothing(query, clear)));
    clearTimeout(later);
    later = setTimeout(() => { count.textContent = query ? told(found.size, entries.length, also) : ""; }, 200);
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
  input.value = new URL(location.href).searchParams.get("q") || "";
  if (input.value) apply();
}
