// The request of an operation, from its form; the examples and the call use it.

import { jsonOf } from "./schema.js";

/** The address below which the API is served, also behind a proxy's prefix. */
export const BASE = location.origin + location.pathname.replace(/\/docs\/?$/, "");

/** Changes data; most such calls take an `Idempotency-Key`. */
export function changes(operation) {
  return operation.method !== "get" && operation["x-writes"] !== false;
}

export function takesIdempotencyKey(operation) {
  return (operation.parameters || []).some((one) => one.name === "Idempotency-Key");
}

export function isSocket(operation) {
  return Boolean(operation.responses["101"]);
}

/** What the form holds at first: the body's example. `guild_id` is left out: the key's guild is meant. */
export function prefilled(operation) {
  const parameters = Object.fromEntries((operation.parameters || []).map((one) => [one.name, ""]));
  const content = jsonOf(operation.requestBody);
  if (!content) return { parameters };
  const { guild_id: _, ...body } = content.example;
  return { parameters, body: JSON.stringify(body, null, 2) };
}

/** With the document's examples for required parameters that are empty. Throws a SyntaxError if the body is not JSON. */
export function requestOf(operation, { parameters, body }) {
  const values = {};
  for (const one of operation.parameters || []) values[one.name] = parameters[one.name] || (one.required ? String(one.example) : "");
  const filled = (place) => (operation.parameters || []).filter((one) => one.in === place && values[one.name]);
  const path = operation.path.replace(/{(\w+)}/g, (_, name) => encodeURIComponent(values[name]));
  const query = filled("query").map((one) => `${one.name}=${encodeURIComponent(values[one.name])}`).join("&");
  const headers = filled("header").map((one) => [one.name, values[one.name]]);
  const request = { method: operation.method.toUpperCase(), path, query: query && `?${query}`, headers };
  if (body !== undefined && body.trim()) {
    request.body = JSON.parse(body);
    request.headers.push(["Content-Type", "application/json"]);
  }
  return request;
}
