// Times: relative times, with the server's words (src/words.rs), updated while the page is open; and the exact time in
// the viewer's zone.
const AGAIN_MS = 30000;
const DAY_S = 86400;
const hour = { hour: "2-digit", minute: "2-digit" };
const timeOfDay = new Intl.DateTimeFormat("en-GB", hour);
const timeInZone = new Intl.DateTimeFormat("en-GB", { ...hour, timeZoneName: "short" });
const parts = new Intl.DateTimeFormat("en-US", { day: "numeric", month: "short", year: "numeric" });

/** By how much the server's clock is ahead of ours. */
let ahead = 0;

function length(seconds) {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  if (seconds < DAY_S) return `${Math.round(seconds / 3600)} h`;
  const days = Math.round(seconds / DAY_S);
  return `${days} day${days === 1 ? "" : "s"}`;
}

function date(at) {
  const part = Object.fromEntries(parts.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${part.day} ${part.month} ${part.year}`;
}

function words(at) {
  const seconds = (Date.now() + ahead - at) / 1000;
  const distance = Math.abs(seconds);
  if (distance < 45) return "just now";
  if (distance > 30 * DAY_S) return date(at);
  return seconds < 0 ? `in ${length(distance)}` : `${length(distance)} ago`;
}

function write(time) {
  const text = time.hasAttribute("data-exact") ? time.title : words(new Date(time.dateTime));
  if (time.textContent !== text) time.textContent = text;
}

/** The time of day, in the viewer's zone. */
export const clock = (at) => timeOfDay.format(at);

/** "13 Apr 2026, 00:33 CEST (12 Apr 2026, 22:33 UTC)"; the day is named once where it is the same in both. */
function exact(at, utc) {
  const own = `${date(at)}, ${timeInZone.format(at)}`;
  return own === utc ? utc : `${own} (${utc.replace(`${date(at)}, `, "")})`;
}

/** The server's clock, as a page names it. */
export function setClock(page) {
  const now = Number(page.body.dataset.now);
  if (now) ahead = now - Date.now();
}

export function showTimes(within) {
  for (const time of within.querySelectorAll("time[datetime]:not([data-shown])")) {
    time.title = exact(new Date(time.dateTime), time.title);
    time.dataset.shown = "";
    write(time);
  }
}

// A touch shows no title: it changes the words for the exact time, and back. In a link it follows the link.
document.addEventListener("click", ({ target }) => {
  const time = target.closest("time[data-shown]");
  if (!time || time.closest("a, button, summary")) return;
  time.toggleAttribute("data-exact");
  write(time);
});

setInterval(() => document.querySelectorAll("time[data-shown]").forEach(write), AGAIN_MS);
