"use strict";
// Draws the page from openapi.json. Everything from the document goes in as text, never as markup.

const METHODS = ["get", "post", "put", "patch", "delete"];

/** An element; children are elements or texts. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Text with `code` and **bold** in it. */
function prose(text) {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/);
  return parts.filter(Boolean).map((part) => {
    if (part.startsWith("`")) return make("code", {}, part.slice(1, -1));
    if (part.startsWith("**")) return make("strong", {}, part.slice(2, -2));
    return part;
  });
}

/** What a reference leads to, the parts of a composed object as one. */
function follow(api, value) {
  if (!value) return value;
  let found = value;
  if (value.$ref) {
    found = value.$ref.slice(2).split("/").reduce((inside, key) => inside[key], api);
    found = { ...found, ...(value.description ? { description: value.description } : {}), named: value.$ref.split("/").pop() };
  }
  return found.allOf ? { ...found, ...composed(found.allOf.map((part) => follow(api, part))) } : found;
}

function composed(parts) {
  const properties = Object.assign({}, ...parts.map((part) => part.properties));
  return { type: "object", properties, required: parts.flatMap((part) => part.required || []) };
}

/** Its own description, or that of the alternative that is not null. */
function about(api, raw) {
  const schema = follow(api, raw);
  const options = schema.anyOf || schema.oneOf || [];
  return schema.description || options.map((option) => follow(api, option).description).find(Boolean);
}

function types(schema) {
  return [].concat(schema.type || []);
}

/** The type in a few words: `integer 1…255`, `string ≤ 1000 or null`. */
function typeOf(api, raw) {
  const schema = follow(api, raw);
  const options = schema.anyOf || schema.oneOf;
  if (options) return options.map((option) => typeOf(api, option)).join(" or ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const names = types(schema);
  let text = names[0] || "any";
  if (text === "array") text = `${typeOf(api, schema.items)}[]`;
  else if (schema.named && text === "object") text = schema.named;
  if (schema.format && names[0] === "string") text = schema.format;
  return [text + bounds(schema), ...names.slice(1)].join(" or ");
}

function bounds(schema) {
  const huge = Number.MAX_SAFE_INTEGER;
  const parts = [];
  const range = (low, high) => {
    const upper = high === undefined || high > huge ? undefined : high;
    if (low !== undefined && upper !== undefined) parts.push(`${low}…${upper}`);
    else if (low !== undefined) parts.push(`≥ ${low}`);
    else if (upper !== undefined) parts.push(`≤ ${upper}`);
  };
  range(schema.minimum, schema.maximum);
  if (schema.maxLength) parts.push(`${schema.minLength || 0}…${schema.maxLength} characters`);
  if (schema.maxItems) parts.push(`of ${schema.minItems || 0}…${schema.maxItems}`);
  if (schema.default !== undefined) parts.push(`default ${JSON.stringify(schema.default)}`);
  return parts.length ? ` ${parts.join(", ")}` : "";
}

function row(name, required, type, text) {
  const title = make("span", { class: required ? "name required" : "name" }, name);
  const right = make("td", {}, make("span", { class: "type" }, type));
  if (text) right.append(make("span", { class: "about" }, ...prose(text)));
  return make("tr", {}, make("td", {}, title), right);
}

/** Rows for the fields of an object, those of objects inside it as `outer.inner`. */
function fieldRows(api, raw, prefix = "", depth = 0) {
  const schema = follow(api, raw);
  const required = new Set(schema.required || []);
  const order = (name) => [name === "id" ? 0 : 1, required.has(name) ? 0 : 1];
  const names = Object.keys(schema.properties || {}).sort((a, b) => {
    const [x, y] = [order(a), order(b)];
    return x[0] - y[0] || x[1] - y[1];
  });
  return names.flatMap((name) => {
    const field = schema.properties[name];
    const rows = [row(prefix + name, required.has(name), typeOf(api, field), about(api, field))];
    return depth < 4 ? rows.concat(inner(api, field, prefix + name, depth)) : rows;
  });
}

function inner(api, raw, name, depth) {
  const schema = follow(api, raw);
  const options = (schema.anyOf || schema.oneOf || []).find((option) => follow(api, option).properties);
  if (options) return inner(api, options, name, depth);
  if (schema.items && follow(api, schema.items).properties) return fieldRows(api, schema.items, `${name}[].`, depth + 1);
  return schema.properties ? fieldRows(api, schema, `${name}.`, depth + 1) : [];
}

function table(title, rows) {
  if (!rows.length) return [];
  return [make("h4", {}, title), make("table", {}, make("tbody", {}, ...rows))];
}

/** The envelope in the order it is sent. */
function ordered(value) {
  const { status, code, message, ...rest } = value;
  return status === undefined ? value : { status, code, message, ...rest };
}

function example(title, value) {
  return [make("h4", {}, title), make("pre", {}, typeof value === "string" ? value : JSON.stringify(ordered(value), null, 2))];
}

function curl(operation) {
  let path = operation.path;
  const query = [];
  for (const parameter of operation.parameters || []) {
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(parameter.example));
    if (parameter.in === "query" && parameter.required) query.push(`${parameter.name}=${encodeURIComponent(parameter.example)}`);
  }
  const base = location.pathname.replace(/\/docs\/?$/, "");
  const url = location.origin + base + path + (query.length ? `?${query.join("&")}` : "");
  const lines = [`curl ${operation.method === "get" ? "" : `-X ${operation.method.toUpperCase()} `}'${url}'`, `  -H "X-API-Key: $KEY"`];
  const body = operation.requestBody && operation.requestBody.content["application/json"].example;
  if (body) lines.push(`  -H 'Content-Type: application/json'`, `  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`);
  return lines.join(" \\\n");
}

