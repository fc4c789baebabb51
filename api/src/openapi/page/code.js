// Blocks of code with a button that copies them, and the tabs of the examples.

import { make, remember, remembered, say } from "./dom.js";
import { LANGUAGES } from "./examples.js";

const CHOSEN = "guildhall-docs-language";
const storage = () => localStorage;
const groups = [];

/** Without a secure context there is no clipboard: then the text is selected, and copied the old way where that works. */
async function copied(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(code);
    return document.execCommand("copy");
  }
}

function copyButton(what, code) {
  const text = make("span", {}, "Copy");
  const button = make("button", { type: "button", class: "copy" }, text, make("span", { class: "unseen" }, ` ${what}`));
  button.addEventListener("click", async () => {
    const done = await copied(code);
    text.textContent = done ? "Copied" : "Selected: press Ctrl+C";
    say(done ? `Copied: ${what}` : `The text is selected: ${what}. Press Ctrl+C.`);
    setTimeout(() => { text.textContent = "Copy"; }, 2000);
  });
  return button;
}

/** A block of code; `what` names it to those who cannot see where it stands. */
export function block(what, text) {
  const code = make("code", {}, text);
  const element = make("div", { class: "code" }, copyButton(what, code), make("pre", { tabindex: "0" }, code));
  return { element, write: (other) => { code.textContent = other; } };
}

/** All groups show the language that was chosen last; what is being looked at stays where it is. */
function choose(name, tab) {
  const before = tab.getBoundingClientRect().top;
  groups.forEach((group) => group.show(name));
  scrollBy(0, tab.getBoundingClientRect().top - before);
  remember(storage, CHOSEN, name);
}

function keys(event, tabs) {
  const at = tabs.indexOf(event.target);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const tab = tabs[to % tabs.length];
  choose(tab.textContent, tab);
  tab.focus();
}

/** The examples of one operation. `update` draws them anew after a change of its form. */
export function examples(operation, requestNow) {
  const id = (name) => `${operation.operationId}-${name}`;
  const { element, write } = block(`example of ${operation.summary}`, "");
  const tabs = LANGUAGES.map(({ name }) =>
    make("button", { type: "button", role: "tab", id: id(name), "aria-controls": id("example") }, name));
  const list = make("div", { role: "tablist", "aria-label": "Language" }, ...tabs);
  const panel = make("div", { role: "tabpanel", id: id("example") }, element);
  let chosen = LANGUAGES[0];
  const update = () => write(chosen.write(operation, requestNow()));
  const show = (name) => {
    chosen = LANGUAGES.find((language) => language.name === name) || LANGUAGES[0];
    for (const tab of tabs) {
      const here = tab.textContent === chosen.name;
      tab.setAttribute("aria-selected", here);
      tab.tabIndex = here ? 0 : -1;
    }
    panel.setAttribute("aria-labelledby", id(chosen.name));
    update();
  };
  tabs.forEach((tab) => tab.addEventListener("click", () => choose(tab.textContent, tab)));
  list.addEventListener("keydown", (event) => keys(event, tabs));
  groups.push({ show });
  show(remembered(storage, CHOSEN));
  return { element: make("div", { class: "examples" }, list, panel), update };
}
