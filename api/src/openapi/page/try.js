// The form that sends a call, and the answer.

import { block } from "./code.js";
import { make, prose } from "./dom.js";
import { askKey, key } from "./key.js";
import { BASE, changes, requestOf } from "./request.js";
import { choices } from "./schema.js";
import { platformOf } from "./words.js";

/** Answer headers that are shown, in this order. */
const SHOWN = [
  "X-Request-ID", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset-After", "X-RateLimit-Bucket",
  "Retry-After", "Location", "Link", "ETag", "Preference-Applied", "Idempotent-Replayed", "X-Guildhall-Stale",
];
/** Characters of an answer that are shown: a list of thousands would hold up the page. */
const LONGEST = 100_000;

function inputOf(api, one, id, value) {
  const values = choices(api, one.schema);
  const required = one.required && "true";
  if (!values) {
    return make("input", {
      id, value, placeholder: `such as ${one.example}`, "aria-required": required, autocomplete: "off", spellcheck: "false",
      autocapitalize: "off",
    });
  }
  const blank = make("option", { value: "" }, one.required ? "choose" : "not sent");
  return make("select", { id, "aria-required": required }, blank,
    ...values.map((text) => make("option", { selected: text === value }, text)));
}

function parameterField(api, operation, one, held, changed) {
  const id = `${operation.operationId}-try-${one.name}`;
  const input = inputOf(api, one, id, held.parameters[one.name]);
  const hint = [one.in, one.required ? "required" : null, platformOf(one.name)].filter(Boolean).join(", ");
  const problem = make("p", { id: `${id}-problem`, class: "problem", hidden: true });
  input.setAttribute("aria-describedby", problem.id);
  input.addEventListener("input", () => {
    held.parameters[one.name] = input.value.trim();
    complain(input, problem, "");
    changed();
  });
  const label = make("label", { for: id }, make("span", { class: "name" }, one.name), " ", make("span", { class: "hint" }, hint));
  return { element: make("div", { class: "field" }, label, input, problem), input, problem, name: one.name, required: one.required };
}

function bodyField(operation, held, changed) {
  const id = `${operation.operationId}-try-body`;
  const problem = make("p", { id: `${id}-problem`, class: "problem", hidden: true });
  const rows = Math.min(held.body.split("\n").length, 20);
  const input = make("textarea", { id, rows, spellcheck: "false", autocapitalize: "off", "aria-describedby": problem.id });
  input.value = held.body;
  input.addEventListener("input", () => {
    held.body = input.value;
    complain(input, problem, "");
    changed();
  });
  const label = make("label", { for: id }, "Body ", make("span", { class: "hint" }, "JSON; its ids and texts are examples"));
  return { element: make("div", { class: "field wide" }, label, input, problem), input, problem };
}

/** Shows a problem at its field, or takes it away. */
function complain(input, place, text) {
  place.textContent = text;
  place.hidden = !text;
  if (text) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
}

function consentField(operation) {
  const id = `${operation.operationId}-try-consent`;
  const whose = operation["x-scope"] === "shield" ? "all guilds" : "your guild";
  const problem = make("p", { id: `${id}-problem`, class: "problem", hidden: true });
  const input = make("input", { type: "checkbox", id, "aria-describedby": problem.id });
  input.addEventListener("change", () => complain(input, problem, ""));
  return { element: make("label", { class: "check", for: id }, input, `This changes data of ${whose}`), input, problem };
}

/** Sends it; throws if there is no answer. */
async function send(request) {
  const headers = new Headers(request.headers);
  if (key()) headers.set("X-API-Key", key());
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  const began = performance.now();
  const answer = await fetch(BASE + request.path + request.query, {
    method: request.method, headers, body, credentials: "omit", cache: "no-store", redirect: "error",
  });
  const text = await answer.text();
  return { answer, text, took: Math.round(performance.now() - began) };
}

function parsed(text) {
  try { return JSON.parse(text); } catch { return undefined; }
}

