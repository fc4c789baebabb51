//! /console/guilds/:guild/moderation/bans/again: restores ended bans or mutes for their remaining time. Undo
//! leads here.

use entities::sanction::{self, active, history};
use entities::{Person, SanctionId};

use super::Kind;
use super::lift::after;
use super::order::{Imposed, Order, lasting};
use crate::html::format::Count;
use crate::pages::guilds::people::identify;
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

/// More than any person has.
const SANCTIONS_MAX: usize = 100;

pub(crate) async fn post(visit: GuildVisit) -> Result<Response, PageError> {
    let kind: Kind = visit.param("kind")?;
    if !visit.may("moderation.read") {
        return Err(PageError::NotFound);
    }
    let (mut name, mut restored, mut kept) = (String::new(), Vec::new(), Vec::new());
    for id in visit.form.all("id").into_iter().take(SANCTIONS_MAX) {
        let id = id.parse().map_err(|_| PageError::NotFound)?;
        let row = history::find(visit.read(), visit.guild.guild_id, id).await?;
        let row = row.filter(|row| row.kind == kind.0).ok_or(PageError::NotFound)?;
        let subject = row.subject().ok_or(PageError::NotFound)?;
        name = identify(&visit, subject).await?.0.name;
        match bring_back(&visit, &row).await? {
            Ok(new) => restored.push((row, new)),
            Err(problem) => kept.push(problem),
        }
    }
    let text = match restored.as_slice() {
        [] => None,
        [(_, new)] => {
            Some(format!("Restored the {} of {name} {}.", kind.word(), lasting(&visit, new.expires)))
        }
        several => Some(format!("Restored {} of {name}.", Count(several.len() as u64, kind.word()))),
    };
    let text: Vec<_> = text.into_iter().chain(kept).collect();
    let to = match restored.last() {
        Some((row, new)) => after(&visit, row, new.id).await?,
        None => visit.url(kind.path()),
    };
    Ok(Response::see(to).flash(Flash::new(text.join(" "))))
}

/// Imposes the remaining time of one that ended; `Err` says why it stays ended.
async fn bring_back(visit: &GuildVisit, row: &sanction::Model) -> Result<Result<Imposed, String>, PageError> {
    let kind = Kind(row.kind);
    let named = format!("{} #{}", kind.title(), row.number);
    let left = row.expires_at.map(|end| (end - visit.now()).num_seconds());
    if row.in_force(visit.now()) {
        return Ok(Err(format!("{named} is still active.")));
    }
    if row.lifted_at.is_none() || left.is_some_and(|left| left < 1) {
        return Ok(Err(format!("{named} had no time left.")));
    }
    let subject = row.subject().ok_or(PageError::NotFound)?;
    let place = row.place_id.map(|place| place.to_string()).unwrap_or_default();
    let order = Order { kind, subject, reason: &row.reason, place: &place, seconds: left };
    // The form names the one that is replaced; one that a colleague made meanwhile stays.
    let instead: Option<SanctionId> = visit.form.read("instead");
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let person = Person::resolve(conn, guild, subject).await?;
    let now_active = active::of_person(conn, guild, person, visit.now()).await?;
    let mut newer = now_active.iter().filter(|row| order.replaces(person, row));
    if let Some(newer) = newer.find(|row| Some(row.sanction_id) != instead) {
        return Ok(Err(format!("{named} stays ended, because #{} is newer.", newer.number)));
    }
    let failed = |answer: people::ApiAnswer| format!("{named} stays ended: {}.", answer.message());
    Ok(order.impose(visit).await.map_err(failed))
}
