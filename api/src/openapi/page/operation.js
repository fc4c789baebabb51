// One operation: its parameters, answers and limits, its examples and the form that tries it.

import { block, examples } from "./code.js";
import { make, prose } from "./dom.js";
import { guild, onKeyChange } from "./key.js";
import { isSocket, prefilled, requestOf } from "./request.js";
import { answerFields, follow, jsonOf, parameters, requestFields, table } from "./schema.js";
import { tryForm } from "./try.js";
import { platformsIn } from "./words.js";

export function method(operation) {
  return make("span", { class: `method ${operation.method}` }, operation.method.toUpperCase());
}

function windowOf(seconds) {
  return { 60: "minute", 3600: "hour" }[seconds] || `${seconds} s`;
}

function platformsOf({ path, summary, description, tags }) {
  return platformsIn(`${path} ${summary} ${description || ""} ${tags[0]}`);
}

function limits(operation) {
  const rate = operation["x-rate-limit"];
  if (!rate) return [];
  const per = rate.per === "guild" ? " and guild" : "";
  const facts = [
    ["rate limit", `${rate.limit} a ${windowOf(rate.window_seconds)}${per}`], ["bucket", rate.bucket],
    ["scope", operation["x-scope"]],
  ];
  return facts.map(([name, value]) => make("li", {}, `${name} `, make("b", {}, value)));
}

function facts(operation) {
  const platforms = platformsOf(operation).map((name) => make("li", { class: "platform" }, name));
  return make("ul", { class: "facts" }, ...limits(operation), ...platforms);
}

/** The envelope in the order it is sent. */
function ordered(value) {
  const { status, code, message, ...rest } = value;
  return status === undefined ? value : { status, code, message, ...rest };
}

function answers(api, operation) {
  return Object.entries(operation.responses).filter(([status]) => status < 400).flatMap(([status, raw]) => {
    const response = follow(api, raw);
    const content = jsonOf(response);
    if (!content) return [make("h4", {}, `Answer ${status}`), make("p", {}, ...prose(response.description))];
    const text = JSON.stringify(ordered(content.example), null, 2);
    return [make("h4", {}, `Answer ${status}`), block(`answer ${status} of ${operation.summary}`, text).element];
  });
}

function errors(api, operation) {
  const refused = Object.entries(operation.responses).filter(([status]) => status >= 400);
  const rows = refused.map(([status, raw]) => make("tr", {},
    make("th", { scope: "row" }, status), make("td", {}, ...prose(follow(api, raw).description))));
  return make("details", {}, make("summary", {}, `Errors: ${refused.map(([status]) => status).join(", ")}`),
    make("table", { class: "errors" }, make("tbody", {}, ...rows)));
}

/** What the form holds, and the examples made of it; a body that is not JSON yet leaves them as they are. */
function liveExamples(operation) {
  const held = prefilled(operation);
  if ("guildId" in held.parameters) held.parameters.guildId = guild();
  let request = requestOf(operation, held);
  const { element, update } = examples(operation, () => request);
  const changed = () => {
    try { request = requestOf(operation, held); } catch { return; }
    update();
  };
  return { held, element, changed };
}

/** Drawn when it is opened first. */
function trying(api, operation, { held, changed }) {
  if (isSocket(operation)) return { element: null, keyChanged: () => {} };
  let form = null;
  const element = make("details", { class: "try" }, make("summary", {}, "Try this call"));
  element.addEventListener("toggle", () => {
    if (form || !element.open) return;
    form = tryForm(api, operation, held, changed);
    element.append(form.element);
  });
  return { element, keyChanged: () => form && form.keyChanged() };
}

/** The path may break after each slash. */
function title(operation) {
  const path = operation.path.split(/(?<=\/)/).flatMap((part) => [part, make("wbr")]);
  return make("h3", { id: `${operation.operationId}-title` }, method(operation), " ",
    make("a", { class: "path", href: `#${operation.operationId}` }, ...path), " ",
    make("span", { class: "summary" }, operation.summary));
}

export function draw(api, operation) {
  const live = liveExamples(operation);
  const form = trying(api, operation, live);
  let known = guild();
  onKeyChange(() => {
    if ("guildId" in live.held.parameters && guild() !== known) {
      known = live.held.parameters.guildId = guild();
      live.changed();
    }
    form.keyChanged();
  });
  const left = make("div", {},
    ...table("Path", parameters(api, operation, "path")),
    ...table("Query", parameters(api, operation, "query")),
    ...table("Headers", parameters(api, operation, "header")),
    ...table("Request fields", requestFields(api, operation)),
    ...table("Answer: data", answerFields(api, operation)));
  const right = make("div", {}, make("h4", {}, "Example"), live.element, ...answers(api, operation));
  const top = make("div", { class: "wide" }, facts(operation));
  if (operation.description) top.append(make("p", {}, ...prose(operation.description)));
  const bottom = make("div", { class: "wide" }, errors(api, operation), form.element);
  return make("article", { id: operation.operationId, "aria-labelledby": `${operation.operationId}-title` },
    title(operation), make("div", { class: "body" }, top, left, right, bottom));
}
