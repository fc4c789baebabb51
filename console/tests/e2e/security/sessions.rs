//! Sessions: their cookie, their limits, the list, and how they end.

use chrono::TimeDelta;
use reqwest::Method;
use runtime::Clock;
use testkit::{Deployment, both_modes};

use super::sql;
use testkit::console::SESSION;
use testkit::console::{Console, link};
use testkit::console::{all, attribute, text};

both_modes!(
    the_cookie_is_for_this_host_and_no_script,
    a_session_ends_when_it_is_idle_and_in_any_case,
    a_use_keeps_a_session_alive,
    sessions_are_listed_and_ended,
    signing_out_ends_the_session_itself,
);

async fn the_cookie_is_for_this_host_and_no_script(deployment: &Deployment) {
    let guild = deployment.guild();
    let console = Console::new(deployment);
    let path = link(deployment, &guild.id, &guild.members[0].chat, &[]).await;
    let signed_in = console.sign_in(&path).await;
    let cookie = signed_in.header("set-cookie").to_owned();
    assert!(cookie.starts_with("__Host-guildhall="), "{cookie}");
    let mut attributes: Vec<_> = cookie.split("; ").skip(1).collect();
    attributes.sort_unstable();
    assert_eq!(attributes, ["HttpOnly", "Max-Age=604800", "Path=/", "SameSite=Lax", "Secure"]);
    let secret = console.cookie(SESSION).unwrap();
    assert!(secret.len() == 64 && secret.bytes().all(|byte| byte.is_ascii_hexdigit()));
    // Neither the page nor the database has it.
    let page = console.get("/console/sessions").await;
    assert!(!page.html.contains(&secret));
    assert_ne!(page.form_token().unwrap(), secret);
}

/// Sets a time of all sessions of the guild.
async fn age(deployment: &Deployment, column: &str, at: TimeDelta) {
    let guild = deployment.guild().id.parse::<i64>().unwrap();
    let change = format!("UPDATE console_session SET {column} = ? WHERE guild_id = ?");
    assert!(sql(deployment, &change, vec![(Clock::system().now() + at).into(), guild.into()]).await > 0);
}

async fn is_signed_in(console: &Console) -> bool {
    match console.get("/console/sessions").await {
        page if page.status == 200 => true,
        page => {
            page.asks_to_sign_in();
            false
        }
    }
}

async fn a_session_ends_when_it_is_idle_and_in_any_case(deployment: &Deployment) {
    let (hours, minutes) = (TimeDelta::hours, TimeDelta::minutes);
    let console = Console::owner(deployment).await;
    age(deployment, "used_at", minutes(5) - hours(12)).await;
    assert!(is_signed_in(&console).await);
    age(deployment, "used_at", -hours(12) - minutes(1)).await;
    assert!(!is_signed_in(&console).await);
    age(deployment, "used_at", -minutes(1)).await;
    age(deployment, "expires_at", minutes(1)).await;
    assert!(is_signed_in(&console).await);
    age(deployment, "expires_at", -TimeDelta::seconds(1)).await;
    assert!(!is_signed_in(&console).await);
    // Its form token does not open anything either.
    let (token, path) = (console.form_token(), format!("/console/guilds/{}/bindings", deployment.guild().id));
    let page = console.send(Method::POST, &path, &[("form_token", &token)], &[]).await;
    assert_eq!(page.location(), "/console/sign-in");
}

async fn a_use_keeps_a_session_alive(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    age(deployment, "used_at", TimeDelta::minutes(5) - TimeDelta::hours(12)).await;
    assert!(is_signed_in(&console).await);
    // The use was recorded: it is just now.
    let page = console.get("/console/sessions").await;
    assert!(!page.contains("11 h ago") && !page.contains("12 h ago"), "{}", page.text());
}

async fn sessions_are_listed_and_ended(deployment: &Deployment) {
    let guild = deployment.guild();
    let mut phone = Console::owner(deployment).await;
    "phone <b>\"7\"</b>".clone_into(&mut phone.agent);
    phone.sign_in(&link(deployment, &guild.id, &guild.members[0].chat, &[]).await).await;
    let desk = Console::owner(deployment).await;
    let list = desk.get("/console/sessions").await;
    list.shows(200, "phone <b>\"7\"</b>");
    assert!(!list.html.contains("<b>"), "{}", list.html);
    assert_eq!(list.text().matches("this one").count(), 1);
    let ends = list.each("tr:has(form)", |row| (text(row), attribute(all(row, "form")[0], "action")));
    let end = ends.into_iter().find_map(|(row, action)| action.filter(|_| row.contains("phone"))).unwrap();
    // The session of another person does not exist.
    let other = Console::of(deployment, guild, &guild.members[1].chat).await;
    assert!(!other.get("/console/sessions").await.contains("phone"));
    other.post(&end, &[]).await.shows(404, "There is no such page");
    assert!(is_signed_in(&phone).await);
    desk.submit(&end, &[]).await.shows(200, "The session has ended.");
    assert!(!is_signed_in(&phone).await && is_signed_in(&desk).await);
    desk.post(&end, &[]).await.shows(404, "There is no such page");
}

async fn signing_out_ends_the_session_itself(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    let secret = console.cookie(SESSION).unwrap();
    let out = console.post("/console/sign-out", &[]).await;
    assert_eq!((out.status, out.location()), (303, "/console/sign-in"));
    assert!(out.header("set-cookie").contains("Max-Age=0") && console.cookie(SESSION).is_none());
    // A copy of the cookie does not work.
    console.set_cookie(SESSION, &secret);
    assert!(!is_signed_in(&console).await);
}
