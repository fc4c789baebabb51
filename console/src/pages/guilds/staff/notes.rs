//! /console/guilds/:guild/staff/notes: notes about staff members.

use askama::Template;
use entities::{NoteId, staff_note};
use http::Method;
use serde_json::Map;

use super::person::{STAFF_FIELD, asked, named, refused};
use super::tabs::{Link, Tab, tabs};
use super::{Staff, decides, name_of};
use crate::fields::Fields;
use crate::html::form::Form;
use crate::html::format::When;
use crate::html::list::{cut, page};
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::people::Who;
use crate::response::{Flash, PageError, Response, Undo};
use crate::visit::GuildVisit;

const FIELDS: [&str; 2] = ["staff_id", "body"];
/// The content of the page beside the form.
const SHOWN: [&str; 3] = [STAFF_FIELD, "staff_id", "body"];

#[derive(Template)]
#[template(path = "guilds/staff/notes.html")]
struct Page {
    shell: Shell,
    tabs: Vec<Link>,
    form: Form,
    url: String,
    may_write: bool,
    /// The note whose change was refused: the only one shown.
    refused: Option<NoteId>,
    rows: Vec<Row>,
    more: Option<String>,
}

pub(super) struct Row {
    pub(super) id: NoteId,
    pub(super) who: Who,
    pub(super) author: Who,
    pub(super) body: String,
    pub(super) written: When,
    pub(super) changed: Option<When>,
    /// The viewer may change it.
    pub(super) decides: bool,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let form = Form::new(visit.query.clone());
    show(&visit, form).await
}

async fn show(visit: &GuildVisit, form: Form) -> Result<Response, PageError> {
    let (about, form) = asked(visit, form).await?;
    let mut notes = Vec::new();
    if form.problem_of(STAFF_FIELD).is_empty() {
        notes = staff_note::list(visit.read(), visit.guild.guild_id, about, page(visit)).await?;
    }
    let more = cut(visit, &mut notes, |row| row.note_id);
    draw(visit, form, notes, (more, None)).await
}

async fn draw(
    visit: &GuildVisit,
    form: Form,
    notes: Vec<staff_note::Model>,
    (more, refused): (Option<String>, Option<NoteId>),
) -> Result<Response, PageError> {
    let page = Page {
        shell: visit.shell("Notes", Place::Staff),
        tabs: tabs(visit, Tab::Notes),
        url: visit.url("/staff/notes"),
        may_write: visit.may("staff.write"),
        rows: shown(visit, notes).await?,
        refused,
        more,
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

pub(super) async fn shown(visit: &GuildVisit, notes: Vec<staff_note::Model>) -> Result<Vec<Row>, PageError> {
    let staff =
        Staff::read(visit, notes.iter().flat_map(|note| [note.staff_id, note.author_id]).collect()).await?;
    let row = |note: staff_note::Model| Row {
        id: note.note_id,
        who: staff.who(visit, note.staff_id),
        author: staff.who(visit, note.author_id),
        decides: decides(visit, note.staff_id),
        body: note.body,
        written: visit.when(note.created_at),
        changed: (note.updated_at > note.created_at).then(|| visit.when(note.updated_at)),
    };
    Ok(notes.into_iter().map(row).collect())
}

pub(crate) async fn add(visit: GuildVisit) -> Result<Response, PageError> {
    let staff = match named(&visit, &visit.form, "staff_id").await? {
        Ok(staff) => staff,
        Err(problem) => return show(&visit, Form::unresolved(&visit.form, "staff_id", problem)).await,
    };
    let mut body = visit.form.json(&FIELDS);
    body.insert("staff_id".to_owned(), staff.to_string().into());
    let answer = visit.api(Method::POST, "/guilds/{g}/staff/notes", body).await;
    if !answer.status.is_success() {
        return show(&visit, refused(&visit.form, &answer)).await;
    }
    let undo = Undo::new(visit.url(&format!("/staff/notes/{}/remove", answer.body["data"]["id"])), &[]);
    let flash = Flash::new(format!("Note about {} added.", name_of(&visit, staff).await?));
    Ok(Response::see(visit.url("/staff/notes")).flash(flash.with_undo(undo)))
}

async fn find(visit: &GuildVisit) -> Result<staff_note::Model, PageError> {
    let found = staff_note::find(visit.read(), visit.guild.guild_id, visit.param("note")?).await?;
    found.ok_or(PageError::NotFound)
}

pub(crate) async fn update(visit: GuildVisit) -> Result<Response, PageError> {
    let before = find(&visit).await?;
    let id = before.note_id;
    let answer = visit
        .api(Method::PATCH, &format!("/guilds/{{g}}/staff/notes/{id}"), visit.form.json(&["body"]))
        .await;
    if !answer.status.is_success() {
        // The form that adds a note has a field of this name too.
        let field = field_of(id);
        let typed = Fields::of(&[(&field, visit.form.text("body"))]);
        let form = Form::wrong(&typed, Some(&field), &answer.message());
        return draw(&visit, form, vec![before], (None, Some(id))).await;
    }
    let undo = Undo::new(visit.url(&format!("/staff/notes/{id}")), &[("body", &before.body)]);
    Ok(Response::see(visit.back_to(&["/staff/notes"])).flash(Flash::new("Note changed.").with_undo(undo)))
}

/// The text of this note in its own form.
fn field_of(note: NoteId) -> String {
    format!("body-{note}")
}

pub(crate) async fn remove(visit: GuildVisit) -> Result<Response, PageError> {
    let id: NoteId = visit.param("note")?;
    let answer = visit.api(Method::DELETE, &format!("/guilds/{{g}}/staff/notes/{id}"), Map::new()).await;
    if !answer.status.is_success() {
        return show(&visit, Form::wrong(&visit.form, None, &answer.message())).await;
    }
    Ok(Response::see(visit.back_to(&["/staff/notes"])).flash(Flash::new("Note deleted.")))
}
