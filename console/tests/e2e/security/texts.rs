//! Texts of people are escaped on every page of the guild: they never become markup.

use serde_json::{Value, json};
use testkit::{Deployment, Fixture, Mode, Setup, distributed_only};

use super::crawl::{assert_inert, crawl, populate};
use super::routes::{UNKNOWN, Who, rows};
use super::sql;
use testkit::console::{Console, Page};

/// Part of each text, so that it can be found.
const MARK: &str = "zqx";
const CORPUS: [&str; 9] = [
    "<script>zqx()</script>",
    "\"><img src=x onerror=zqx()>",
    "' autofocus onfocus='zqx()",
    "javascript:zqx()",
    "{{7*7}}zqx${7*7}zqx<%=7*7%>zqx",
    "</title></textarea></option></script><svg onload=zqx()>",
    "<!--zqx",
    "\u{202e}zqx\u{2066}\u{200f}",
    "&lt;b&gt;&#60;zqx&amp;%3Cscript%3E",
];

/// Texts of a guild, by table and column.
const TEXTS: [(&str, &str); 22] = [
    ("guild", "name"),
    ("api_key", "name"),
    ("link", "play_username"),
    ("sanction", "reason"),
    ("sanction", "mirror_error"),
    ("chat_ban", "reason"),
    ("staff_role", "role_name"),
    ("loa", "reason"),
    ("strike", "reason"),
    ("staff_note", "body"),
    ("staff_session", "server_id"),
    ("staff_action", "target_id"),
    ("quota", "name"),
    ("server_command", "reason"),
    ("server_command", "target_id"),
    ("server_command", "ack_message"),
    ("registered_game", "name"),
    ("application_panel", "name"),
    ("application_submission", "decision_reason"),
    ("application_comment", "body"),
    ("audit_entry", "target_id"),
    ("job", "request_id"),
];

/// The guild and its roles on the platforms too.
fn poisoned(fixture: &Fixture) -> Value {
    let mut file = fixture.json();
    let guild = &mut file["chat"]["guilds"][0];
    guild["name"] = CORPUS[0].into();
    for (role, text) in guild["roles"].as_array_mut().unwrap().iter_mut().skip(1).zip(CORPUS.iter().cycle()) {
        role["name"] = format!("{text} {MARK}").into();
    }
    for (member, text) in guild["members"].as_array_mut().unwrap().iter_mut().zip(CORPUS.iter().cycle()) {
        member["nick"] = text.chars().take(32).collect::<String>().into();
    }
    file["play"]["groups"][0]["name"] = CORPUS[1].into();
    for (user, text) in file["play"]["users"].as_array_mut().unwrap().iter_mut().zip(CORPUS.iter().cycle()) {
        user["username"] = text.chars().take(20).collect::<String>().into();
    }
    file
}

#[test]
fn texts_of_a_guild_stay_texts() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let fixture = Fixture::new(2, 12);
        let file = poisoned(&fixture);
        let deployment = Deployment::seeded_with(Setup::new(Mode::Embedded), fixture, &file).await;
        deployment.start_all().await;
        populate(&deployment).await;
        poison(&deployment).await;
        let console = Console::owner(&deployment).await;
        let mut marked = 0;
        let start = format!("/console/guilds/{}", deployment.guild().id);
        let mut pages = crawl(&console, &start, 2).await;
        pages.extend(applicants_pages(&deployment).await);
        for page in pages {
            assert_inert(&page);
            assert!(!page.html.contains("49zqx"), "{} evaluates: {}", page.what, page.text());
            marked += usize::from(page.contains(MARK));
        }
        assert!(marked >= 2, "the texts are on {marked} pages");
        typed(&deployment, &console).await;
    });
}

distributed_only!(a_nul_in_an_address_fails_no_page);

