//! /console/guilds/:guild/audit/export: the entries that a page filters, as CSV for spreadsheets and as JSON.

use std::time::Duration;

use chrono::TimeDelta;
use entities::audit_entry;
use runtime::Clock;
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};
use testkit::{Deployment, eventually, http_client, in_turn};

use super::audit::{audit, noted};
use testkit::console::SESSION;
use testkit::console::{Console, Page};

in_turn!(
    a_csv_file_has_the_entries_that_the_page_filters,
    a_spreadsheet_runs_nothing_of_a_csv_file,
    only_persons_are_named_as_targets,
    a_json_file_has_the_same_entries,
    a_large_file_is_made_while_it_is_read_and_one_at_a_time,
);

const HEAD: [&str; 14] = [
    "id",
    "created_at",
    "action",
    "source",
    "actor_id",
    "target_id",
    "key_id",
    "request_id",
    "metadata",
    "position",
    "hash",
    "actor",
    "target",
    "sentence",
];

/// The rows of a CSV file below its head.
fn rows(file: &Page) -> Vec<Vec<String>> {
    assert_eq!((file.status, file.header("content-type")), (200, "text/csv; charset=utf-8"), "{}", file.html);
    let mut reader = csv::ReaderBuilder::new().from_reader(file.html.as_bytes());
    assert_eq!(reader.headers().unwrap(), HEAD.as_slice());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// The values of a column.
fn cell<'r>(row: &'r [String], name: &str) -> &'r str {
    &row[HEAD.iter().position(|column| *column == name).unwrap()]
}

async fn a_csv_file_has_the_entries_that_the_page_filters(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), Console::owner(deployment).await);
    noted(deployment, "shop.buy", "sword").await;
    noted(deployment, "shop.sell", "sword").await;
    let page = owner.get(&audit(deployment)).await;
    let file = owner.get(&page.link("Export CSV")).await;
    let named = format!("attachment; filename=\"audit-{}.csv\"", guild.id);
    assert_eq!(file.header("content-disposition"), named);
    let all = rows(&file);
    let actions: Vec<_> = all.iter().map(|row| cell(row, "action")).collect();
    assert_eq!(actions[..2], ["shop.sell", "shop.buy"], "newest first");
    assert!(actions.contains(&"guilds.seed"), "{actions:?}");
    let page = owner.press(&page, "Show entries", &[("action", "shop.buy")]).await;
    let [row] = &rows(&owner.get(&page.link("Export CSV")).await)[..] else { panic!("{}", page.text()) };
    let entry = deployment.audit("shop.buy").await[0].clone();
    let metadata: Value = serde_json::from_str(cell(row, "metadata")).unwrap();
    assert_eq!(metadata, json!({ "item": "a \"b\", c\nd" }));
    assert_eq!(json!(cell(row, "id").parse::<i64>().unwrap()), entry["id"]);
    for column in ["created_at", "actor_id", "source", "target_id"] {
        assert_eq!(json!(cell(row, column)), entry[column], "{column}");
    }
    // Nothing matches: only the head.
    let none = owner.press(&page, "Show entries", &[("action", "shops")]).await;
    assert!(rows(&owner.get(&none.link("Export CSV")).await).is_empty());
}

async fn a_spreadsheet_runs_nothing_of_a_csv_file(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    let targets = ["=HYPERLINK(\"https://a.example\")", "+1", "-1", "@SUM(1)", "plain", "a,\"b\""];
    for target in targets {
        noted(deployment, "shop.buy", target).await;
    }
    let file = owner.get(&format!("{}/export?format=csv&action=shop.buy", audit(deployment))).await;
    let rows = rows(&file);
    let guarded: Vec<_> = rows.iter().rev().map(|row| cell(row, "target_id")).collect();
    let expected = ["'=HYPERLINK(\"https://a.example\")", "'+1", "'-1", "'@SUM(1)", "plain", "a,\"b\""];
    assert_eq!(guarded, expected);
    // A client chooses its request id, so it is escaped too.
    assert!(rows.iter().all(|row| cell(row, "request_id") == "'-2"), "{rows:?}");
    let runs = |text: &String| text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
    assert!(!rows.iter().flatten().any(runs), "{rows:?}");
}

