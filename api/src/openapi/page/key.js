// The key and the guild of the calls that are tried. They live in this page; in the tab's storage only if asked.

import { byId, remember, remembered } from "./dom.js";

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

function showState() {
  byId("key-state").textContent = key() ? "typed" : "none yet";
}

function keep() {
  for (const [id, name] of FIELDS) remember(storage, name, byId("key-keep").checked ? valueOf(id) : "");
}

export function startKey() {
  const form = byId("key-form");
  for (const [id, name] of FIELDS) byId(id).value = remembered(storage, name);
  byId("key-keep").checked = Boolean(key() || guild());
  showState();
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    keep();
    showState();
    listeners.forEach((listener) => listener());
  });
  byId("key").hidden = false;
}
