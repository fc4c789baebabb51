//! Navigation by keyboard: past the navigation, out of menus, into forms.

use serde_json::json;
use testkit::{Deployment, in_turn};

use super::devtools::Browser;
use super::sign_in;
use super::tab::Tab;

in_turn!(the_focus_is_where_the_next_key_is_needed);

const FOCUSED: &str = "(({ id, localName }) => id || localName)(document.activeElement)";
const OPEN: &str = "document.querySelectorAll('details[open]').length";

async fn the_focus_is_where_the_next_key_is_needed(deployment: &Deployment) {
    let (browser, member) = (Browser::join().await, &deployment.guild().members[1]);
    let tab = Tab::open(&browser, deployment).await;
    sign_in(deployment, &tab, deployment.guild(), 0, &["--operator"]).await;
    let guild = format!("/console/guilds/{}", deployment.guild().id);
    tab.goto(&format!("{guild}/members")).await;
    tab.tab_to("Skip to content").await;
    tab.press("Enter").await;
    assert_eq!(tab.evaluate("location.hash").await, "#main");
    assert_eq!(tab.evaluate(FOCUSED).await, "main");
    tab.tab_to("Name or id").await;

    tab.click("Admin").await;
    tab.tab_to("Your sessions").await;
    tab.press("Escape").await;
    assert_eq!((tab.evaluate(OPEN).await, tab.evaluate(FOCUSED).await), (json!(0), json!("summary")));

    tab.letters("/").await;
    tab.type_text("ada").await;
    tab.press("Escape").await;
    assert_eq!(tab.evaluate("document.activeElement.value").await, "");
    tab.press("Escape").await;
    assert_eq!(tab.evaluate(FOCUSED).await, "main");

    let ban = format!("{guild}/moderation/bans/new");
    for (path, field) in
        [(ban.clone(), "identifier"), (format!("{ban}?identifier={}", member.chat), "reason")]
    {
        tab.goto(&path).await;
        assert_eq!(tab.evaluate(FOCUSED).await, field);
    }
    // From the navigation of a server to that of the instance.
    tab.follow("Instance").await;
    assert_eq!(tab.path().await, "/console/instance");
}
