// Keys: `/` goes to the search, `?` shows the keys, Escape closes menus and panels, and leaves the search.
const POPUPS = "details:is(.menu, .ids)[open]";

function closeMenus(except) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(except)) menu.open = false;
  }
}

/** What is open closes, and the focus goes where it was opened; the search is emptied, then left. */
function escape(target) {
  for (const popup of document.querySelectorAll(POPUPS)) {
    if (popup.contains(document.activeElement)) popup.querySelector("summary").focus();
    popup.open = false;
  }
  if (document.querySelector(".panel:target")) location.hash = "main";
  if (!target.matches("[data-find]")) return;
  if (target.value === "") document.querySelector("main").focus({ preventScroll: true });
  target.value = "";
}

function showKeys() {
  closeMenus(null);
  const dialog = document.querySelector("[data-keys]");
  if (dialog && !dialog.open) dialog.showModal();
}

function find() {
  document.querySelector("[data-find]")?.focus();
}

const KEYS = { "/": find, "?": showKeys };

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") escape(event.target);
  const typing = event.target.closest("input, textarea, select");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-show-keys]")) {
    showKeys();
    return;
  }
  // A menu closes when the focus leaves it; a dialog by its button, or by a click beside it.
  closeMenus(event.target);
  if (event.target.matches("dialog, dialog [data-close]")) event.target.closest("dialog").close();
});
