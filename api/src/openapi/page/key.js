// The key and the guild of the calls that are tried. They live in this page; in the tab's storage only if asked.

import { byId, remember, remembered, say } from "./dom.js";
import { BASE } from "./request.js";

/** A small read that every guild answers alike: it tells whether the key is accepted. */
const CHECK = "/staff/action-types?limit=1";

const storage = () => sessionStorage;
const FIELDS = [["key-text", "guildhall-docs-key"], ["key-guild", "guildhall-docs-guild"]];
const listeners = [];

function valueOf(id) {
  return byId(id).value.trim();
}

export function key() {
  return valueOf("key-text");
}

export function guild() {
  return valueOf("key-guild");
}

/** Hears of every change of key or guild. */
export function onKeyChange(listener) {
  listeners.push(listener);
}

/** Goes to the field of the key. */
export function askKey() {
  byId("key").open = true;
  byId("key-text").focus();
  byId("key").scrollIntoView();
}

function showState(text) {
  byId("key-state").textContent = text;
}

/** What the service says of the key. A key without the scope `read` is refused here, but known. */
async function verdict() {
  const headers = guild() ? { "X-API-Key": key(), "X-Guild-ID": guild() } : { "X-API-Key": key() };
  const answer = await fetch(BASE + CHECK, { headers, credentials: "omit", cache: "no-store" });
  const { error, message } = await answer.json();
  if (answer.ok || error === "scope_missing") return guild() ? `valid for guild ${guild()}` : "valid; type its guild id";
  if (answer.status === 401) return `not accepted: ${message}`;
  return error === "other_guild" ? "valid, but for another guild" : `not checked: ${message}`;
}

let checks = 0;
let changed = false;

/** Asks about the key and shows the verdict, unless it was changed meanwhile. */
async function check() {
  const own = ++checks;
  changed = false;
  if (!key()) return showState("none yet");
  showState("checking…");
  const text = await verdict().catch((error) => `not checked: ${error.message}`);
  if (own !== checks) return undefined;
  say(`Key ${text}`);
  return showState(text);
}

/** Not while it is typed: an address may send only so many wrong keys. */
function typed() {
  checks += 1;
  changed = true;
  showState(key() ? "not checked yet" : "none yet");
}

function keep() {
  for (const [id, name] of FIELDS) remember(storage, name, byId("key-keep").checked ? valueOf(id) : "");
}

export function startKey() {
  const form = byId("key-form");
  for (const [id, name] of FIELDS) byId(id).value = remembered(storage, name);
  byId("key-keep").checked = Boolean(key() || guild());
  check();
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    keep();
    listeners.forEach((listener) => listener());
    if (event.target === byId("key-keep")) return;
    if (event.inputType === "insertFromPaste") check();
    else typed();
  });
  form.addEventListener("change", () => changed && check());
  byId("key").hidden = false;
}
