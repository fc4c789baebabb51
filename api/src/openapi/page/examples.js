// Examples of a request in three languages. They are complete and run unchanged.

import { BASE, isSocket, takesIdempotencyKey } from "./request.js";
import { GAME_CALLS, resultOf } from "./results.js";
import { jsonOf } from "./schema.js";

const KEY_NAME = "guildhall_key";
const POLLING = "GET /play/servers/{serverId}/commands";

/** Not for heartbeats: calls that may come so often are safe to repeat, and each key is kept for a day. */
function needsIdempotencyKey(operation, request) {
  const often = operation["x-rate-limit"].limit >= 300;
  return takesIdempotencyKey(operation) && !often && !request.headers.some(([name]) => name === "Idempotency-Key");
}

/** `'…'` for a shell. */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** People open the socket of dashboards, with their own token; everything else takes a key. */
function takesToken(operation) {
  return Boolean(operation.security);
}

function curl(operation, request) {
  const method = request.method === "GET" ? "" : `-X ${request.method} `;
  const secret = takesToken(operation) ? "Authorization: Bearer $TOKEN" : "X-API-Key: $KEY";
  const lines = [`curl ${method}${quoted(BASE + request.path + request.query)}`, `  -H "${secret}"`];
  if (isSocket(operation)) {
    lines[0] = `curl -i -N --http1.1 --max-time 30 ${quoted(BASE + request.path + request.query)}`;
    lines.push("  -H 'Connection: Upgrade' -H 'Upgrade: websocket'",
      "  -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: Z3VpbGRoYWxsLWRvY3MtMQ=='");
  }
  for (const [name, value] of request.headers) lines.push(`  -H ${quoted(`${name}: ${value}`)}`);
  if (request.body !== undefined) {
    const short = JSON.stringify(request.body);
    lines.push(`  -d ${quoted(short.length < 60 ? short : JSON.stringify(request.body, null, 2))}`);
  }
  return lines.join(" \\\n");
}

/** Values that a game script knows itself; they replace the values of the document, not typed ones. */
const NATIVE = {
  place_id: "game.PlaceId", universe_id: "game.GameId", server_id: "game.JobId",
  player_count: "#game:GetService(\"Players\"):GetPlayers()",
};

function nativeOf(operation, request) {
  if (operation["x-scope"] !== "play" || !request.body) return {};
  const { example } = jsonOf(operation.requestBody);
  return Object.fromEntries(Object.entries(NATIVE).filter(([name]) => request.body[name] === example[name]));
}

function luauText(text) {
  return JSON.stringify(text).replace(/\\u([0-9a-f]{4})/gi, "\\u{$1}");
}

function luauKey(name) {
  return /^[A-Za-z_]\w*$/.test(name) && !["and", "end", "for", "if", "in", "not", "or", "repeat", "then"].includes(name)
    ? name : `[${luauText(name)}]`;
}

/** A table; `null` is left out, as `nil` is. */
function luau(value, indent, native) {
  const inside = `${indent}\t`;
  const close = `\n${indent}}`;
  if (typeof value === "string") return luauText(value);
  if (value === null || typeof value !== "object") return String(value ?? "nil");
  const items = Array.isArray(value)
    ? value.map((item) => luau(item, inside, {}))
    : Object.entries(value).filter(([, item]) => item !== null)
      .map(([name, item]) => `${luauKey(name)} = ${native[name] || luau(item, inside, {})}`);
  return items.length ? `{\n${items.map((item) => `${inside}${item},`).join("\n")}${close}` : "{}";
}

/** What a game knows instead of an example in the path. */
const NATIVE_PATH = { serverId: "HttpService:UrlEncode(game.JobId)" };

/** `{ url, native }`: whether the game's own value replaces the example; a value that was typed stays. */
function luauAddress(operation, request) {
  const url = BASE + request.path + request.query;
  const values = { ...(operation["x-scope"] === "play" ? NATIVE_PATH : {}), ...GAME_CALLS[operation.operationId]?.native };
  const one = (operation.parameters || []).find(({ in: place, name }) => place === "path" && values[name]);
  const [before, after] = one ? url.split(encodeURIComponent(one.example)) : [];
  if (after === undefined) return { url: luauText(url), native: !one };
  return { url: `${luauText(before)} .. ${values[one.name]}${after ? ` .. ${luauText(after)}` : ""}`, native: true };
}

function luauHeaders(operation, request) {
  const headers = request.headers.map(([name, value]) => [name, luauText(value)]);
  if (needsIdempotencyKey(operation, request)) headers.push(["Idempotency-Key", "HttpService:GenerateGUID(false)"]);
  return [["X-API-Key", "key"], ...headers].map(([name, value]) => `\t\t\t[${luauText(name)}] = ${value},`);
}

