//! The page of the API, `/docs`: on a small phone, its search, its examples and the form that tries a call.

use serde_json::{Value, json};
use testkit::{Deployment, in_turn};

use super::devtools::Browser;
use super::tab::Tab;

in_turn!(
    the_documentation_fits_a_small_phone,
    a_search_ranks_titles_before_fields,
    examples_use_the_answer,
    a_call_is_tried_with_ids_of_ones_own
);

const CHECK: &str = "Is a user banned?";
/// The calls of the list that are shown, in its order.
const LISTED: &str = "[...document.querySelectorAll('#menu a')].filter((one) => one.checkVisibility() && one.querySelector('.method'))
    .map((one) => one.textContent.replace(/^[A-Z]+ /, ''))";
/// Links too small for a finger, and code that its button covers.
const FAULTS: &str = "[...document.querySelectorAll('.path')].filter((one) => one.offsetHeight < 24)
    .concat([...document.querySelectorAll('.code')].filter((one) =>
        one.querySelector('.copy').getBoundingClientRect().bottom > one.querySelector('code').getBoundingClientRect().top))
    .map((one) => one.outerHTML.slice(0, 120))";
/// Whether the placeholder of the search fits into its field.
const PLACEHOLDER: &str = "(() => {
    const input = document.getElementById('query');
    const [style, pen] = [getComputedStyle(input), document.createElement('canvas').getContext('2d')];
    pen.font = style.font;
    const room = input.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return pen.measureText(input.placeholder).width <= room;
})()";

/// The page with all calls.
async fn documentation<'b>(deployment: &Deployment, browser: &'b Browser) -> Tab<'b> {
    let tab = Tab::open(browser, deployment).await;
    tab.goto("/docs").await;
    tab.sees(CHECK).await;
    tab
}

async fn search(tab: &Tab<'_>, query: &str) -> Vec<String> {
    tab.fill("Search the calls", query).await;
    let listed = tab.evaluate(LISTED).await;
    listed.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

async fn the_documentation_fits_a_small_phone(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = documentation(deployment, &browser).await;
    tab.width(320).await;
    tab.sees("In the names of this API chat means Discord and play means Roblox").await;
    assert_eq!(tab.evaluate(FAULTS).await, json!([]));
    assert_eq!(tab.evaluate("document.documentElement.scrollWidth <= innerWidth").await, true);
    assert_eq!(tab.evaluate(PLACEHOLDER).await, true);
    // All calls have the same markup; axe takes a minute for all of them, and half of one if they are only hidden.
    search(&tab, "banStatus").await;
    tab.sees("1 call of ").await;
    tab.click("Try this call").await;
    let hidden = "[...document.querySelectorAll('article')].filter((one) => !one.checkVisibility())";
    tab.evaluate(&format!("{hidden}.forEach((one) => one.remove())")).await;
    tab.passes().await;
}

async fn a_search_ranks_titles_before_fields(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = documentation(deployment, &browser).await;
    let all: Value = tab.evaluate(LISTED).await;
    for query in ["is a player banned", "Is a player banned?", "banned", "ban-status"] {
        assert_eq!(search(&tab, query).await[0], CHECK, "{query}");
    }
    tab.sees("banned").await;
    let banned = search(&tab, "banned").await;
    let place = |summary: &str| banned.iter().position(|one| one == summary).unwrap();
    // It only has a field of that name.
    assert!(place("Change settings") > place("Ban a user"), "{banned:?}");
    tab.sees("Also searched: ban.").await;
    let order = "[...document.querySelectorAll('article')].filter((one) => one.checkVisibility())[0].id";
    assert_eq!(tab.evaluate(order).await, "banStatus");
    assert_eq!(search(&tab, "banned quetzal").await, [""; 0]);
    let empty = "document.getElementById('menu').innerText.trim()";
    assert_eq!(tab.evaluate(empty).await, "Nothing found");
    tab.button("Clear the search").await;
    tab.does_not_see("Nothing found").await;
    assert_eq!(tab.evaluate(LISTED).await, all);
}

async fn examples_use_the_answer(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = documentation(deployment, &browser).await;
    search(&tab, "banStatus").await;
    tab.sees("1 call of ").await;
    tab.button("Luau").await;
    for text in [
        "PlayerAdded:Connect(function(player)",
        "\" .. player.UserId,",
        "player:Kick(\"You are banned: \" .. answer.data.ban_info.reason)",
        "Roblox cannot reach 127.0.0.1",
        "\"expires_at\": \"2099-",
    ] {
        tab.sees(text).await;
    }
    // No other example prints a whole table.
    search(&tab, "").await;
    let whole = "[...document.querySelectorAll('.examples code')].map((one) => one.textContent)
        .filter((text) => /print\\((answer|answer\\.data)\\)/.test(text))";
    assert_eq!(tab.evaluate(whole).await, json!([]));
}

async fn a_call_is_tried_with_ids_of_ones_own(deployment: &Deployment) {
    let browser = Browser::join().await;
    let tab = documentation(deployment, &browser).await;
    let guild = deployment.guild();
    tab.fill("Guild id", &guild.id).await;
    tab.fill("API key", "gh_wrong").await;
    tab.press("Tab").await;
    tab.sees("not accepted: ").await;
    tab.fill("API key", &guild.admin_key).await;
    search(&tab, "banStatus").await;
    tab.sees(&format!("valid for guild {}", guild.id)).await;
    tab.click("Try this call").await;
    tab.button("Send").await;
    tab.sees("Type the identifier first.").await;
    assert_eq!(tab.evaluate("document.activeElement.id").await, "banStatus-try-identifier");
    tab.type_text(&guild.members[5].chat).await;
    tab.does_not_see("Type the identifier first.").await;
    tab.button("Send").await;
    tab.sees("200 OK").await;
    tab.sees("the user is not banned").await;
}
