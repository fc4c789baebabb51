// Follows the live socket of the guild while the page shows something that changes: elements with `data-live` name the
// types of frames that concern them. The page is fetched again, soon after a pause and then every two seconds at most. A
// hidden page waits until it is visible.
import { setLost } from "./lost.js";
import { update } from "./patch.js";

const RETRY_MS = [1000, 2000, 5000, 10000];
const SOON_MS = 300;
const EVERY_MS = 2000;
const SIGNED_OUT = 1008;

const retryMs = (tries) => RETRY_MS[Math.min(tries, RETRY_MS.length - 1)];

function isConcerned({ type, data }) {
  // Without the missed frames, anything may have changed.
  if (type === "resync" || (type === "hello" && !data.resumed)) return true;
  return [...document.querySelectorAll("[data-live]")]
    .some((element) => element.dataset.live.split(" ").some((prefix) => prefix && type.startsWith(prefix)));
}

/** Fetches the page for frames that arrive, and again after a failure. */
function refresher() {
  let due = null;
  let unseen = false;
  let refreshed = 0;
  let failures = 0;

  const refresh = async () => {
    due = null;
    refreshed = Date.now();
    try {
      await update();
      failures = 0;
    } catch {
      due ??= setTimeout(refresh, retryMs(failures));
      failures += 1;
    }
    setLost("page", failures > 0);
  };

  const refreshSoon = () => {
    if (document.hidden) {
      unseen = true;
      return;
    }
    due ??= setTimeout(refresh, Math.max(SOON_MS, refreshed + EVERY_MS - Date.now()));
  };

  document.addEventListener("visibilitychange", () => {
    if (document.hidden || !unseen) return;
    unseen = false;
    refreshSoon();
  });
  return refreshSoon;
}

let following = false;

/** Once for a document: also a page that a form brought in place is followed from then on. */
export function follow(guild) {
  if (following || !guild || !document.querySelector("[data-live]")) return;
  following = true;
  const refreshSoon = refresher();
  let last = "";
  let tries = 0;
  let socket = null;
  let retry = null;

  const open = () => {
    clearTimeout(retry);
    // One of a network that is gone would stay silent.
    socket?.close();
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const after = last ? `?last_id=${encodeURIComponent(last)}` : "";
    const own = new WebSocket(`${scheme}://${location.host}/ws/guilds/${guild}/live${after}`);
    socket = own;
    own.onmessage = (message) => {
      if (own !== socket) return;
      const frame = JSON.parse(message.data);
      last = frame.id ?? last;
      tries = 0;
      setLost("socket", false);
      if (isConcerned(frame)) refreshSoon();
    };
    own.onclose = (event) => {
      if (own !== socket) return;
      setLost("socket", true);
      if (event.code === SIGNED_OUT) {
        location.reload();
        return;
      }
      retry = setTimeout(open, retryMs(tries));
      tries += 1;
    };
  };
  addEventListener("online", open);
  open();
}