/** Roblox keeps the key for one domain, and calls public addresses only. */
function luauNotes() {
  const host = location.hostname;
  const notes = ["-- Game Settings, Security: Allow HTTP Requests", `-- Creator Dashboard, Secrets: ${KEY_NAME}`];
  if (!/^(localhost|127\..*|\[::1\]|0\.0\.0\.0)$/.test(host)) return [...notes, `-- for the domain ${host}`];
  return [...notes, "-- for the domain of a public address, used below too", "-- (GUILDHALL_PUBLIC_URL of the service):",
    `-- Roblox cannot reach ${host}`];
}

function luauResult(operation) {
  const { list, values } = resultOf(operation);
  return list ? [`for _, item in ${list} do`, `\tprint(${values.join(", ")})`, "end"] : [`print(${values.join(", ")})`];
}

/** The call, and what is done with each kind of answer. */
function luauCall(operation, request, url, result) {
  const lines = ["local sent, response = pcall(function()", "\treturn HttpService:RequestAsync({",
    `\t\tUrl = ${url},`, `\t\tMethod = "${request.method}",`, "\t\tHeaders = {", ...luauHeaders(operation, request), "\t\t},"];
  if (request.body !== undefined) {
    lines.push(`\t\tBody = HttpService:JSONEncode(${luau(request.body, "\t\t", nativeOf(operation, request))}),`);
  }
  lines.push("\t})", "end)", "", "if not sent then", "\twarn(\"no answer: \" .. tostring(response))");
  if (request.headers.some(([name]) => name === "If-None-Match")) {
    lines.push("elseif response.StatusCode == 304 then", "\tprint(\"nothing new\")");
  }
  lines.push("elseif response.StatusCode == 429 then",
    "\twarn(\"wait \" .. response.Headers[\"retry-after\"] .. \" s\")", "elseif response.Success then",
    "\tlocal answer = HttpService:JSONDecode(response.Body)", ...result.map((line) => `\t${line}`), "else",
    "\twarn(response.StatusCode, response.Body)", "end");
  return lines;
}

function luauScript(operation, request) {
  if (takesToken(operation)) return "-- Not for games: people open this with a token of their own.";
  if (isSocket(operation)) {
    return ["-- Published games cannot open sockets:", "-- HttpService:CreateWebStreamClient works in Studio only.",
      `-- Poll instead: ${POLLING}`].join("\n");
  }
  const { url, native } = luauAddress(operation, request);
  const game = native && GAME_CALLS[operation.operationId];
  const call = luauCall(operation, request, url, game ? game.result : luauResult(operation));
  const lines = game ? [...game.before, ...call.map((line) => line.replace(/^(?=.)/gm, "\t")), ...game.after] : call;
  return [...luauNotes(), "local HttpService = game:GetService(\"HttpService\")",
    `local key = HttpService:GetSecret("${KEY_NAME}")`, "", ...lines].join("\n");
}

/** A literal, its further lines indented. */
function script(value, indent) {
  return JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:").replaceAll("\n", `\n${indent}`);
}

function socketScript(operation, request) {
  const url = BASE.replace(/^http/, "ws") + request.path + request.query;
  const header = takesToken(operation)
    ? "Authorization: `Bearer ${process.env.TOKEN}`" : "\"X-API-Key\": process.env.KEY ?? \"\"";
  return ["// Node.js 22 or newer, Bun and Deno; browsers cannot send a header here.",
    `const socket = new WebSocket(${JSON.stringify(url)}, {`,
    `  headers: { ${header} },`, "});",
    "socket.addEventListener(\"message\", (event) => console.log(JSON.parse(event.data)));",
    "socket.addEventListener(\"close\", (event) => console.log(\"closed\", event.code, event.reason));"].join("\n");
}

function typescriptResult(operation) {
  const { list, values } = resultOf(operation);
  const print = `console.log(${values.join(", ")});`;
  return [list ? `for (const item of ${list}) ${print}` : print];
}

function typescript(operation, request) {
  if (isSocket(operation)) return socketScript(operation, request);
  const headers = request.headers.map(([name, value]) => [name, JSON.stringify(value)]);
  if (needsIdempotencyKey(operation, request)) headers.push(["Idempotency-Key", "crypto.randomUUID()"]);
  const lines = [
    `const response = await fetch(${JSON.stringify(BASE + request.path + request.query)}, {`,
    `  method: "${request.method}",`, "  headers: {", "    \"X-API-Key\": process.env.KEY ?? \"\",",
    ...headers.map(([name, value]) => `    "${name}": ${value},`), "  },",
  ];
  if (request.body !== undefined) lines.push(`  body: JSON.stringify(${script(request.body, "  ")}),`);
  lines.push("});");
  if (request.headers.some(([name]) => name === "If-None-Match")) {
    lines.push("if (response.status === 304) process.exit(); // nothing new");
  }
  lines.push("if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);",
    "const answer: any = await response.json();", ...typescriptResult(operation));
  return lines.join("\n");
}

/** In the order of the tabs. */
export const LANGUAGES = [
  { name: "curl", write: curl },
  { name: "Luau", write: luauScript },
  { name: "TypeScript", write: typescript },
];
