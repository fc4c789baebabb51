// The types of the document, in words and in rows of tables.

import { make, prose } from "./dom.js";
import { platformOf } from "./words.js";

/** What a reference leads to, the parts of a composed object as one. */
export function follow(api, value) {
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

function optionsOf(schema) {
  return schema.anyOf || schema.oneOf || [];
}

/** Its own description, or that of the alternative that is not null. */
export function about(api, raw) {
  const schema = follow(api, raw);
  return schema.description || optionsOf(schema).map((option) => follow(api, option).description).find(Boolean);
}

/** The values of an enumeration or a boolean, also where null is allowed. */
export function choices(api, raw) {
  const schema = follow(api, raw);
  if (schema.enum) return schema.enum.map(String);
  if ([].concat(schema.type || []).includes("boolean")) return ["true", "false"];
  return optionsOf(schema).map((option) => choices(api, option)).find(Boolean);
}

/** The type in a few words: `integer 1…255`, `string ≤ 1000 or null`. */
export function typeOf(api, raw) {
  const schema = follow(api, raw);
  const options = optionsOf(schema);
  if (options.length) return options.map((option) => typeOf(api, option)).join(" or ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const names = [].concat(schema.type || []);
  let text = names[0] || "any";
  if (text === "array") text = `${typeOf(api, schema.items)}[]`;
  else if (schema.named && text === "object") text = schema.named;
  if (schema.format && names[0] === "string") text = schema.format;
  return [text + bounds(schema), ...names.slice(1)].join(" or ");
}

function bounds(schema) {
  const parts = [];
  const low = schema.minimum;
  const high = schema.maximum > Number.MAX_SAFE_INTEGER ? undefined : schema.maximum;
  if (low !== undefined && high !== undefined) parts.push(`${low}…${high}`);
  else if (low !== undefined) parts.push(`≥ ${low}`);
  else if (high !== undefined) parts.push(`≤ ${high}`);
  if (schema.maxLength) parts.push(`${schema.minLength || 0}…${schema.maxLength} characters`);
  if (schema.maxItems) parts.push(`of ${schema.minItems || 0}…${schema.maxItems}`);
  if (schema.default !== undefined) parts.push(`default ${JSON.stringify(schema.default)}`);
  return parts.length ? ` ${parts.join(", ")}` : "";
}

/** A field as data: its dotted name, whether it is required, type and description. */
function field(api, name, required, schema, text) {
  return { name, required, type: typeOf(api, schema), text };
}

/** The fields of an object, those of objects inside it as `outer.inner`. */
export function fields(api, raw, prefix = "", depth = 0) {
  const schema = follow(api, raw);
  const required = new Set(schema.required || []);
  const order = (name) => (name === "id" ? 0 : 2) + (required.has(name) ? 0 : 1);
  const names = Object.keys(schema.properties || {}).sort((a, b) => order(a) - order(b));
  return names.flatMap((name) => {
    const own = schema.properties[name];
    const row = field(api, prefix + name, required.has(name), own, about(api, own));
    return depth < 4 ? [row, ...inner(api, own, prefix + name, depth)] : [row];
  });
}

function inner(api, raw, name, depth) {
  const schema = follow(api, raw);
  const option = optionsOf(schema).find((one) => follow(api, one).properties);
  if (option) return inner(api, option, name, depth);
  if (schema.items && follow(api, schema.items).properties) return fields(api, schema.items, `${name}[].`, depth + 1);
  return schema.properties ? fields(api, schema, `${name}.`, depth + 1) : [];
}

export function parameters(api, operation, place) {
  return (operation.parameters || []).filter((one) => one.in === place)
    .map((one) => field(api, one.name, one.required, one.schema, one.description));
}

export function jsonOf(content) {
  return content && content.content && content.content["application/json"];
}

export function requestFields(api, operation) {
  const body = jsonOf(operation.requestBody);
  return body ? fields(api, body.schema) : [];
}

/** The fields of `data` in a success; which of them are required concerns only who sends. */
export function answerFields(api, operation) {
  const done = jsonOf(follow(api, operation.responses["200"]));
  const data = done && done.schema.properties.data;
  if (!data) return [];
  const rows = follow(api, data).properties ? fields(api, data) : inner(api, data, "", 0);
  const all = rows.length ? rows : [field(api, "data", true, data, about(api, data))];
  return all.map((row) => ({ ...row, required: false }));
}

function line({ name, required, type, text }) {
  const title = make("th", { scope: "row" }, make("span", { class: "name" }, name));
  if (required) title.append(make("span", { class: "required" }, " required"));
  const right = make("td", {}, make("span", { class: "type" }, type));
  const platform = platformOf(name);
  if (platform) right.append(" ", make("span", { class: "platform" }, platform));
  if (text) right.append(make("span", { class: "about" }, ...prose(text)));
  return make("tr", {}, title, right);
}

/** A heading and its table; nothing for no rows. */
export function table(title, rows) {
  if (!rows.length) return [];
  return [make("h4", {}, title), make("table", { class: "fields" }, make("tbody", {}, ...rows.map(line)))];
}
