// Follows the live socket of the guild while the page shows something that changes: elements with `data-live` name the
// types of frames that concern them. The page is fetched again, soon after a pause and then every two seconds at most, and
// those elements are replaced. A page that nobody sees waits until it is seen.
const RETRY_MS = [1000, 2000, 5000, 10000];
const SOON_MS = 300;
const EVERY_MS = 2000;
const SIGNED_OUT = 1008;

function isConcerned({ type, data }) {
  // Without the missed frames, anything may have changed.
  if (type === "resync" || (type === "hello" && !data.resumed)) return true;
  return [...document.querySelectorAll("[data-live]")]
    .some((element) => element.dataset.live.split(" ").some((prefix) => prefix && type.startsWith(prefix)));
}

let following = false;

/** Once for a document: also a page that a form brought in place is followed from then on. */
export function follow(guild, changed) {
  if (following || !guild || !document.querySelector("[data-live]")) return;
  following = true;
  let last = "";
  let tries = 0;
  let due = null;
  let unseen = false;
  let refreshed = 0;

  const refresh = async () => {
    due = null;
    refreshed = Date.now();
    const response = await fetch(location.href, { credentials: "same-origin" }).catch(() => null);
    if (!response?.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const old of document.querySelectorAll("[data-live][id]")) {
      const fresh = page.getElementById(old.id);
      // What a person works in stays.
      if (fresh && !old.hasAttribute("data-grown") && !old.contains(document.activeElement) && fresh.innerHTML !== old.innerHTML) {
        old.replaceWith(document.adoptNode(fresh));
      }
    }
    changed();
  };

  const refreshSoon = () => {
    if (document.hidden) {
      unseen = true;
      return;
    }
    due ??= setTimeout(refresh, Math.max(SOON_MS, refreshed + EVERY_MS - Date.now()));
  };

  const markStale = (stale) => {
    const bar = document.querySelector("[data-stale]");
    if (bar) bar.hidden = !stale;
  };

  const open = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const after = last ? `?last_id=${encodeURIComponent(last)}` : "";
    const socket = new WebSocket(`${scheme}://${location.host}/ws/guilds/${guild}/live${after}`);
    socket.onmessage = (message) => {
      const frame = JSON.parse(message.data);
      last = frame.id ?? last;
      tries = 0;
      markStale(false);
      if (isConcerned(frame)) refreshSoon();
    };
    socket.onclose = (event) => {
      markStale(true);
      if (event.code === SIGNED_OUT) {
        location.reload();
        return;
      }
      setTimeout(open, RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]);
      tries += 1;
    };
  };

  document.addEventListener("visibilitychange", () => {
    if (document.hidden || !unseen) return;
    unseen = false;
    refreshSoon();
  });
  open();
}
