//! Small phones: the header, menus, touch targets.

use testkit::{Deployment, in_turn};

use super::devtools::Browser;
use super::sign_in;
use super::tab::Tab;

in_turn!(a_small_phone_shows_and_hits_everything);

/// Entries of the open menu that the window cuts off.
const CUT: &str = "[...document.querySelectorAll('.own .menu-body > *')].filter((one) => {
    const { left, right, width } = one.getBoundingClientRect();
    return width > 0 && (left < 0 || right > document.documentElement.clientWidth);
}).length";
/// What opens and does not fit: it cannot be read or pressed.
const OPENED: &str = "[...document.querySelectorAll('main details')].filter((one) => {
    one.open = true;
    const { left, right } = one.lastElementChild.getBoundingClientRect();
    return left < 0 || right > document.documentElement.clientWidth;
}).map((one) => `${JSON.stringify(one.lastElementChild.getBoundingClientRect())} ${one.outerHTML.slice(0, 200)}`)";
/// The name of the person is at the right of the first line.
const AT_THE_RIGHT: &str = "(() => {
    const [own, menu] = ['.own', '.bar'].map((one) => document.querySelector(one).getBoundingClientRect());
    return own.right > document.documentElement.clientWidth - 24 && own.top < menu.top + 24;
})()";
/// Touch targets that are too small, outside of sentences.
const SMALL: &str =
    "[...document.querySelectorAll(':is(.bar, .list, .cards, .facts, .pairs, .tabs) :is(a, button, summary)')]
    .filter((one) => one.checkVisibility() && !one.closest('.hidden'))
    .filter((one) => [one.getBoundingClientRect()].some(({ width, height }) => width < 24 || height < 24))
    .map((one) => one.outerHTML)";
const TILE_WIDTHS: &str =
    "new Set([...document.querySelectorAll('.card')].map((one) => Math.round(one.offsetWidth))).size";

async fn a_small_phone_shows_and_hits_everything(deployment: &Deployment) {
    super::super::security::populate(deployment).await;
    let browser = Browser::join().await;
    let tab = Tab::open(&browser, deployment).await;
    sign_in(deployment, &tab, deployment.guild(), 0, &["--operator"]).await;
    let guild = format!("/console/guilds/{}", deployment.guild().id);
    for width in [320, 375, 390] {
        tab.width(width).await;
        for page in [
            "/moderation/bans",
            "/moderation/bans/1",
            "/staff/leave",
            "/servers/arena%2D1",
            "/shield",
            "/sync",
        ] {
            tab.goto(&format!("{guild}{page}")).await;
            assert_eq!(tab.evaluate(OPENED).await, serde_json::json!([]), "{page} at {width} px");
        }
        for page in ["", "/members", "/moderation/bans", "/keys", "/audit", "/servers"] {
            tab.goto(&format!("{guild}{page}")).await;
            assert_eq!(tab.evaluate(AT_THE_RIGHT).await, true, "{page} at {width} px");
            let small = tab.evaluate(SMALL).await;
            assert_eq!(small, serde_json::json!([]), "{page} at {width} px");
        }
        tab.goto(&format!("{guild}/servers")).await;
        tab.follow("server-").await;
        tab.sees("2 players by name").await;
        assert_eq!(tab.evaluate(AT_THE_RIGHT).await, true, "a server at {width} px");
        tab.goto(&guild).await;
        assert_eq!(tab.evaluate(TILE_WIDTHS).await, 1);
        tab.click(&deployment.guild().members[0].name).await;
        tab.sees("Sign out").await;
        assert_eq!(tab.evaluate(CUT).await, 0, "at {width} px");
    }
}
