const words = (element) => (element.innerText || element.value || element.getAttribute("aria-label") || "").replace(/\s+/g, " ").trim();
const shown = (element) => element.checkVisibility() && element.getClientRects().length > 0 && !element.disabled;

/** The middle of the element of these kinds, where the mouse hits it; the whole text counts before a part of it. */
const place = (kinds, text) => {
  const all = [...document.querySelectorAll(kinds)].filter(shown);
  const found = all.find((one) => words(one) === text) ?? all.find((one) => words(one).includes(text));
  if (!found || document.readyState !== "complete") return null;
  found.scrollIntoView({ block: "center", behavior: "instant" });
  const box = found.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const hit = document.elementFromPoint(x, y);
  return found === hit || found.contains(hit) ? { x, y } : null;
};

const labelOf = (field) => [...(field.labels ?? [])].map((label) => label.innerText).join(" ") || field.getAttribute("aria-label") || "";

/** Focuses the field with its text selected, or chooses the option; the kind of the field. */
const fill = (label, text) => {
  const all = [...document.querySelectorAll("input, select, textarea")].filter(shown);
  const field = all.find((one) => labelOf(one).trim() === label) ?? all.find((one) => labelOf(one).includes(label));
  if (!field || document.readyState !== "complete") return null;
  if (field.type === "date") {
    field.value = text;
    return "date";
  }
  if (field.localName !== "select") {
    field.focus();
    field.select?.();
    return field.localName;
  }
  const option = [...field.options].find((one) => one.text.includes(text) && !one.disabled);
  if (!option) return null;
  field.value = option.value;
  field.dispatchEvent(new Event("change", { bubbles: true }));
  return "select";
};

/** What has the focus: its words or label, and whether one sees that it has it. */
const focused = () => {
  const element = document.activeElement;
  if (!element || element.matches("body, main")) return { name: "", outlined: true };
  const style = getComputedStyle(element);
  const outlined = (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none";
  const others = element.type === "radio" ? [...element.form.elements].filter(({ name }) => name === element.name) : [];
  const choice = others.map(labelOf).join(", ");
  return { name: labelOf(element).trim() || words(element), outlined, choice, checked: element.checked, field: element.matches("input, select, textarea") };
};
