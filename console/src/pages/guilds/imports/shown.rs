//! An import and its page: the file, its columns, what each line does, and what was done.

use std::collections::BTreeMap;

use askama::Template;
use entities::ImportId;
use http::Method;
use jobs::bot_export::{Column, Sheet, SheetLine};
use serde_json::{Map, Value};

use super::columns::{Columns, Wanted, choices};
use crate::html::choice::Choice;
use crate::html::form::Form;
use crate::html::format::Count;
use crate::html::shell::{Place, Shell};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

/// Lines of one import (docs/rules.md 3).
const LINES_MAX: usize = 1_000;
/// Lines that the page lists. The others are counted only.
const LINES_LISTED: usize = 200;

/// What is imported.
pub(super) struct Kind {
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) hint: &'static str,
    pub(super) page: &'static str,
    /// Below `/imports`.
    pub(super) path: &'static str,
    pub(super) place: Place,
    pub(super) wanted: &'static [Wanted],
    /// What the last button does: "Link", "member".
    pub(super) button: (&'static str, &'static str),
    /// A choice beside the file: its field, which is also that of the call, and words.
    pub(super) choice: Option<(&'static str, &'static str)>,
    /// The call of the API, and the lines in it and in its answer.
    pub(super) call: &'static str,
    pub(super) lines: &'static str,
    /// What the answer says of lines that change something.
    pub(super) writes: &'static [&'static str],
    /// A column that nobody has chosen: its field, and what to do.
    pub(super) missing: fn(&Columns) -> Option<(&'static str, &'static str)>,
    pub(super) sent: fn(&Columns, &SheetLine) -> Value,
    pub(super) row: fn(&Line<'_>) -> Row,
    /// What follows from it.
    pub(super) follows: fn(&GuildVisit) -> &'static str,
}

/// A line of the file, and what the API says of it.
pub(super) struct Line<'l> {
    pub(super) sheet: &'l Sheet,
    pub(super) columns: &'l Columns,
    pub(super) line: &'l SheetLine,
    pub(super) answer: &'l Value,
    /// It was imported; otherwise this is what would happen.
    pub(super) done: bool,
}

impl Line<'_> {
    pub(super) fn text(&self, name: &str) -> &str {
        self.answer[name].as_str().unwrap_or_default()
    }

    /// The player's name and id, as the answer has them, or else the file.
    fn play(&self) -> String {
        let cell = |column| self.columns.cell(self.line, column);
        let name = self.answer["play_username"].as_str().unwrap_or(cell(Column::Name));
        let play = self.answer["play_id"].as_i64();
        let play = play.map_or_else(|| cell(Column::Play).to_owned(), |play| play.to_string());
        format!("{name} {play}").trim().to_owned()
    }

    pub(super) fn row(&self, mark: Mark, why: String, more: String) -> Row {
        let chat = self.columns.cell(self.line, Column::Chat).to_owned();
        Row { number: self.line.number, chat, play: self.play(), more, mark, why }
    }

    /// What is wrong with a field, by the column of the file.
    pub(super) fn fault(&self, field: &str, allowed: &str) -> String {
        match self.columns.name(self.sheet, field) {
            "" => allowed.to_owned(),
            name => format!("Column {name}: {allowed}"),
        }
    }
}

#[derive(Template)]
#[template(path = "guilds/imports/import.html")]
struct Page {
    shell: Shell,
    kind: &'static Kind,
    form: Form,
    url: String,
    imports_url: String,
    fields: Vec<&'static str>,
    columns: Vec<Choice>,
    /// The choices of the columns that the lines are shown for.
    mark: String,
    read: Option<Read>,
}

/// What becomes of the lines.
struct Read {
    /// They have been imported; otherwise this is what would happen.
    done: bool,
    rows: Vec<Row>,
    /// Lines that change something.
    writes: u64,
    undo: Option<ImportId>,
    /// What follows from it, and its page.
    follows: &'static str,
    job_url: Option<String>,
}

/// The kind of the mark, and its words.
pub(super) type Mark = (&'static str, &'static str);

pub(super) struct Row {
    number: u64,
    chat: String,
    play: String,
    more: String,
    mark: Mark,
    why: String,
}

impl Page {
    fn is_done(&self) -> bool {
        self.read.as_ref().is_some_and(|read| read.done)
    }
}

