// A field with `data-suggest` is a combobox: the server's suggestions open below it while somebody types. Those of the search
// lead to their pages, others fill the field. Without this script the form finds the same.
const PAUSE_MS = 250;
const list = Object.assign(document.createElement("div"), { id: "suggestions", className: "suggestions" });
list.setAttribute("role", "listbox");
list.setAttribute("aria-label", "Suggestions");
let field = null;
let waiting = null;

const options = () => [...list.querySelectorAll("[role=option]")];
const marked = () => list.querySelector("[aria-selected=true]");

function announce(text) {
  document.querySelector("[data-announce]").textContent = text;
}

function close() {
  clearTimeout(waiting);
  list.remove();
  field?.setAttribute("aria-expanded", "false");
  field?.removeAttribute("aria-activedescendant");
}

function mark(option) {
  marked()?.setAttribute("aria-selected", "false");
  option.setAttribute("aria-selected", "true");
  field.setAttribute("aria-activedescendant", option.id);
  option.scrollIntoView({ block: "nearest" });
}

function choose(option) {
  close();
  if (option.href) {
    location.assign(option.href);
    return;
  }
  field.value = option.dataset.value;
  // What is drawn from the field follows.
  field.dispatchEvent(new CustomEvent("input", { bubbles: true, detail: list }));
}

function open(rows) {
  list.replaceChildren(...rows);
  options().forEach((option, place) => { option.id = `suggestion-${place}`; });
  field.parentElement.append(list);
  list.style.top = `${field.offsetTop + field.offsetHeight + 4}px`;
  list.classList.remove("leftward");
  list.classList.toggle("leftward", list.getBoundingClientRect().right > document.documentElement.clientWidth);
  field.setAttribute("aria-expanded", "true");
  field.setAttribute("aria-controls", list.id);
  const found = options().length;
  announce(found === 1 ? "1 suggestion" : `${found} suggestions`);
}

async function ask(typed) {
  const { suggest, server = "" } = field.dataset;
  const of = new URLSearchParams({ of: suggest, server, q: typed });
  const asked = `/console/guilds/${document.body.dataset.guild}/suggest?${of}`;
  const response = await fetch(asked, { credentials: "same-origin" }).catch(() => null);
  if (!response?.ok || response.redirected) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  // Another text has another answer, and who has left the field wants none.
  if (document.activeElement !== field || field.value.trim() !== typed) return;
  close();
  if (page.querySelector("[role=option]")) open(document.adoptNode(page.body).childNodes);
}

function suggest(target) {
  field = target;
  for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"]]) field.setAttribute(name, value);
  close();
  const typed = field.value.trim();
  if (typed.length > 1) waiting = setTimeout(ask, PAUSE_MS, typed);
}

document.addEventListener("input", ({ target, detail }) => {
  if (target.dataset.suggest && detail !== list) suggest(target);
});
// Somebody may have typed before this script was there.
const first = document.activeElement;
if (first?.dataset.suggest && first.value !== first.defaultValue) suggest(first);

function move(event, by) {
  const all = options();
  const from = all.indexOf(marked());
  event.preventDefault();
  mark(all.at(from < 0 ? Math.min(by, 0) : (from + by) % all.length));
}

const KEYS = {
  ArrowDown: (event) => move(event, 1),
  ArrowUp: (event) => move(event, -1),
  Enter: (event) => {
    if (!marked()) return;
    event.preventDefault();
    choose(marked());
  },
  Escape: (event) => {
    event.stopPropagation();
    close();
  },
};

// Before the other keys of the page: Escape closes the list alone.
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" || event.key === "Escape") clearTimeout(waiting);
  if (list.isConnected && event.target === field && Object.hasOwn(KEYS, event.key)) KEYS[event.key](event);
}, true);

document.addEventListener("focusout", ({ target }) => target === field && close());
// The focus stays in the field.
list.addEventListener("mousedown", (event) => event.preventDefault());
list.addEventListener("click", (event) => {
  const option = event.target.closest("[role=option]");
  if (!option || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  choose(option);
});
