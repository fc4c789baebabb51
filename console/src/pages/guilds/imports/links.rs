//! /console/guilds/:guild/members/import: links that another bot has exported, from a pasted text or a file. What each line
//! would do is shown before anything is linked.

use http::Method;
use jobs::bot_export::{Column, Sheet, SheetLine};
use serde_json::{Map, Value, json};

use super::columns::{Columns, OF_LINKS};
use super::shown::{Kind, Read, Row, empty, fault, import_id, is_sure, page, sheet};
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
};

#[expect(clippy::unused_async, reason = "all pages have one form")]
pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    empty(&visit, &KIND, Form::default())
}

/// Shows what would happen; when that was shown and is wanted, it happens.
pub(crate) async fn post(visit: GuildVisit) -> Result<Response, PageError> {
    let form = &visit.form;
    let sheet = match sheet(form.text("csv")) {
        Ok(sheet) => sheet,
        Err(problem) => return empty(&visit, &KIND, Form::wrong(form, Some("csv"), &problem)),
    };
    let columns = Columns::read(&sheet, &OF_LINKS, form);
    let (shown, file) = (columns.chosen(form), Some((&sheet, &columns)));
    let missing = if !columns.has(Column::Chat) {
        Some(("column_chat", "Choose the column with the Discord ids."))
    } else if !columns.has(Column::Play) && !columns.has(Column::Name) {
        Some(("column_play", "Choose the column with the Roblox ids, or the one with the names."))
    } else {
        None
    };
    if let Some((field, problem)) = missing {
        return page(&visit, &KIND, Form::wrong(&shown, Some(field), problem), file, None);
    }
    let done = is_sure(&visit, &columns);
    let sent = |line: &SheetLine| {
        let cell = |column| columns.cell(line, column);
        json!({ "chat_id": cell(Column::Chat), "play_id": cell(Column::Play), "play_username": cell(Column::Name) })
    };
    let mut body = Map::new();
    body.insert("lines".to_owned(), sheet.lines.iter().map(sent).collect());
    body.insert("replace".to_owned(), (form.text("replace") == "yes").into());
    body.insert("dry_run".to_owned(), (!done).into());
    let answer = visit.api(Method::POST, "/guilds/{g}/links/import", body).await;
    if !answer.status.is_success() {
        return page(&visit, &KIND, Form::refused(&shown, &answer), file, None);
    }
    let data = &answer.body["data"];
    let answers = data["lines"].as_array().map(Vec::as_slice).unwrap_or_default();
    let lines = sheet.lines.iter().zip(answers);
    let writes =
        answers.iter().filter(|answer| matches!(answer["result"].as_str(), Some("linked" | "replaced")));
    let job = data["job_id"].as_str().filter(|_| visit.may("sync.write"));
    let read = Read {
        done,
        rows: lines.map(|(line, answer)| row(&sheet, &columns, line, answer, done)).collect(),
        writes: writes.count() as u64,
        undo: import_id(data),
        follows: "A sync of all members gives the roles and nicknames. If none has begun, begin one when the hour of the last one is over.".to_owned(),
        job_url: job.map(|job| visit.url(&format!("/jobs/{job}"))),
    };
    page(&visit, &KIND, Form::new(shown), file, Some(read))
}

fn row(sheet: &Sheet, columns: &Columns, line: &SheetLine, answer: &Value, done: bool) -> Row {
    let text = |name: &str| answer[name].as_str().unwrap_or_default();
    let mark = match (text("result"), done) {
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
    let name = answer["play_username"].as_str().unwrap_or(columns.cell(line, Column::Name));
    let play = answer["play_id"]
        .as_i64()
        .map_or_else(|| columns.cell(line, Column::Play).to_owned(), |play| play.to_string());
    let why = match text("field") {
        "" => others(&answer["others"]),
        "chat_id" => fault(sheet, columns, "chat_id", "No Discord id: those have digits only."),
        "play_id" => fault(sheet, columns, "play_id", "No Roblox id: those have digits only."),
        field => fault(sheet, columns, field, "No Roblox name."),
    };
    Row {
        number: line.number,
        chat: columns.cell(line, Column::Chat).to_owned(),
        play: format!("{name} {play}").trim().to_owned(),
        more: String::new(),
        mark,
        why,
    }
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
