// Draws the page from openapi.json.

import { byId, make, prose } from "./dom.js";
import { startKey } from "./key.js";
import { startMenu } from "./menu.js";
import { draw, method } from "./operation.js";
import { startSearch } from "./search.js";

const METHODS = ["get", "post", "put", "patch", "delete"];

function all(api) {
  return Object.entries(api.paths).flatMap(([path, item]) =>
    METHODS.filter((name) => item[name]).map((name) => ({ ...item[name], method: name, path })));
}

function link(operation) {
  return make("li", {}, make("a", { href: `#${operation.operationId}` }, method(operation), " ", operation.summary));
}

function intro(api) {
  byId("version").textContent = api.info.version;
  byId("about").append(...api.info.description.split("\n\n").map((text) => make("p", {}, ...prose(text))));
}

/** An area in the menu and on the page; gives each operation with its two elements. */
function area(api, tag) {
  const operations = all(api).filter((operation) => operation.tags[0] === tag.name);
  const drawn = operations.map((operation) => ({ operation, parts: [link(operation), draw(api, operation)] }));
  const id = `area-${tag.name.replaceAll(" ", "-")}`;
  byId("menu").append(make("div", { class: "group" }, make("h2", {}, make("a", { href: `#${id}` }, tag.name)),
    make("ul", {}, ...drawn.map(({ parts }) => parts[0]))));
  byId("operations").append(make("section", { class: "area", id }, make("h2", {}, tag.name),
    make("p", {}, ...prose(tag.description)), ...drawn.map(({ parts }) => parts[1])));
  return drawn;
}

async function start() {
  const answer = await fetch("openapi.json");
  if (!answer.ok) throw new Error(`openapi.json: ${answer.status}`);
  const api = await answer.json();
  startKey();
  intro(api);
  const drawn = api.tags.flatMap((tag) => area(api, tag));
  startSearch(api, drawn);
  startMenu();
  const target = location.hash && byId(location.hash.slice(1));
  if (target) target.scrollIntoView();
}

start().catch((error) => {
  byId("about").textContent = `The documentation cannot be shown: ${error.message}`;
});
