// Follows the live socket of the guild while the page shows something that changes: elements with `data-live` name the
// types of frames that concern them. The page is fetched again, at most twice a second, and those elements are replaced.
const RETRY_MS = [1000, 2000, 5000, 10000];
const FRESH_MS = 500;

export function follow(guild, changed) {
  if (!guild || !document.querySelector("[data-live]")) return;
  let last = "";
  let tries = 0;
  let due = null;

  const refresh = async () => {
    due = null;
    const response = await fetch(location.href, { credentials: "same-origin" });
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const old of document.querySelectorAll("[data-live][id]")) {
      const fresh = page.getElementById(old.id);
      // What a person works in stays.
      if (fresh && !old.contains(document.activeElement) && fresh.innerHTML !== old.innerHTML) {
        old.replaceWith(document.adoptNode(fresh));
      }
    }
    changed();
  };

  const open = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const after = last ? `?last_id=${encodeURIComponent(last)}` : "";
    const socket = new WebSocket(`${scheme}://${location.host}/ws/guilds/${guild}/live${after}`);
    const stale = document.querySelector("[data-stale]");
    socket.onopen = () => {
      if (tries > 0) due ??= setTimeout(refresh, FRESH_MS);
      tries = 0;
      if (stale) stale.hidden = true;
    };
    socket.onmessage = (message) => {
      const frame = JSON.parse(message.data);
      last = frame.id ?? last;
      const concerned = [...document.querySelectorAll("[data-live]")]
        .some((element) => frame.type === "resync" || element.dataset.live.split(" ").some((type) => frame.type.startsWith(type)));
      if (concerned) due ??= setTimeout(refresh, FRESH_MS);
    };
    socket.onclose = (event) => {
      const place = document.querySelector("[data-stale]");
      if (place) place.hidden = false;
      // 1008: signed out, or no longer allowed to see it.
      if (event.code === 1008) {
        location.reload();
        return;
      }
      setTimeout(open, RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]);
      tries += 1;
    };
  };
  open();
}
