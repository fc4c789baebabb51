//! A form needs the token of its session and a page of this origin; without them nothing happens.

use reqwest::Method;
use testkit::{Deployment, in_turn};

use super::routes::{Row, Who, rows};
use testkit::console::{Console, Page};

in_turn!(
    a_form_needs_the_token_of_its_session,
    a_form_of_another_origin_is_refused,
    a_refused_form_changes_nothing,
);

fn posts() -> Vec<Row> {
    rows().into_iter().filter(Row::is_post).collect()
}

async fn post(console: &Console, row: &Row, guild: &str, token: &str, headers: &[(&str, &str)]) -> Page {
    console.send(Method::POST, &row.in_guild(guild), &[("form_token", token)], headers).await
}

async fn a_form_needs_the_token_of_its_session(deployment: &Deployment) {
    let guild = &deployment.guild().id;
    let (console, second) = (Console::operator(deployment).await, Console::operator(deployment).await);
    let own = console.form_token();
    let cut = &own[..own.len() - 1];
    let shouted = own.to_uppercase();
    for row in posts().iter().filter(|row| row.who != Who::Open) {
        for wrong in ["", cut, &shouted, &second.form_token(), &"0".repeat(64)] {
            post(&console, row, guild, wrong, &[]).await.shows(403, "this form was not sent from a page");
        }
        // A token in the address does not count.
        let address = format!("{}?form_token={own}", row.in_guild(guild));
        console.send(Method::POST, &address, &[], &[]).await.shows(403, "this form was not sent from a page");
        let elsewhere = Console::new(deployment);
        assert_eq!(post(&elsewhere, row, guild, &own, &[]).await.location(), "/console/sign-in");
    }
    console.get("/console/sessions").await.shows(200, "this one");
}

async fn a_form_of_another_origin_is_refused(deployment: &Deployment) {
    let guild = &deployment.guild().id;
    let console = Console::operator(deployment).await;
    let (own, host) = (console.form_token(), console.base().trim_start_matches("http://"));
    let longer = format!("http://{host}.evil.example");
    let other_port = format!("{}1", console.base());
    let foreign: [&[(&str, &str)]; 8] = [
        &[("origin", "https://evil.example")],
        &[("origin", "null")],
        &[("origin", &longer)],
        &[("origin", &other_port)],
        &[("origin", "")],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site")],
        &[("sec-fetch-site", "same-origin, cross-site")],
    ];
    for row in posts() {
        for headers in foreign {
            let page = post(&console, &row, guild, &own, headers).await;
            assert_eq!(page.status, 403, "{} {headers:?}: {}", page.what, page.text());
        }
    }
    console.get("/console/sessions").await.shows(200, "this one");
}

async fn a_refused_form_changes_nothing(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let bindings = format!("/console/guilds/{}/bindings", guild.id);
    let before = deployment.api().get("/bindings/list").await.ok();
    let group = guild.group.to_string();
    let fields = [("group_id", group.as_str()), ("rank", "7"), ("role_id", &guild.roles[0])];
    let token = console.form_token();
    let with_token: Vec<_> = fields.iter().copied().chain([("form_token", token.as_str())]).collect();
    console.send(Method::POST, &bindings, &fields, &[]).await.shows(403, "Not allowed");
    let foreign = [("origin", "https://evil.example")];
    console.send(Method::POST, &bindings, &with_token, &foreign).await.shows(403, "Not allowed");
    // A GET never changes anything, whatever it carries.
    let query = format!("{bindings}?group_id={group}&rank=7&role_id={}&form_token={token}", guild.roles[0]);
    console.get(&query).await.shows(200, "Bindings");
    assert_eq!(deployment.api().get("/bindings/list").await.ok(), before);
    console.submit(&bindings, &fields).await.shows(200, "Binding added");
}
