// The list of calls: a rail where there is room, else opened by a button.

import { byId } from "./dom.js";

function startButton(button, menu) {
  const set = (open) => {
    menu.classList.toggle("open", open);
    button.setAttribute("aria-expanded", open);
  };
  const isOpen = () => menu.classList.contains("open");
  button.addEventListener("click", () => {
    set(!isOpen());
    if (isOpen()) [...menu.querySelectorAll("a")].find((link) => link.offsetParent)?.focus();
  });
  menu.addEventListener("click", (event) => {
    if (event.target.closest("a")) set(false);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !isOpen()) return;
    set(false);
    button.focus();
  });
  document.addEventListener("click", (event) => {
    if (isOpen() && !menu.contains(event.target) && event.target !== button) set(false);
  });
  button.hidden = false;
}

/** Marks the link of the operation at the top of the window. */
function follow(menu) {
  let current = null;
  const seen = new Set();
  const mark = () => {
    const first = [...seen].sort((a, b) => a.offsetTop - b.offsetTop)[0];
    const link = first && menu.querySelector(`a[href="#${first.id}"]`);
    if (!link || link === current) return;
    current?.removeAttribute("aria-current");
    current = link;
    current.setAttribute("aria-current", "true");
    if (!menu.contains(document.activeElement)) keepInSight(menu, link);
  };
  const observer = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) seen[isIntersecting ? "add" : "delete"](target);
    mark();
  }, { rootMargin: "-72px 0px -60% 0px" });
  document.querySelectorAll("article").forEach((article) => observer.observe(article));
}

function keepInSight(menu, link) {
  const [outer, own] = [menu.getBoundingClientRect(), link.getBoundingClientRect()];
  if (own.top < outer.top || own.bottom > outer.bottom) menu.scrollTop += own.top - outer.top - outer.height / 2;
}

export function startMenu() {
  const menu = byId("menu");
  startButton(byId("menu-button"), menu);
  follow(menu);
}
