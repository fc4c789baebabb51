// On narrow screens the filters above a list are folded; the summary says how many are active.
const narrow = matchMedia("(max-width: 719px)");

function isActive(field) {
  if (!field.name || field.type === "hidden") return false;
  if (field.type === "checkbox" || field.type === "radio") return field.checked && field.value !== "";
  return field.tagName === "SELECT" ? field.selectedIndex > 0 : field.value.trim() !== "";
}

export function foldFilters(within) {
  if (!narrow.matches) return;
  // A search is one field, and stays.
  for (const form of within.querySelectorAll("form.filters:not([role=search])")) {
    const active = [...form.elements].filter(isActive).length;
    const fold = document.createElement("details");
    fold.className = "fold";
    fold.open = form.querySelector("[aria-invalid]") !== null;
    const summary = document.createElement("summary");
    summary.textContent = active === 0 ? "Filters" : `Filters (${active} active)`;
    form.replaceWith(fold);
    fold.append(summary, form);
  }
}