function headersOf(answer) {
  const rows = SHOWN.filter((name) => answer.headers.has(name))
    .flatMap((name) => [make("dt", {}, name), make("dd", {}, answer.headers.get(name))]);
  return make("dl", { class: "pairs" }, ...rows);
}

function bodyOf(text, value) {
  if (!text) return make("p", { class: "hint" }, "The answer has no body.");
  const whole = value === undefined ? text : JSON.stringify(value, null, 2);
  const shown = block("the answer", whole.slice(0, LONGEST)).element;
  shown.classList.add("scrolls");
  if (whole.length <= LONGEST) return shown;
  return make("div", {}, shown, make("p", { class: "hint" }, `${whole.length - LONGEST} more characters are not shown.`));
}

/** Status, time and, of an error, the service's own words. */
function verdict(answer, took, value) {
  const good = answer.status < 400;
  const status = `${answer.status} ${answer.statusText}`.trim();
  const words = good ? [] : [make("strong", {}, value?.error || "error"), " ", ...prose(value?.message || "")];
  return make("p", { class: good ? "verdict good" : "verdict bad" },
    make("strong", {}, status), `, ${took} ms`, words.length ? make("span", { class: "words" }, ...words) : null);
}

async function perform(request, output, button) {
  button.setAttribute("aria-disabled", "true");
  button.textContent = "Sending…";
  try {
    const { answer, text, took } = await send(request);
    const value = parsed(text);
    output.status.replaceChildren(verdict(answer, took, value));
    output.rest.replaceChildren(headersOf(answer), bodyOf(text, value));
  } catch (error) {
    output.status.replaceChildren(make("p", { class: "verdict bad" }, make("strong", {}, "No answer"), `: ${error.message}`));
    output.rest.replaceChildren();
  }
  button.removeAttribute("aria-disabled");
  button.textContent = "Send";
}

/** The request, or nothing after the field that keeps it from being sent has been named. */
function checked(operation, held, { parameters, body, consent }) {
  const missing = parameters.filter(({ name, required }) => required && !held.parameters[name]);
  missing.forEach(({ input, problem, name }) => complain(input, problem, `Type the ${name} first.`));
  if (missing.length) {
    missing[0].input.focus();
    return undefined;
  }
  let request;
  try {
    request = requestOf(operation, held);
  } catch (error) {
    complain(body.input, body.problem, `This is not JSON: ${error.message}`);
    body.input.focus();
    return undefined;
  }
  if (!consent || consent.input.checked) return request;
  complain(consent.input, consent.problem, "Tick the box first, then send.");
  consent.input.focus();
  return undefined;
}

function keylessHint() {
  const link = make("a", { href: "#key" }, "Type your key");
  link.addEventListener("click", (event) => {
    event.preventDefault();
    askKey();
  });
  return make("p", { class: "hint" }, "Without a key the answer is 401. ", link);
}

/** The form of an operation. `held` is what it holds, `changed` hears of every change. */
export function tryForm(api, operation, held, changed) {
  const parameters = (operation.parameters || []).map((one) => parameterField(api, operation, one, held, changed));
  const body = held.body === undefined ? null : bodyField(operation, held, changed);
  const consent = changes(operation) ? consentField(operation) : null;
  const button = make("button", { class: "primary" }, "Send");
  const keyless = keylessHint();
  const output = { status: make("div", { role: "status" }), rest: make("div", {}) };
  const form = make("form", { novalidate: true, autocomplete: "off", "aria-label": `Try ${operation.summary}` },
    make("div", { class: "grid" }, ...parameters.map((one) => one.element), body && body.element),
    make("div", { class: "send" }, button, consent && consent.element), consent && consent.problem, keyless,
    output.status, output.rest);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (button.hasAttribute("aria-disabled")) return;
    const request = checked(operation, held, { parameters, body, consent });
    if (request) perform(request, output, button);
  });
  const keyChanged = () => {
    keyless.hidden = Boolean(key());
    for (const { name, input, problem } of parameters) {
      input.value = held.parameters[name];
      if (input.value) complain(input, problem, "");
    }
  };
  keyChanged();
  return { element: form, keyChanged };
}