impl Read {
    fn counts(&self) -> Vec<(Mark, Count<u64>)> {
        let mut counts: BTreeMap<Mark, u64> = BTreeMap::new();
        for row in &self.rows {
            *counts.entry(row.mark).or_default() += 1;
        }
        counts.into_iter().map(|(mark, count)| (mark, Count(count, "line"))).collect()
    }

    fn written(&self, what: &'static str) -> Count<u64> {
        Count(self.writes, what)
    }

    fn listed(&self) -> &[Row] {
        &self.rows[..self.rows.len().min(LINES_LISTED)]
    }

    fn unlisted(&self) -> Count<u64> {
        Count(self.rows.len().saturating_sub(LINES_LISTED) as u64, "other line")
    }

    fn has_more(&self) -> bool {
        self.rows.iter().any(|row| !row.more.is_empty())
    }
}

/// Without a file.
pub(super) fn empty(visit: &GuildVisit, kind: &'static Kind, form: Form) -> Result<Response, PageError> {
    page(visit, kind, form, None, None)
}

/// Shows what would happen; when that was shown and is wanted, it happens.
pub(super) async fn import(visit: &GuildVisit, kind: &'static Kind) -> Result<Response, PageError> {
    let form = &visit.form;
    let sheet = match sheet(form.text("csv")) {
        Ok(sheet) => sheet,
        Err(problem) => return empty(visit, kind, Form::wrong(form, Some("csv"), &problem)),
    };
    let columns = Columns::read(&sheet, kind.wanted, form);
    let (shown, file) = (columns.chosen(form), Some((&sheet, &columns)));
    if let Some((field, problem)) = (kind.missing)(&columns) {
        return page(visit, kind, Form::wrong(&shown, Some(field), problem), file, None);
    }
    let done = is_sure(visit, &columns);
    let mut body = Map::new();
    let lines = sheet.lines.iter().map(|line| (kind.sent)(&columns, line));
    body.insert(kind.lines.to_owned(), lines.collect());
    body.extend(kind.choice.map(|(field, _)| (field.to_owned(), (form.text(field) == "yes").into())));
    body.insert("dry_run".to_owned(), (!done).into());
    let answer = visit.api(Method::POST, kind.call, body).await;
    if !answer.status.is_success() {
        return page(visit, kind, Form::refused(&shown, &answer), file, None);
    }
    let data = &answer.body["data"];
    let answers = data[kind.lines].as_array().map(Vec::as_slice).unwrap_or_default();
    let line = |(line, answer)| Line { sheet: &sheet, columns: &columns, line, answer, done };
    let lines: Vec<_> = sheet.lines.iter().zip(answers).map(line).collect();
    let job = data["job_id"].as_str().filter(|_| visit.may("sync.write"));
    let read = Read {
        done,
        rows: lines.iter().map(kind.row).collect(),
        writes: lines.iter().filter(|line| kind.writes.contains(&line.text("result"))).count() as u64,
        undo: data["import_id"].as_i64().and_then(|id| id.try_into().ok()),
        follows: (kind.follows)(visit),
        job_url: job.map(|job| visit.url(&format!("/jobs/{job}"))),
    };
    page(visit, kind, Form::new(shown), file, Some(read))
}

/// The file of the form, or what is wrong with it.
fn sheet(text: &str) -> Result<Sheet, String> {
    let sheet = Sheet::read(text.as_bytes()).map_err(|problem| format!("This cannot be read: {problem}."))?;
    match sheet.lines.len() {
        0 => Err("There is no line to import.".to_owned()),
        lines if lines > LINES_MAX => {
            Err(format!("These are {}. Import at most {LINES_MAX} at once.", Count(lines as u64, "line")))
        }
        _ => Ok(sheet),
    }
}

fn page(
    visit: &GuildVisit,
    kind: &'static Kind,
    form: Form,
    file: Option<(&Sheet, &Columns)>,
    read: Option<Read>,
) -> Result<Response, PageError> {
    let page = Page {
        shell: visit.shell(kind.title, kind.place),
        kind,
        url: visit.url(kind.page),
        imports_url: visit.url("/imports"),
        fields: ["csv"].into_iter().chain(kind.wanted.iter().map(|(_, field, ..)| *field)).collect(),
        columns: file.map(|(sheet, _)| choices(sheet)).unwrap_or_default(),
        mark: file.map(|(_, columns)| columns.mark()).unwrap_or_default(),
        form,
        read,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

/// Whether the form asks to import what was shown before, by the same columns.
fn is_sure(visit: &GuildVisit, columns: &Columns) -> bool {
    visit.form.has("sure") && visit.form.text("shown") == columns.mark()
}
