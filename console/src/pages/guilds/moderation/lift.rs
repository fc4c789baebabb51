//! Ends a ban or mute, or changes how long it lasts.

use entities::{Subject, sanction};
use http::Method;
use serde_json::Map;

use super::add::{Order, impose, imposed, refused};
use super::one::{lifted_with, load, show};
use super::{Kind, length};
use crate::answer::{Answer, PageError};
use crate::cookies::{Said, Undo};
use crate::form::Form;
use crate::visit::GuildVisit;
use crate::words::Count;

/// Lifts at once, unless others would end with it: then its page asks.
pub(crate) async fn post(visit: GuildVisit) -> Result<Answer, PageError> {
    let row = load(&visit).await?;
    let (kind, back) = (Kind(row.kind), visit.url(&Kind(row.kind).one(row.sanction_id)));
    let ending = lifted_with(&visit, &row).await?;
    if ending.is_empty() {
        let said = Said::new(format!("This {} had ended before.", kind.word()));
        return Ok(Answer::see(back).saying(said));
    }
    if ending.len() > 1 && !visit.form.has("all") {
        return Ok(Answer::see(format!("{back}#lift")));
    }
    let mut body = Map::new();
    body.insert("identifier".to_owned(), subject(&row)?.to_string().into());
    body.insert("moderator_id".to_owned(), visit.session.row.user_id.to_string().into());
    if let Some(place) = row.place_id {
        body.insert("place_id".to_owned(), place.get().into());
    }
    let answer = visit.api(Method::POST, &format!("/moderation/{{g}}/play/un{}", kind.word()), body).await;
    if !answer.status.is_success() {
        return show(&visit, row, Form::refused(&visit.form, &answer)).await;
    }
    let lifted = answer.body["data"]["lifted"].as_array().map_or(0, Vec::len);
    let mut said = Said::new(format!("{} lifted.", Count(lifted as u64, kind.word())));
    if lifted == 1 && !visit.form.has("undo") {
        said = said.with_undo(Undo::new(format!("{back}/again"), &[]));
    }
    // Who lifts several of the list stays there.
    let back = if visit.form.has("from") { visit.url(kind.path()) } else { back };
    Ok(Answer::see(back).saying(said))
}

/// Imposes the rest of one that was lifted: what Undo does.
pub(crate) async fn again(visit: GuildVisit) -> Result<Answer, PageError> {
    let row = load(&visit).await?;
    let (kind, back) = (Kind(row.kind), visit.url(&Kind(row.kind).one(row.sanction_id)));
    let left = row.expires_at.map(|end| (end - visit.now()).num_seconds());
    if row.lifted_at.is_none() || left.is_some_and(|left| left < 1) {
        let said = Said::new(format!("There is nothing left of this {}.", kind.word()));
        return Ok(Answer::see(back).saying(said));
    }
    let place = row.place_id.map(|place| place.to_string()).unwrap_or_default();
    let order = Order { kind, subject: subject(&row)?, reason: &row.reason, place: &place, seconds: left };
    let answer = impose(&visit, &order).await;
    let Some(id) = imposed(&answer) else {
        let form = refused(&visit, &answer);
        return show(&visit, row, form).await;
    };
    let said = format!("{} #{id} goes on with the rest of #{}.", kind.title(), row.sanction_id);
    Ok(Answer::see(visit.url(&kind.one(id))).saying(Said::new(said)))
}

/// A new one takes the place of this one, with another length.
pub(crate) async fn prolong(visit: GuildVisit) -> Result<Answer, PageError> {
    let row = load(&visit).await?;
    let kind = Kind(row.kind);
    if !row.in_force(visit.now()) {
        let said = format!("This {} has ended, so its length stays.", kind.word());
        return Ok(Answer::see(visit.url(&kind.one(row.sanction_id))).saying(Said::new(said)));
    }
    let seconds = match length::read(&visit.form) {
        Ok(seconds) => seconds,
        Err(problem) => {
            let form = Form::wrong(&visit.form, Some("length"), problem);
            return show(&visit, row, form).await;
        }
    };
    let place = row.place_id.map(|place| place.to_string()).unwrap_or_default();
    let reason = visit.form.text("reason");
    let order = Order { kind, subject: subject(&row)?, reason, place: &place, seconds };
    let answer = impose(&visit, &order).await;
    let Some(id) = imposed(&answer) else {
        let form = refused(&visit, &answer);
        return show(&visit, row, form).await;
    };
    let said = format!("{} #{id} takes the place of #{}.", kind.title(), row.sanction_id);
    Ok(Answer::see(visit.url(&kind.one(id))).saying(Said::new(said)))
}

fn subject(row: &sanction::Model) -> Result<Subject, PageError> {
    row.subject().ok_or(PageError::NotFound)
}
