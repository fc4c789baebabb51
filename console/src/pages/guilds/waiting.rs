//! Open tasks of the viewer and recent failures: each leads to the page where it is decided.

use chrono::TimeDelta;
use entities::job::Status;
use entities::job::listing;
use entities::sanction::MirrorState;
use entities::sanction::history::{self, Filter};
use entities::{
    Page as Part, SanctionKind, application_submission, follow, game_server, leave_request, link_attempt,
    log_channel, pending_action, synced_member,
};
use platforms::FollowPace;

use crate::html::format::Count;
use crate::response::PageError;
use crate::visit::GuildVisit;

/// Up to so many rows of each kind the number is said.
const COUNTED_MAX: u64 = 50;
/// One more tells whether there are more.
const READ_MAX: u64 = COUNTED_MAX + 1;
/// What an automatic sync found in this time, it is about to mend.
const MENDED_WITHIN: TimeDelta = TimeDelta::minutes(15);
/// An older failure is history.
const RECENT: TimeDelta = TimeDelta::hours(24);

pub(super) struct Waiting {
    pub(super) words: String,
    pub(super) url: String,
}

impl Waiting {
    pub(super) async fn all(visit: &GuildVisit) -> Result<Vec<Self>, PageError> {
        let mut counts = Vec::new();
        // The lists themselves need the right to read.
        if visit.may("staff.read") && visit.may("staff.write") {
            counts.push((
                leave_requests(visit).await?,
                "leave request",
                "to decide",
                "/staff/leave/requests?state=requested",
            ));
            let actions =
                pending_action::list(visit.read(), visit.guild.guild_id, Part::first(READ_MAX)).await?;
            counts.push((actions.len(), "staff action", "to approve", "/staff/pending"));
        }
        if visit.may("moderation.read") && visit.may("moderation.write") {
            counts.push((
                bans(visit, MirrorState::Held).await?,
                "ban",
                "to allow on Discord",
                "/moderation/bans?state=held",
            ));
            counts.push((
                bans(visit, MirrorState::Failed).await?,
                "ban",
                "that did not reach Discord",
                "/moderation/bans?state=unmirrored",
            ));
        }
        if visit.may("links.write") {
            counts.push((held_links(visit).await?, "link", "to decide", "/members/attempts"));
        }
        if visit.may("tickets.write") {
            counts.push((
                open_applications(visit).await?,
                "application",
                "to decide",
                "/applications?state=open",
            ));
        }
        if visit.rights.admin {
            counts.push((
                refused_channels(visit).await?,
                "log channel",
                "switched off: Discord refused a message",
                "/log-channels",
            ));
        }
        if visit.may("sync.write") {
            for (status, page) in [(Status::Failed, "/jobs?state=failed"), (Status::Dead, "/jobs?state=dead")]
            {
                counts.push((failed(visit, status).await?, "job", "failed in the last 24 h", page));
            }
        }
        let some = counts.into_iter().filter(|(count, ..)| *count > 0);
        let waiting = |(count, what, how, page): (usize, _, _, &str)| Self {
            words: format!("{} {how}", counted(count as u64, what)),
            url: visit.url(page),
        };
        let of_sync = if visit.may("sync.write") { out_of_step(visit).await? } else { Vec::new() };
        let gone = if visit.may("moderation.read") { servers_gone(visit).await? } else { None };
        Ok(of_sync.into_iter().chain(gone).chain(some.map(waiting)).collect())
    }
}

fn counted(count: u64, what: &'static str) -> String {
    if count > COUNTED_MAX {
        return format!("More than {}", Count(COUNTED_MAX, what));
    }
    Count(count, what).to_string()
}

/// What no automatic sync will mend: they stopped, or are off, or could not.
async fn out_of_step(visit: &GuildVisit) -> Result<Vec<Waiting>, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let following = follow::read(conn, guild, visit.now()).await?;
    let is_off_here = visit.platforms().follow_pace == FollowPace::Off;
    let acts = !is_off_here && following.goes_on();
    let before = acts.then(|| visit.now() - MENDED_WITHIN);
    let members = synced_member::count_due(conn, guild, before).await?;
    let url = || visit.url("/sync");
    let mut waits = Vec::new();
    if let Some(why) = following.stopped.filter(|_| !is_off_here) {
        waits.push(Waiting { words: format!("Automatic syncs stopped: {why}"), url: url() });
    }
    if members > 0 {
        let verb = if members == 1 { "is" } else { "are" };
        let words = format!("{} {verb} out of step", Count(members, "member"));
        waits.push(Waiting { words, url: url() });
    }
    Ok(waits)
}

async fn leave_requests(visit: &GuildVisit) -> Result<usize, PageError> {
    let asked = leave_request::Filter { state: Some(leave_request::State::Requested), staff: None };
    Ok(leave_request::list(visit.read(), visit.guild.guild_id, asked, Part::first(READ_MAX)).await?.len())
}

async fn held_links(visit: &GuildVisit) -> Result<usize, PageError> {
    let (conn, guild, held) = (visit.read(), visit.guild.guild_id, Some(link_attempt::State::Held));
    Ok(link_attempt::list(conn, guild, held, Part::first(READ_MAX)).await?.len())
}

async fn open_applications(visit: &GuildVisit) -> Result<usize, PageError> {
    let open = application_submission::Filter {
        state: Some(application_submission::State::Open),
        ..application_submission::Filter::default()
    };
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    Ok(application_submission::list(conn, guild, open, Part::first(READ_MAX)).await?.len())
}

async fn refused_channels(visit: &GuildVisit) -> Result<usize, PageError> {
    let channels = log_channel::list(visit.read(), visit.guild.guild_id).await?;
    Ok(channels.iter().filter(|channel| channel.state == log_channel::State::Refused).count())
}

/// Active ones whose copy on Discord is in this state.
async fn bans(visit: &GuildVisit, state: MirrorState) -> Result<usize, PageError> {
    let filter = Filter { mirror: Some(state), active: Some(true), ..Filter::of(SanctionKind::Ban) };
    let found = history::count(visit.read(), visit.guild.guild_id, filter, READ_MAX, visit.now()).await?;
    Ok(usize::try_from(found).unwrap_or(usize::MAX))
}

/// All game servers are gone that reported a short time ago.
async fn servers_gone(visit: &GuildVisit) -> Result<Option<Waiting>, PageError> {
    let newest = game_server::newest(visit.read(), visit.guild.guild_id).await?;
    let gone = newest
        .filter(|server| !server.is_live(visit.now()) && server.last_heartbeat_at + RECENT > visit.now());
    Ok(gone.map(|server| Waiting {
        words: format!("No game server reports any more; the last was {}", server.server_id),
        url: visit.url("/servers"),
    }))
}

/// Jobs that ended so in the last day.
async fn failed(visit: &GuildVisit, status: Status) -> Result<usize, PageError> {
    let filter = listing::Filter {
        guild: Some(visit.guild.guild_id),
        status: Some(status),
        ..listing::Filter::default()
    };
    let jobs = listing::list(visit.read(), filter, Part::first(READ_MAX), visit.now()).await?;
    Ok(jobs.iter().filter(|job| job.finished_at.is_some_and(|at| at + RECENT > visit.now())).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_said_only_where_it_is_known() {
        assert_eq!(counted(1, "leave request"), "1 leave request");
        assert_eq!(counted(50, "leave request"), "50 leave requests");
        assert_eq!(counted(51, "leave request"), "More than 50 leave requests");
    }
}
