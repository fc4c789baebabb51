//! /console/guilds/:guild/sync/run: asks, with the removals, and starts the sync.

use askama::Template;
use entities::bulk_sync::Kind;

use super::preview::{self, Counts};
use super::quota::Window;
use super::{history, request};
use crate::fields::Fields;
use crate::html::form::Form;
use crate::html::format::When;
use crate::html::shell::{Place, Shell};
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

/// The word to type before more than one member loses roles.
const CONFIRMATION: &str = "sync";
/// What the form shows.
const FIELDS: &[&str] = &["max_removals", "word"];

#[derive(Template)]
#[template(path = "guilds/sync_run.html")]
struct Page {
    shell: Shell,
    url: String,
    form: Form,
    /// What a run would change, as of this time; `None`: there is no preview of the last hour.
    known: Option<(Counts, When)>,
    wants_word: bool,
    run: Window,
}

/// Whether the word must be typed: more than one member loses roles, or the number is unknown.
fn wants_word(known: Option<Counts>) -> bool {
    known.is_none_or(|counts| counts.losing > 1)
}

async fn known(visit: &GuildVisit) -> Result<Option<(Counts, When)>, PageError> {
    let jobs = history(visit).await?;
    let newest = preview::newest(visit, &jobs);
    Ok(newest.and_then(|job| Some((Counts::of(job.result.as_ref()?), visit.when(job.finished_at?)))))
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let known = known(&visit).await?;
    // No more is removed than the preview showed.
    let limit = known.map(|(counts, _)| counts.removals.to_string()).unwrap_or_default();
    let typed = visit.query.text("max_removals").to_owned();
    let limit = if typed.is_empty() { limit } else { typed };
    show(&visit, Form::new(Fields::of(&[("max_removals", &limit)])), known).await
}

async fn show(visit: &GuildVisit, form: Form, known: Option<(Counts, When)>) -> Result<Response, PageError> {
    let page = Page {
        shell: visit.shell("Run the sync", Place::Sync),
        url: visit.url("/sync"),
        wants_word: wants_word(known.map(|(counts, _)| counts)),
        run: Window::read(visit, Kind::Run).await?,
        known,
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

pub(crate) async fn post(visit: GuildVisit) -> Result<Response, PageError> {
    let known = known(&visit).await?;
    let typed = visit.form.text("word").eq_ignore_ascii_case(CONFIRMATION);
    if wants_word(known.map(|(counts, _)| counts)) && !typed {
        let text = format!("Type {CONFIRMATION} here: more than one member may lose roles.");
        return show(&visit, Form::wrong(&visit.form, Some("word"), &text), known).await;
    }
    let answer = request(&visit, false).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer), known).await;
    }
    let job = answer.body["data"]["job_id"].as_str().unwrap_or_default();
    let flash = Flash::new("The sync has started. You can leave this page and find it again under Jobs.");
    Ok(Response::see(visit.url(&format!("/jobs/{job}"))).flash(flash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_is_wanted_where_more_than_one_member_loses_roles_or_nobody_knows() {
        let losing = |losing| Some(Counts { losing, ..Counts::default() });
        assert_eq!([losing(0), losing(1), losing(2), None].map(wants_word), [false, false, true, true]);
    }
}
