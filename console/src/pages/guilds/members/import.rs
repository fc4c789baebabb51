//! /console/guilds/:guild/members/import: links that another bot has exported, from a pasted text or a file. What each line
//! would do is shown before anything is linked.

use askama::Template;
use http::Method;
use jobs::link_export::{Column, Export, Line};
use serde_json::{Map, Value, json};

use crate::html::form::Form;
use crate::html::format::Count;
use crate::html::shell::{Place, Shell};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

/// Lines of one import (docs/rules.md 3).
const LINES_MAX: usize = 1_000;
/// Lines that the page lists. Those that were linked as they stand are counted only.
const LINES_LISTED: usize = 200;
const FIELDS: [&str; 1] = ["csv"];

#[derive(Template)]
#[template(path = "guilds/members/import.html")]
struct Page {
    shell: Shell,
    form: Form,
    url: String,
    list_url: Option<String>,
    read: Option<Read>,
}

/// A file, and what becomes of its lines.
struct Read {
    /// It has been imported; otherwise this is what would happen.
    done: bool,
    /// The name in the file, and what it stands for.
    columns: Vec<(String, &'static str)>,
    ignored: Vec<String>,
    counts: Vec<(Mark, Count<u64>)>,
    rows: Vec<Row>,
    unlisted: Count<u64>,
    writes: Count<u64>,
    /// The page of the sync that follows.
    job_url: Option<String>,
    text: String,
    replace: bool,
}

/// The kind of the mark, and its words.
type Mark = (&'static str, &'static str);

struct Row {
    number: u64,
    chat: String,
    play: String,
    mark: Mark,
    why: String,
}

#[expect(clippy::unused_async, reason = "all pages have one form")]
pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    show(&visit, Form::default(), None)
}

fn show(visit: &GuildVisit, form: Form, read: Option<Read>) -> Result<Response, PageError> {
    let list_url = visit.may("lookup.read").then(|| visit.url("/members"));
    let shell = visit.shell("Import links", Place::Members);
    let page = Page { shell, form, url: visit.url("/members/import"), list_url, read };
    Ok(Response::page(&page)?.status(page.form.status()))
}

/// Shows what would happen; with `sure` it happens.
pub(crate) async fn post(visit: GuildVisit) -> Result<Response, PageError> {
    let form = &visit.form;
    let export = match read(form.text("csv")) {
        Ok(export) => export,
        Err(problem) => return show(&visit, Form::wrong(form, Some("csv"), &problem), None),
    };
    let (done, replace) = (form.has("sure"), form.text("replace") == "yes");
    let mut body = Map::new();
    body.insert("lines".to_owned(), export.lines.iter().map(sent).collect());
    body.insert("replace".to_owned(), replace.into());
    body.insert("dry_run".to_owned(), (!done).into());
    let answer = visit.api(Method::POST, "/guilds/{g}/links/import", body).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(form, &answer), None);
    }
    let job = answer.body["data"]["job_id"].as_str().filter(|_| visit.may("sync.write"));
    let read = Read {
        job_url: job.map(|job| visit.url(&format!("/jobs/{job}"))),
        text: form.text("csv").to_owned(),
        replace,
        ..Read::new(export, &answer.body["data"]["lines"], done)
    };
    show(&visit, Form::new(form.clone()), Some(read))
}

fn read(text: &str) -> Result<Export, String> {
    let export =
        Export::read(text.as_bytes()).map_err(|problem| format!("This cannot be read: {problem}."))?;
    match export.lines.len() {
        0 => Err("There is no line to import.".to_owned()),
        lines if lines > LINES_MAX => Err(format!(
            "These are {}. Import at most {LINES_MAX} at once; the operator of this service imports more with guildhall links import.",
            Count(lines as u64, "line")
        )),
        _ => Ok(export),
    }
}

fn sent(line: &Line) -> Value {
    json!({ "chat_id": line.chat_id, "play_id": line.play_id, "play_username": line.play_username })
}

impl Read {
    fn new(export: Export, answers: &Value, done: bool) -> Self {
        let answers = answers.as_array().map(Vec::as_slice).unwrap_or_default();
        let rows: Vec<Row> =
            export.lines.iter().zip(answers).map(|(line, answer)| Row::new(line, answer, done)).collect();
        let mut counts: Vec<(Mark, Count<u64>)> = Vec::new();
        for row in &rows {
            match counts.iter_mut().find(|(mark, _)| *mark == row.mark) {
                Some((_, count)) => count.0 += 1,
                None => counts.push((row.mark, Count(1, "line"))),
            }
        }
        let writes =
            answers.iter().filter(|answer| matches!(answer["result"].as_str(), Some("linked" | "replaced")));
        let columns = export.columns.into_iter().map(|(column, name)| (name, stands_for(column))).collect();
        Self {
            done,
            columns,
            ignored: export.ignored,
            counts,
            writes: Count(writes.count() as u64, "member"),
            unlisted: Count(rows.len().saturating_sub(LINES_LISTED) as u64, "other line"),
            rows: rows.into_iter().take(LINES_LISTED).collect(),
            job_url: None,
            text: String::new(),
            replace: false,
        }
    }
}

fn stands_for(column: Column) -> &'static str {
    match column {
        Column::Chat => "Discord id",
        Column::Play => "Roblox id",
        Column::Name => "Roblox name",
        Column::VerifiedAt => "time of the link, which is not used",
    }
}

impl Row {
    fn new(line: &Line, answer: &Value, done: bool) -> Self {
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
        let name = answer["play_username"].as_str().unwrap_or(&line.play_username);
        let play = answer["play_id"].as_i64().map_or_else(|| line.play_id.clone(), |play| play.to_string());
        let why = match text("field") {
            "" => others(&answer["others"]),
            "chat_id" => "No Discord id: those have digits only.".to_owned(),
            "play_id" => "No Roblox id: those have digits only.".to_owned(),
            _ => "No Roblox name.".to_owned(),
        };
        Self {
            number: line.number,
            chat: line.chat_id.clone(),
            play: format!("{name} {play}").trim().to_owned(),
            mark,
            why,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_says_what_becomes_of_it() {
        let export = read("discord_id,note,roblox_id\n812345678901234567,x,7\nx,y,8\n").unwrap();
        let other = json!({ "chat_id": "9", "play_id": 7, "play_username": "ann" });
        let answers = json!([
            { "result": "conflict", "play_id": 7, "play_username": "ann", "field": null, "others": [other] },
            { "result": "invalid", "play_id": 8, "play_username": null, "field": "chat_id", "others": [] },
        ]);
        let read = Read::new(export, &answers, false);
        let rows: Vec<_> =
            read.rows.iter().map(|row| (row.number, &*row.play, row.mark.1, &*row.why)).collect();
        assert_eq!(rows[0], (2, "ann 7", "linked to another account", "9 is linked with ann (7)."));
        assert_eq!(rows[1], (3, "8", "cannot be read", "No Discord id: those have digits only."));
        assert_eq!((read.writes.0, read.ignored.len(), read.counts.len()), (0, 1, 2));
    }

    #[test]
    fn a_file_that_is_too_long_is_refused() {
        let line = "812345678901234567,7\n";
        assert!(read(&line.repeat(1_001)).unwrap_err().contains("1,001 lines"));
        assert!(read(&line.repeat(1_000)).is_ok());
        assert!(read("").unwrap_err().contains("the file is empty"));
        assert!(read("discord_id,roblox_id\n").unwrap_err().contains("no line"));
    }
}
