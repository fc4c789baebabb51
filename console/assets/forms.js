// Forms answer in place. One that fails keeps its input, and shows the error at its top. A form of buttons alone has
// no room for that: it stands where the page says what a form did.
import { follows, isShown } from "./address.js";
import { foldFilters } from "./fold.js";
import { follow } from "./live.js";
import { leave, remember } from "./patch.js";
import { prepare } from "./prepare.js";
import { setClock } from "./times.js";

const isSignedIn = (page) => page.querySelector(".own") !== null;

function element(name, content, properties) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...content);
  return made;
}

const isTyped = (form) => form.querySelector("input:not([type=hidden]), select, textarea") !== null;

function forgetFailure() {
  document.querySelector(".failure")?.remove();
}

/** Says what failed, and offers to send the form again. */
function fail(form, submitter, content) {
  forgetFailure();
  const sendAgain = () => form.reportValidity() && send(form, submitter);
  const again = element("button", ["Try again"], { type: "button", onclick: sendAgain });
  const close = element("button", ["Close"], { type: "button" });
  close.dataset.dismiss = "";
  const problem = element("div", [...content, again, close], { className: "problem failure", tabIndex: -1 });
  problem.setAttribute("role", "alert");
  (isTyped(form) ? form : document.querySelector(".over")).prepend(problem);
  problem.scrollIntoView({ block: "nearest" });
  problem.focus({ preventScroll: true });
}

const person = (page) => page.querySelector(".own summary")?.firstChild?.textContent.trim();

/** A session that began elsewhere has another token. Says whether the form got a new one, of the same person. */
function renewToken(form, page) {
  const [own, fresh] = [form, page].map((place) => place.querySelector("[name=form_token]"));
  if (!own || !fresh || own.value === fresh.value) return false;
  own.value = fresh.value;
  return person(page) === person(document);
}

/** What a page that could not be shown says instead; `null`: it is the answer to the form. */
function failure(response, page) {
  const said = page.querySelector("[data-failure]");
  if (said) return [...said.children];
  // An answer of a proxy, or of a service that ends.
  if (!page.querySelector("main")) return [element("p", [`The service answers with the error ${response.status}.`])];
  // Signing out leads to the same page, but without a way back.
  const signedOut = response.redirected && !isSignedIn(page) && new URL(response.url).searchParams.has("to");
  if (!signedOut || !isSignedIn(document)) return null;
  const link = element("a", ["sign in in another tab"], { href: response.url, target: "_blank" });
  return [element("p", ["You are signed out: ", link, ", then try again here."])];
}

/** Puts the main part of an answer in place of ours. */
function place(response, page) {
  // Another frame: after signing in or out, or in another guild.
  if (page.body.dataset.guild !== document.body.dataset.guild || isSignedIn(page) !== isSignedIn(document)) {
    location.assign(response.url);
    return;
  }
  leave();
  forgetFailure();
  setClock(page);
  for (const name of ["main", ".bar", ".rail"]) {
    const part = page.querySelector(name);
    if (part) document.querySelector(name)?.replaceWith(document.adoptNode(part));
  }
  // Screen readers hear changes inside of this one.
  document.querySelector(".said-place").replaceChildren(...page.querySelector(".said-place").childNodes);
  document.title = page.title;
  document.documentElement.dataset.theme = page.documentElement.dataset.theme ?? "";
  const moved = response.redirected && !isShown(response.url);
  if (moved) follows("pushState", response.url);
  remember(document);
  prepare(document);
  foldFilters(document.querySelector("main"));
  follow(document.body.dataset.guild);
  show(moved);
}

/** The first field with an error; of a group of choices its first one, because a group takes no focus. */
function wrongField(main) {
  const wrong = main.querySelector("[aria-invalid]");
  return wrong?.matches("fieldset") ? wrong.querySelector(":is(input:not([type=hidden]), select, textarea):enabled") : wrong;
}

/** Brings the answer into view: the first problem, the start of another page, or nothing that moves. */
function show(moved) {
  const main = document.querySelector("main");
  if (moved) scrollTo(0, 0);
  (wrongField(main) ?? main).focus({ preventScroll: true });
  main.querySelector(".problem")?.scrollIntoView({ block: "center" });
}

/** No answer: what was sent may have arrived all the same. */
function unanswered(form, wasOffline) {
  const done = wasOffline ? "Nothing was changed." : "The change may have been made: check before you try again.";
  return `The service cannot be reached. ${done}${isTyped(form) ? " What you typed is kept." : ""}`;
}

async function post(form, fields) {
  const response = await fetch(form.action, { method: "POST", body: fields, credentials: "same-origin" });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return { response, page, failed: failure(response, page) };
}

async function send(form, submitter) {
  const wasOffline = !navigator.onLine;
  const fields = new URLSearchParams(new FormData(form, submitter));
  const buttons = form.querySelectorAll("button");
  buttons.forEach((button) => { button.disabled = true; });
  try {
    let answer = await post(form, fields);
    // Only the token was refused: with that of the new session the form is sent once more.
    if (answer.failed && renewToken(form, answer.page) && answer.response.status === 403) {
      fields.set("form_token", form.querySelector("[name=form_token]").value);
      answer = await post(form, fields);
    }
    if (!answer.failed) return place(answer.response, answer.page);
    renewToken(form, answer.page);
    fail(form, submitter, answer.failed);
  } catch {
    fail(form, submitter, [element("p", [unanswered(form, wasOffline)])]);
  } finally {
    buttons.forEach((button) => { button.disabled = false; });
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || form.enctype === "multipart/form-data" || form.dataset.whole !== undefined) return;
  event.preventDefault();
  send(form, event.submitter);
});
