//! Game servers by a part of their id, jobs by id and kind, staff roles and quotas by a part of their name.

use std::cmp::Reverse;

use entities::game_server::Filter as Servers;
use entities::job::Model as Job;
use entities::job::listing::{self, Filter as Jobs};
use entities::{JobId, Page as Part, game_server, quota, staff_role};
use people::{Needs, values};

use super::found::{Found, Group, matches};
use crate::pages::guilds::servers;
use crate::response::PageError;
use crate::visit::GuildVisit;

/// Of one search.
const SERVERS_MAX: usize = 20;
/// A guild has no more.
const SERVERS_READ: u64 = 5_000;
const QUOTAS_MAX: u64 = 500;
/// Kinds of jobs that are listed, and the newest jobs of each.
const KINDS_MAX: usize = 3;
const JOBS_OF_KIND: u64 = 3;

pub(super) async fn servers(
    visit: &GuildVisit,
    typed: &str,
    found: &mut Vec<Found>,
) -> Result<(), PageError> {
    if !visit.may("moderation.read") {
        return Ok(());
    }
    let (conn, guild, now) = (visit.read(), visit.guild.guild_id, visit.now());
    let all = game_server::list(conn, guild, Servers::default(), Part::first(SERVERS_READ), now).await?;
    let mut named: Vec<_> = all.iter().filter(|server| matches(&server.server_id, typed).0).collect();
    named.sort_by_key(|server| (server.server_id != typed, Reverse(server.is_live(now))));
    found.extend(named.into_iter().take(SERVERS_MAX).map(|server| {
        let id = &server.server_id;
        let about = if server.is_live(now) { "live" } else { "offline" };
        Found::new(Group::Servers, id, servers::address(visit, id), id == typed).about(about)
    }));
    Ok(())
}

pub(super) async fn jobs(visit: &GuildVisit, typed: &str, found: &mut Vec<Found>) -> Result<(), PageError> {
    if !visit.may("sync.write") {
        return Ok(());
    }
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let job = |job: &Job, exact| {
        let (id, at) = (job.job_id, people::format::exact(job.created_at));
        let url = visit.url(&format!("/jobs/{id}"));
        Found::new(Group::Jobs, values::kind(&job.kind), url, exact).about(format!("{id} of {at}"))
    };
    if let Ok(id) = typed.parse::<JobId>()
        && let Some(row) = listing::find(conn, guild, id).await?
    {
        found.push(job(&row, true));
    }
    let kinds = values::JOB_KINDS.iter().filter(|(_, words)| matches(words, typed).0);
    for (kind, _) in kinds.take(KINDS_MAX) {
        let filter = Jobs { guild: Some(guild), kind: Some(kind), ..Jobs::default() };
        let rows = listing::list(conn, filter, Part::first(JOBS_OF_KIND), visit.now()).await?;
        found.extend(rows.iter().map(|row| job(row, false)));
    }
    Ok(())
}

/// What the guild has named itself.
pub(super) async fn named(visit: &GuildVisit, typed: &str, found: &mut Vec<Found>) -> Result<(), PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let mut add = |group, name: &str, page: String, about: &str| {
        let (part, whole) = matches(name, typed);
        if part {
            found.push(Found::new(group, name, visit.url(&page), whole).about(about));
        }
    };
    if visit.rights.may(Needs::Admin) {
        for role in staff_role::list(conn, guild).await? {
            add(Group::Staff, &role.role_name, format!("/staff/roles/{}", role.role_id), "staff role");
        }
    }
    if visit.may("staff.read") {
        for quota in quota::list(conn, guild, Part::first(QUOTAS_MAX)).await? {
            add(Group::Staff, &quota.name, format!("/staff/quotas/{}/members", quota.quota_id), "quota");
        }
    }
    Ok(())
}
