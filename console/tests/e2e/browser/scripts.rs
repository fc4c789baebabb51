//! Features of scripts: the flash of a form stays in view, keys, copy buttons, times; and elements that are
//! hidden without them.

use serde_json::json;
use testkit::{Deployment, in_turn};

use super::devtools::Browser;
use super::{owner, owner_without_scripts};

in_turn!(what_a_form_did_stays_in_view, keys_copies_and_times, without_scripts_nothing_shows_that_needs_them);

/// Whether the first element is in the window, and the one that the mouse hits there.
const IN_VIEW: &str = "(() => {
    const element = document.querySelector('SELECTOR');
    const box = element.getBoundingClientRect();
    return box.top >= 0 && box.bottom <= innerHeight
        && element.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
})()";
/// The times of a page as the script writes them and as the server did, both by the clock of that page.
const TIMES: &str = "(async () => {
    const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), 'text/html');
    const texts = () => [...page.querySelectorAll('main time')].map((time) => time.textContent).join();
    const served = texts();
    const loaded = performance.getEntriesByType('resource').map((entry) => entry.name);
    const { setClock, showTimes } = await import(loaded.find((name) => name.includes('times.js')));
    const [running, now] = [Date.now, Date.now()];
    Date.now = () => now;
    setClock(page);
    showTimes(page);
    Date.now = running;
    return [texts(), served];
})()";

async fn what_a_form_did_stays_in_view(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = owner(deployment, &browser).await;
    let (guild, group) = (&deployment.guild().id, deployment.guild().group);
    tab.goto(&format!("/console/guilds/{guild}/bindings?group_id={group}#add")).await;
    tab.fill("Rank in group", "Owner").await;
    tab.fill("Discord role", "Captain").await;
    tab.evaluate("void (document.querySelector('.said-place').seen = true)").await;
    tab.evaluate("void (document.querySelector('main').style.paddingTop = '2000px')").await;
    tab.evaluate("scrollTo(0, 3000)").await;
    tab.button("Add binding").await;
    tab.sees("Binding added").await;
    tab.evaluate("void (document.querySelector('main').style.paddingTop = '2000px')").await;
    tab.evaluate("scrollTo(0, 3000)").await;
    assert_eq!(tab.evaluate(&IN_VIEW.replace("SELECTOR", ".said")).await, true);
    // Screen readers follow the same region.
    assert_eq!(tab.evaluate("document.querySelector('.said-place').seen").await, true);
    tab.passes().await;
    tab.button("Undo").await;
    tab.sees("Binding removed").await;
    tab.button("Close").await;
    tab.does_not_see("Binding removed").await;
}

async fn keys_copies_and_times(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = owner(deployment, &browser).await;
    tab.call("Emulation.setTimezoneOverride", json!({ "timezoneId": "Pacific/Kiritimati" })).await;
    let overview = format!("/console/guilds/{}", deployment.guild().id);
    tab.goto(&format!("{overview}/audit")).await;
    let times = tab.evaluate(TIMES).await;
    assert!(times[0] == times[1] && times[0] != "", "{times}");
    // The day, the viewer's time of day, and that of the server.
    let title = "document.querySelector('main time').title";
    let form = r"/^\d+ \w{3} \d{4}, \d\d:\d\d GMT\+14 \((\d+ \w{3} \d{4}, )?\d\d:\d\d UTC\)$/";
    assert_eq!(tab.evaluate(&format!("{form}.test({title})")).await, true);
    // A touch shows it, the next one the words again.
    let touched = "(() => { const time = document.querySelector('main time'); time.click(); return time.textContent === time.title; })()";
    assert_eq!((tab.evaluate(touched).await, tab.evaluate(touched).await), (json!(true), json!(false)));
    tab.letters("?").await;
    tab.sees("Show these shortcuts").await;
    tab.passes().await;
    tab.button("Close").await;
    tab.does_not_see("Show these shortcuts").await;
    tab.click("Admin").await;
    tab.button("Keyboard shortcuts").await;
    tab.sees("Show these shortcuts").await;
    tab.button("Close").await;
    tab.letters("/").await;
    assert_eq!(tab.evaluate("document.activeElement.matches('[data-find]')").await, true);
    // Not allowed to use the clipboard, as outside of a secure context.
    tab.goto(&format!("{overview}/members/{}", deployment.guild().members[1].chat)).await;
    tab.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))").await;
    tab.button("Copy").await;
    tab.sees("Copied").await;
    let selected = tab.evaluate("getSelection().toString()").await;
    assert_eq!(selected, deployment.guild().members[1].chat.as_str());
    tab.does_not_see("Copied").await;
}

async fn without_scripts_nothing_shows_that_needs_them(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = owner_without_scripts(deployment, &browser).await;
    tab.goto(&format!("/console/guilds/{}/members", deployment.guild().id)).await;
    let shown = "[...document.querySelectorAll('[data-copy], [data-scripted]')]
        .filter((one) => getComputedStyle(one).display !== 'none').length";
    assert_eq!(tab.evaluate(shown).await, 0);
}
