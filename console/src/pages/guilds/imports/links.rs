//! /console/guilds/:guild/members/import: links that another bot has exported, from a pasted text or a file. What each line
//! would do is shown before anything is linked.

use jobs::bot_export::{Column, SheetLine};
use serde_json::{Value, json};

use super::columns::{Columns, OF_LINKS};
use super::shown::{Kind, Line, Row, empty, import};
use crate::html::form::Form;
use crate::html::shell::Place;
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

static KIND: Kind = Kind {
    title: "Import links",
    about: "Links that another bot has exported. Before anything is linked you see what each line does.",
    hint: "A line for each member, with the Discord id and the Roblox id or name: CSV with or without names of columns, or JSON. Up to 1,000.",
    page: "/members/import",
    path: "links",
    place: Place::Members,
    wanted: &OF_LINKS,
    button: ("Link", "member"),
    choice: Some(("replace", "End other links of these accounts")),
    call: "/guilds/{g}/links/import",
    lines: "lines",
    writes: &["linked", "replaced"],
    missing,
    sent,
    row,
    follows: |_| "A sync of all members gives the roles and nicknames. If none has begun, begin one when the hour of the last one is over.",
};

#[expect(clippy::unused_async, reason = "all pages have one form")]
pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    empty(&visit, &KIND, Form::default())
}

pub(crate) async fn post(visit: GuildVisit) -> Result<Response, PageError> {
    import(&visit, &KIND).await
}

fn missing(columns: &Columns) -> Option<(&'static str, &'static str)> {
    if !columns.has(Column::Chat) {
        Some(("column_chat", "Choose the column with the Discord ids."))
    } else if !columns.has(Column::Play) && !columns.has(Column::Name) {
        Some(("column_play", "Choose the column with the Roblox ids, or the one with the names."))
    } else {
        None
    }
}

fn sent(columns: &Columns, line: &SheetLine) -> Value {
    let cell = |column| columns.cell(line, column);
    json!({ "chat_id": cell(Column::Chat), "play_id": cell(Column::Play), "play_username": cell(Column::Name) })
}

fn row(line: &Line<'_>) -> Row {
    let mark = match (line.text("result"), line.done) {
        ("linked", true) => ("good", "linked"),
        ("linked", false) => ("good", "will be linked"),
        ("replaced", true) => ("good", "linked in place of another"),
        ("replaced", false) => ("warning", "will replace a link"),
        ("unchanged", _) => ("quiet", "linked already"),
        ("conflict", _) => ("bad", "linked to another account"),
        ("unknown_player", _) => ("bad", "unknown to Roblox"),
        ("duplicate", _) => ("warning", "named by a line before"),
        _ => ("bad", "cannot be read"),
    };
    let why = match line.text("field") {
        "" => others(&line.answer["others"]),
        field @ "chat_id" => line.fault(field, "No Discord id: those have digits only."),
        field @ "play_id" => line.fault(field, "No Roblox id: those have digits only."),
        field => line.fault(field, "No Roblox name."),
    };
    line.row(mark, why, String::new())
}

/// The links that stand in the way.
fn others(links: &Value) -> String {
    let links = links.as_array().map(Vec::as_slice).unwrap_or_default().iter();
    let link = |link: &Value| {
        let text = |name: &str| link[name].as_str().unwrap_or_default();
        format!("{} is linked with {} ({}).", text("chat_id"), text("play_username"), link["play_id"])
    };
    links.map(link).collect::<Vec<_>>().join(" ")
}
