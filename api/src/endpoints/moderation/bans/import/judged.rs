//! What an import does with each line, before it writes any.

use std::collections::HashSet;

use entities::{ChatId, GuildId, Person, SanctionKind, Subject, Timestamp, sanction, staff_directory};

use super::line::BanLine;
use crate::endpoints::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BanLineResult {
    Banned,
    /// A ban of every game is in force already, and stays as it is.
    AlreadyBanned,
    /// Staff of the guild, or the account of the caller.
    Protected,
    /// The game platform does not know the account.
    UnknownPlayer,
    /// A line before names the person.
    Duplicate,
    /// `expires_at` is in the past.
    Ended,
    Invalid,
}

/// The results in the order of the lines, with the people of those who are named.
pub(crate) async fn judge(
    call: &Call,
    conn: &impl entities::Conn,
    lines: &[BanLine],
    now: Timestamp,
) -> Result<Vec<(BanLineResult, Option<Person>)>, ApiError> {
    let subjects: Vec<Subject> = lines.iter().filter_map(BanLine::subject).collect();
    let people = Person::resolve_all(conn, call.guild(), &subjects).await?;
    let banned = banned(conn, call.guild(), &people, now).await?;
    let protected = protected(call, conn, now).await?;
    let (mut people, mut seen) = (people.into_iter(), HashSet::new());
    let judged = lines.iter().map(|line| {
        let Some(person) = line.subject().and_then(|_| people.next()) else {
            let unknown = line.wrong.is_none();
            return (if unknown { BanLineResult::UnknownPlayer } else { BanLineResult::Invalid }, None);
        };
        let is_new = person.accounts().all(|account| seen.insert(account));
        let result = if !is_new {
            BanLineResult::Duplicate
        } else if [person.chat, line.chat].into_iter().flatten().any(|chat| protected.contains(&chat)) {
            BanLineResult::Protected
        } else if line.expires_at.is_some_and(|end| end <= now) {
            BanLineResult::Ended
        } else if person.accounts().any(|account| banned.contains(&account)) {
            BanLineResult::AlreadyBanned
        } else {
            BanLineResult::Banned
        };
        (result, Some(person))
    });
    Ok(judged.collect())
}

/// The accounts with a ban of every game.
async fn banned(
    conn: &impl entities::Conn,
    guild: GuildId,
    people: &[Person],
    now: Timestamp,
) -> Result<HashSet<Subject>, ApiError> {
    let active = sanction::active::of_people(conn, guild, people, now).await?;
    let bans = active.iter().filter(|row| row.kind == SanctionKind::Ban && row.place_id.is_none());
    Ok(bans.filter_map(sanction::Model::subject).collect())
}

async fn protected(
    call: &Call,
    conn: &impl entities::Conn,
    now: Timestamp,
) -> Result<HashSet<ChatId>, ApiError> {
    let staff = staff_directory::list(conn, call.guild(), now).await?;
    Ok(staff.into_iter().map(|member| member.chat_id).chain([call.caller.user()]).collect())
}