function windowOf(seconds) {
  return { 60: "minute", 3600: "hour" }[seconds] || `${seconds} s`;
}

function facts(operation) {
  const rate = operation["x-rate-limit"];
  const per = rate.per === "guild" ? " and guild" : "";
  return make("ul", { class: "facts" },
    make("li", {}, "rate limit ", make("b", {}, `${rate.limit} a ${windowOf(rate.window_seconds)}${per}`)),
    make("li", {}, "bucket ", make("b", {}, rate.bucket)),
    make("li", {}, "scope ", make("b", {}, operation["x-scope"])));
}

function errors(api, operation) {
  const rows = Object.entries(operation.responses).filter(([status]) => status >= 400).map(([status, raw]) =>
    make("tr", {}, make("td", {}, make("span", { class: "status" }, status)), make("td", {}, ...prose(follow(api, raw).description))));
  return make("details", {}, make("summary", {}, `Errors: ${rows.map((line) => line.firstChild.textContent).join(", ")}`),
    make("table", {}, make("tbody", {}, ...rows)));
}

function answers(api, operation) {
  return Object.entries(operation.responses).filter(([status]) => status < 400).flatMap(([status, raw]) => {
    const response = follow(api, raw);
    const content = response.content && response.content["application/json"];
    if (!content) return [make("h4", {}, status), make("p", {}, ...prose(response.description))];
    const shown = example(`${status} example`, content.example);
    if (status !== "200") return [make("details", {}, make("summary", {}, `${status}: ${response.description}`), ...shown)];
    return shown;
  });
}

function dataRows(api, operation) {
  const done = follow(api, operation.responses["200"]);
  const schema = done && done.content["application/json"].schema;
  const data = schema && schema.properties.data;
  if (!data) return [];
  const rows = follow(api, data).properties ? fieldRows(api, data) : inner(api, data, "", 0);
  return rows.length ? rows : [row("data", true, typeOf(api, data), about(api, data))];
}

function draw(api, operation) {
  const parameters = (place) => (operation.parameters || []).filter((parameter) => parameter.in === place)
    .map((parameter) => row(parameter.name, parameter.required, typeOf(api, parameter.schema), parameter.description));
  const body = operation.requestBody && operation.requestBody.content["application/json"];
  const left = make("div", {},
    ...table("Path", parameters("path")),
    ...table("Query", parameters("query")),
    ...table("Headers", parameters("header")),
    ...table("Request fields", body ? fieldRows(api, body.schema) : []),
    ...table("Answer: data", dataRows(api, operation)));
  const right = make("div", {}, ...example("Request", curl(operation)), ...answers(api, operation));
  const top = make("div", { class: "wide" }, facts(operation));
  if (operation.description) top.append(make("p", {}, ...prose(operation.description)));
  return make("article", { id: operation.operationId },
    make("h3", {}, make("span", { class: `method ${operation.method}` }, operation.method.toUpperCase()),
      make("span", { class: "path" }, operation.path), make("span", { class: "summary" }, operation.summary)),
    make("div", { class: "body" }, top, left, right, make("div", { class: "wide" }, errors(api, operation))));
}

function all(api) {
  return Object.entries(api.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ ...item[method], method, path })));
}

function link(operation) {
  return make("a", { href: `#${operation.operationId}`, title: operation.path, "data-for": operation.operationId },
    make("span", { class: `method ${operation.method}` }, operation.method.toUpperCase()), operation.summary);
}

function show(api) {
  document.getElementById("version").textContent = api.info.version;
  const intro = document.getElementById("intro");
  intro.replaceChildren(make("h1", {}, `${api.info.title} API`));
  for (const text of api.info.description.split("\n\n")) intro.append(make("p", {}, ...prose(text)));
  const [areas, operations] = [document.getElementById("areas"), document.getElementById("operations")];
  for (const tag of api.tags) {
    const own = all(api).filter((operation) => operation.tags[0] === tag.name);
    const name = `area-${tag.name.replaceAll(" ", "-")}`;
    areas.append(make("div", { class: "group" }, make("h2", {}, make("a", { href: `#${name}` }, tag.name)), ...own.map(link)));
    operations.append(make("section", { class: "area", id: name }, make("h2", {}, tag.name),
      make("p", {}, ...prose(tag.description)), ...own.map((operation) => draw(api, operation))));
  }
}

function filter(words) {
  for (const article of document.querySelectorAll("article")) {
    const text = article.textContent.toLowerCase();
    const fits = words.every((word) => text.includes(word));
    article.classList.toggle("hidden", !fits);
    const entry = document.querySelector(`nav a[data-for="${article.id}"]`);
    if (entry) entry.classList.toggle("hidden", !fits);
  }
  for (const group of document.querySelectorAll(".group, .area")) {
    const left = group.querySelector("article:not(.hidden), a[data-for]:not(.hidden)");
    group.classList.toggle("hidden", !left);
  }
}

async function start() {
  const answer = await fetch("openapi.json");
  if (!answer.ok) throw new Error(`openapi.json: ${answer.status}`);
  show(await answer.json());
  const input = document.getElementById("filter");
  input.addEventListener("input", () => filter(input.value.toLowerCase().split(/\s+/).filter(Boolean)));
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (target) target.scrollIntoView();
}

start().catch((error) => {
  document.getElementById("intro").textContent = `The documentation cannot be shown: ${error.message}`;
});
