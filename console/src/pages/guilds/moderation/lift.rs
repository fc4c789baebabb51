//! Lifts a ban or mute, or all of the person. Undo brings them back.

use entities::{SanctionId, Subject, link, sanction};
use http::Method;
use people::ApiAnswer;
use serde_json::{Map, json};

use super::Kind;
use super::sanction::{active_of, load, show};
use crate::html::form::Form;
use crate::html::format::Count;
use crate::pages::guilds::people::identify;
use crate::response::{Flash, PageError, Response, Undo};
use crate::visit::GuildVisit;

pub(crate) async fn post(visit: GuildVisit) -> Result<Response, PageError> {
    let row = load(&visit).await?;
    let (kind, all) = (Kind(row.kind), visit.form.has("all"));
    let subject = row.subject().ok_or(PageError::NotFound)?;
    let name = identify(&visit, subject).await?.0.name;
    let (ending, staying): (Vec<sanction::Model>, Vec<_>) = active_of(&visit, &row)
        .await?
        .into_iter()
        .partition(|active| all || active.sanction_id == row.sanction_id);
    let ending: Vec<_> = ending.iter().map(|active: &sanction::Model| active.sanction_id).collect();
    let to = after(&visit, &row, row.sanction_id).await?;
    if ending.is_empty() {
        let flash = Flash::new(format!("The {} of {name} had ended before.", kind.word()));
        return Ok(Response::see(to).flash(flash));
    }
    let answer = lift(&visit, &row, subject, all).await;
    if !answer.status.is_success() {
        return show(&visit, row, Form::refused(&visit.form, &answer)).await;
    }
    let mut text = match ending.len() {
        1 => format!("Lifted the {} of {name}.", kind.word()),
        several => format!("Lifted {} of {name}.", Count(several as u64, kind.word())),
    };
    if !staying.is_empty() {
        let list = staying.iter().map(|row| format!("#{}", row.number)).collect::<Vec<_>>().join(", ");
        text = format!("{text} Still {}: {list}.", kind.done());
    }
    let mut flash = Flash::new(text);
    if !visit.form.has("undo") {
        flash = flash.with_undo(undo(&visit, kind, &ending));
    }
    Ok(Response::see(to).flash(flash))
}

async fn lift(visit: &GuildVisit, row: &sanction::Model, subject: Subject, all: bool) -> ApiAnswer {
    let mut body = Map::new();
    body.insert("identifier".to_owned(), json!(subject.to_string()));
    body.insert("moderator_id".to_owned(), json!(visit.session.row.user_id.to_string()));
    if visit.form.has("reason") {
        body.insert("reason".to_owned(), json!(visit.form.text("reason")));
    }
    if !all {
        body.insert("id".to_owned(), json!(row.sanction_id));
    }
    let path = format!("/moderation/{{g}}/play/un{}", Kind(row.kind).word());
    visit.api(Method::POST, &path, body).await
}

fn undo(visit: &GuildVisit, kind: Kind, lifted: &[SanctionId]) -> Undo {
    let ids: Vec<_> = lifted.iter().map(ToString::to_string).collect();
    let from = Some(("from", visit.form.text("from"))).filter(|(_, from)| !from.is_empty());
    let fields: Vec<_> = ids.iter().map(|id| ("id", id.as_str())).chain(from).collect();
    Undo::new(visit.url(&format!("{}/again", kind.path())), &fields)
}

/// Where a change leads: back to the list or member it was made from, or else to the page of `id`.
pub(super) async fn after(
    visit: &GuildVisit,
    row: &sanction::Model,
    id: SanctionId,
) -> Result<String, PageError> {
    let (conn, guild, kind) = (visit.read(), visit.guild.guild_id, Kind(row.kind));
    let page = match (visit.form.text("from"), row.subject()) {
        ("list", _) => return Ok(visit.back_to(&[kind.path()])),
        ("member", Some(subject)) => {
            let link = match subject {
                Subject::Chat(chat) => link::find_by_chat(conn, guild, chat).await?,
                Subject::Play(play) => link::find_by_play(conn, guild, play).await?,
            };
            link.map_or_else(|| kind.one(id), |link| format!("/members/{}", link.chat_id))
        }
        _ => kind.one(id),
    };
    Ok(visit.url(&page))
}