async fn only_persons_are_named_as_targets(deployment: &Deployment) {
    let (guild, api, owner) = (deployment.guild(), deployment.api(), Console::owner(deployment).await);
    api.patch(&format!("/guilds/{}/settings", guild.id), json!({ "strike_days": 31 })).await.ok();
    let banned = &guild.members[7];
    let ban = json!({ "identifier": banned.chat, "reason": "spam", "moderator_id": guild.members[1].chat });
    api.post(&format!("/moderation/{}/play/ban", guild.id), ban).await.ok();
    let quota = json!({ "name": "weekly", "metric": "ban", "target": 5, "period": "week" });
    api.post(&format!("/guilds/{}/staff/quota", guild.id), quota).await.ok();
    let file = owner.get(&format!("{}/export?format=csv", audit(deployment))).await;
    let rows = rows(&file);
    let about = |who: &str| rows.iter().filter(|row| cell(row, "target") == who).count();
    assert!(about(&banned.name) > 0, "{rows:?}");
    for action in ["settings.update", "quotas.create"] {
        let row = rows.iter().find(|row| cell(row, "action") == action);
        let row = row.unwrap_or_else(|| panic!("no {action}: {rows:?}"));
        assert!(!cell(row, "target_id").is_empty() && cell(row, "target").is_empty(), "{row:?}");
    }
}

async fn a_json_file_has_the_same_entries(deployment: &Deployment) {
    let owner = Console::owner(deployment).await;
    noted(deployment, "shop.buy", "=1").await;
    noted(deployment, "shop.buy", "sword").await;
    let page = owner.get(&format!("{}?action=shop.buy", audit(deployment))).await;
    let file = owner.get(&page.link("Export JSON")).await;
    assert!(
        file.header("content-disposition").ends_with(".json\""),
        "{}",
        file.header("content-disposition")
    );
    let data: Value = serde_json::from_str(&file.html).unwrap();
    let entries = deployment.audit("shop.buy").await;
    assert_eq!((data["entries"].as_array().unwrap().len(), &data["before"]), (2, &Value::Null), "{data}");
    for (written, entry) in data["entries"].as_array().unwrap().iter().zip(&entries) {
        for field in ["id", "created_at", "action", "source", "actor_id", "target_id", "metadata"] {
            assert_eq!(written[field], entry[field], "{field}");
        }
    }
}

/// More than the buffers on the way hold.
const LARGE: usize = 40_000;

async fn many_entries(deployment: &Deployment) {
    let (guild, now) = (deployment.guild().id.parse().unwrap(), Clock::system().now());
    let row = |n: usize| audit_entry::ActiveModel {
        guild_id: Set(guild),
        action: Set("shop.buy".to_owned()),
        source: Set(audit_entry::Source::Custom),
        actor_id: Set(0),
        target_id: Set(n.to_string()),
        metadata: Set(json!({ "text": "x".repeat(500) })),
        created_at: Set(now - TimeDelta::days(1)),
        ..Default::default()
    };
    let connection = deployment.connect().await;
    for first in (0..LARGE).step_by(1_000) {
        let rows = (first..first + 1_000).map(row);
        audit_entry::Entity::insert_many(rows).exec_without_returning(&connection).await.unwrap();
    }
    connection.close().await.unwrap();
}

async fn a_large_file_is_made_while_it_is_read_and_one_at_a_time(deployment: &Deployment) {
    many_entries(deployment).await;
    let owner = Console::owner(deployment).await;
    let path = format!("{}/export?format=csv&action=shop.buy", audit(deployment));
    let cookie = format!("{SESSION}={}", owner.cookie(SESSION).unwrap());
    let ask = || http_client().get(format!("{}{path}", owner.base())).header("cookie", &cookie).send();
    let mut first = ask().await.unwrap();
    assert_eq!(first.status(), 200);
    let begin = first.chunk().await.unwrap().unwrap();
    // As long as the first one is read slowly, there is no second.
    let second = owner.get(&path).await;
    second.shows(429, "you are already downloading a file");
    assert_eq!(second.header("retry-after"), "10");
    let mut text = begin.to_vec();
    while let Some(part) = first.chunk().await.unwrap() {
        text.extend_from_slice(&part);
    }
    let mut reader = csv::ReaderBuilder::new().from_reader(&*text);
    let ids: Vec<i64> = reader.records().map(|row| row.unwrap()[0].parse().unwrap()).collect();
    assert_eq!(ids.len(), LARGE);
    assert!(ids.is_sorted_by(|one, next| one > next), "each once, newest first");
    // A client that disconnects in the middle also frees its place.
    for _ in 0..2 {
        let asked = async || (ask().await.unwrap().status() == 200).then_some(());
        eventually("room for another file", Duration::from_secs(20), asked).await;
    }
}
