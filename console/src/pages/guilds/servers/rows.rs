//! Servers and commands as lists show them.

use std::borrow::Cow;

use entities::server_command::{self, AckStatus, State};
use entities::{PlayId, Subject, game_server};

use super::super::actors::subject;
use super::super::people::{People, Who};
use super::places::Places;
use crate::fields::segment;
use crate::html::format::{Number, When};
use crate::response::PageError;
use crate::visit::GuildVisit;

/// The studio's server has no id, and a part of an address cannot be empty.
const STUDIO: &str = "studio";
/// Marks ids that would read like that name.
const ESCAPE: char = '~';

pub(super) struct Row {
    pub(super) url: String,
    /// Its part of the address, for what fields suggest.
    pub(super) part: String,
    pub(super) name: String,
    pub(super) players: Number<i32>,
    pub(super) place: String,
    pub(super) heard: When,
    pub(super) first: When,
    pub(super) live: bool,
}

impl Row {
    pub(super) fn new(visit: &GuildVisit, row: &game_server::Model, places: &Places) -> Self {
        Self {
            url: address(visit, &row.server_id),
            part: part_of(&row.server_id).into_owned(),
            name: name(&row.server_id),
            players: Number(row.player_count),
            place: places.name(row.place_id, row.universe_id),
            heard: visit.when(row.last_heartbeat_at),
            first: visit.when(row.first_seen_at),
            live: row.is_live(visit.now()),
        }
    }
}

pub(crate) fn name(server: &str) -> String {
    if server.is_empty() { "Studio".to_owned() } else { server.to_owned() }
}

pub(crate) fn address(visit: &GuildVisit, server: &str) -> String {
    visit.url(&format!("/servers/{}", segment(&part_of(server))))
}

/// The name of a server in addresses; [`id_in`] is the inverse.
fn part_of(server: &str) -> Cow<'_, str> {
    match server.trim_start_matches(ESCAPE) {
        "" if server.is_empty() => STUDIO.into(),
        STUDIO => format!("{ESCAPE}{server}").into(),
        _ => server.into(),
    }
}

/// The id of the server that an address names.
pub(crate) fn id_in(part: &str) -> &str {
    match part.trim_start_matches(ESCAPE) {
        STUDIO if part == STUDIO => "",
        STUDIO => &part[ESCAPE.len_utf8()..],
        _ => part,
    }
}

/// A command with its state.
pub(crate) struct Command {
    pub(crate) kind: String,
    pub(crate) target: String,
    /// The player who is the target.
    pub(crate) player: Option<Who>,
    pub(crate) reason: String,
    pub(crate) server: String,
    pub(crate) server_url: String,
    pub(crate) by: Option<Who>,
    pub(crate) issued: When,
    /// The colour's name and the words.
    pub(crate) mark: (&'static str, &'static str),
    /// The server's answer.
    pub(crate) answer: String,
}

impl Command {
    pub(crate) async fn all(
        visit: &GuildVisit,
        rows: &[server_command::Model],
    ) -> Result<Vec<Self>, PageError> {
        let players = rows.iter().filter_map(player);
        let issuers = rows.iter().filter_map(|row| subject(row.issued_by.get()));
        let people = People::read(visit, issuers.chain(players)).await?;
        Ok(rows.iter().map(|row| Self::new(visit, row, &people)).collect())
    }

    fn new(visit: &GuildVisit, row: &server_command::Model, people: &People) -> Self {
        let too_old = row.issued_at + server_command::LIFETIME <= visit.now();
        Self {
            kind: row.kind.clone(),
            target: row.target_id.clone(),
            player: player(row).map(|player| people.who(visit, player)),
            reason: row.reason.clone(),
            server: name(&row.server_id),
            server_url: address(visit, &row.server_id),
            by: subject(row.issued_by.get()).map(|subject| people.who(visit, subject)),
            issued: visit.when(row.issued_at),
            mark: mark(row.state, row.ack_status, too_old),
            answer: row.ack_message.clone().unwrap_or_default(),
        }
    }
}

/// The target of commands that games know to be about a player.
fn player(row: &server_command::Model) -> Option<Subject> {
    let is_about_player = ["kick", "message"].contains(&row.kind.as_str());
    row.target_id.parse::<PlayId>().ok().filter(|_| is_about_player).map(Subject::Play)
}

fn mark(state: State, status: Option<AckStatus>, too_old: bool) -> (&'static str, &'static str) {
    match (state, status) {
        (State::Acknowledged, Some(AckStatus::Error)) => ("bad", "failed there"),
        (State::Acknowledged, _) => ("good", "done"),
        (State::Queued, _) if !too_old => ("info", "waits for the server"),
        _ => ("warning", "expired"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_an_address_of_its_own() {
        for (id, part) in
            [("", "studio"), ("studio", "~studio"), ("~studio", "~~studio"), ("~", "~"), ("a", "a")]
        {
            assert_eq!((part_of(id).as_ref(), id_in(part)), (part, id));
        }
    }

    #[test]
    fn a_command_is_expired_by_its_age_before_the_sweep_says_so() {
        assert_eq!(mark(State::Queued, None, false).1, "waits for the server");
        assert_eq!(mark(State::Queued, None, true).1, "expired");
        assert_eq!(mark(State::Acknowledged, Some(AckStatus::Error), true).1, "failed there");
        assert_eq!(mark(State::Acknowledged, Some(AckStatus::Ok), false).1, "done");
    }
}
