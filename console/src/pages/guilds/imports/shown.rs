//! The page of an import: the file, its columns, what each line does, and what was done.

use std::collections::BTreeMap;

use askama::Template;
use entities::ImportId;
use jobs::bot_export::Sheet;
use serde_json::Value;

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
    /// A choice beside the file: its field and words.
    pub(super) choice: Option<(&'static str, &'static str)>,
}

#[derive(Template)]
#[template(path = "guilds/imports/import.html")]
pub(super) struct Page {
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
#[derive(Default)]
pub(super) struct Read {
    /// They have been imported; otherwise this is what would happen.
    pub(super) done: bool,
    pub(super) rows: Vec<Row>,
    /// Lines that change something.
    pub(super) writes: u64,
    pub(super) undo: Option<ImportId>,
    /// What follows from it, and its page.
    pub(super) follows: String,
    pub(super) job_url: Option<String>,
}

/// The kind of the mark, and its words.
pub(super) type Mark = (&'static str, &'static str);

pub(super) struct Row {
    pub(super) number: u64,
    pub(super) chat: String,
    pub(super) play: String,
    pub(super) more: String,
    pub(super) mark: Mark,
    pub(super) why: String,
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

/// The file of the form, or what is wrong with it.
pub(super) fn sheet(text: &str) -> Result<Sheet, String> {
    let sheet = Sheet::read(text.as_bytes()).map_err(|problem| format!("This cannot be read: {problem}."))?;
    match sheet.lines.len() {
        0 => Err("There is no line to import.".to_owned()),
        lines if lines > LINES_MAX => {
            Err(format!("These are {}. Import at most {LINES_MAX} at once.", Count(lines as u64, "line")))
        }
        _ => Ok(sheet),
    }
}

/// Without a file.
pub(super) fn empty(visit: &GuildVisit, kind: &'static Kind, form: Form) -> Result<Response, PageError> {
    page(visit, kind, form, None, None)
}

pub(super) fn page(
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
pub(super) fn is_sure(visit: &GuildVisit, columns: &Columns) -> bool {
    visit.form.has("sure") && visit.form.text("shown") == columns.mark()
}

/// What is wrong with a line, by the column of the file.
pub(super) fn fault(sheet: &Sheet, columns: &Columns, field: &str, allowed: &str) -> String {
    match columns.name(sheet, field) {
        "" => allowed.to_owned(),
        name => format!("Column {name}: {allowed}"),
    }
}

pub(super) fn import_id(data: &Value) -> Option<ImportId> {
    data["import_id"].as_i64().and_then(|id| id.try_into().ok())
}