/// Postgres stores no NUL, and refuses a statement with one.
async fn a_nul_in_an_address_fails_no_page(deployment: &Deployment) {
    let (owner, operator) = (Console::owner(deployment).await, Console::operator(deployment).await);
    // Those of everybody read nothing by their fields.
    for page in rows().into_iter().filter(|row| !row.is_post() && row.who != Who::Open) {
        let console = if page.who == Who::Operator { &operator } else { &owner };
        let path = page.in_guild(&deployment.guild().id);
        let page = console.get(&format!("{path}?kind=a%00b")).await;
        page.shows(422, "the field “kind” has a NUL (%00) in it");
        if path.contains(UNKNOWN) {
            let page = console.get(&path.replace(UNKNOWN, "a%00b")).await;
            assert_eq!(page.status, 404, "{}: {}", page.what, page.text());
        }
    }
}

/// The pages of somebody who has applied.
async fn applicants_pages(deployment: &Deployment) -> Vec<Page> {
    let guild = deployment.guild();
    let sent = deployment.api().get(&format!("/guilds/{}/application-submissions", guild.id)).await.ok();
    let applicant = Console::of(deployment, guild, sent["submissions"][0]["chat_id"].as_str().unwrap()).await;
    let pages = crawl(&applicant, &format!("/apply/{}", guild.id), 2).await;
    assert!(pages.len() >= 2 && pages.iter().all(|page| page.status == 200 && page.contains(MARK)));
    pages
}

async fn poison(deployment: &Deployment) {
    let guild = deployment.guild().id.parse::<i64>().unwrap();
    let all = CORPUS.join(" ");
    // The database lets nobody change entries of the audit log.
    sql(deployment, "DROP TRIGGER audit_entry_erased", Vec::new()).await;
    for (table, column) in TEXTS {
        let change = format!("UPDATE {table} SET {column} = ? WHERE guild_id = ?");
        sql(deployment, &change, vec![all.as_str().into(), guild.into()]).await;
    }
    let asked = ["text", "paragraph", "choice", "agree"].map(
        |kind| json!({ "label": format!("{kind} {all}"), "kind": kind, "options": CORPUS, "required": true }),
    );
    let change = "UPDATE application_panel SET questions = ? WHERE guild_id = ?";
    sql(deployment, change, vec![json!(asked).into(), guild.into()]).await;
    let details = json!({ &all: &all, "before": { "reason": &all }, "list": [&all] });
    for (table, column) in
        [("audit_entry", "metadata"), ("application_submission", "answers"), ("staff_action", "details")]
    {
        let change = format!("UPDATE {table} SET {column} = ? WHERE guild_id = ?");
        sql(deployment, &change, vec![details.clone().into(), guild.into()]).await;
    }
}

/// Input in addresses and forms is escaped.
async fn typed(deployment: &Deployment, console: &Console) {
    let own = format!("/console/guilds/{}", deployment.guild().id);
    for text in CORPUS.iter().copied().chain(["\0", "a\0b", "\u{feff}", "\r\nSet-Cookie: a=b"]) {
        let page = console
            .post(&format!("{own}/bindings"), &[("group_id", text), ("rank", text), ("role_id", text)])
            .await;
        assert_eq!(page.status, 422, "{text:?}: {}", page.text());
        assert_inert(&page);
        let query: String = form_of(&[("q", text), ("group_id", text), ("cursor", text), ("state", text)]);
        for page in ["", "/bindings", "/find", "/members", "/moderation", "/jobs", "/audit"] {
            let page = console.get(&format!("{own}{page}?{query}")).await;
            assert!(page.status < 500, "{}: {}", page.what, page.text());
            assert_inert(&page);
            assert!(
                page.headers.get_all("set-cookie").iter().all(|line| !line.as_bytes().starts_with(b"a="))
            );
        }
    }
}

fn form_of(fields: &[(&str, &str)]) -> String {
    reqwest::Url::parse_with_params("http://form", fields).unwrap().query().unwrap().to_owned()
}
