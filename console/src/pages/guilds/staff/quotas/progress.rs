//! Quotas as pages show them, with the progress of the members whom the viewer may see.

use entities::quota::{Metric, Model};
use entities::{ChatId, Page, QuotaId, quota, quota_progress};

use crate::html::format::{Count, Number};
use crate::html::list::cut_whole;
use crate::pages::guilds::people::Who;
use crate::pages::guilds::staff::leaderboard::{on_leave, span};
use crate::pages::guilds::staff::{Staff, labels, own, sees_all};
use crate::response::PageError;
use crate::visit::GuildVisit;

/// Quotas of one page.
const QUOTAS: usize = 10;
/// Quotas on the page of a member: the newest.
const QUOTAS_OF_MEMBER: u64 = 50;
/// Members shown of each; its own page has all.
const MEMBERS_OF_QUOTA: usize = 5;

pub(in crate::pages::guilds::staff) struct Quota {
    pub(in crate::pages::guilds::staff) id: QuotaId,
    pub(in crate::pages::guilds::staff) name: String,
    /// "20 bans a week"
    pub(in crate::pages::guilds::staff) what: String,
    pub(in crate::pages::guilds::staff) whom: String,
    pub(in crate::pages::guilds::staff) approval: bool,
    pub(in crate::pages::guilds::staff) first: Vec<Progress>,
    /// Members that it covers, of those whom the viewer sees.
    pub(in crate::pages::guilds::staff) covered: Count<u64>,
}

pub(in crate::pages::guilds::staff) struct Progress {
    pub(in crate::pages::guilds::staff) who: Who,
    pub(in crate::pages::guilds::staff) current: Number<i64>,
    pub(in crate::pages::guilds::staff) target: Number<i64>,
    pub(in crate::pages::guilds::staff) percent: i64,
    /// Days on leave, where there are any.
    pub(in crate::pages::guilds::staff) on_leave: Option<Count<u64>>,
    /// The value of the bar, at most the target.
    pub(in crate::pages::guilds::staff) bar: i64,
}

/// Quotas of one page, newest first, each with its first members; and the query of the next page.
pub(super) async fn all(visit: &GuildVisit) -> Result<(Vec<Quota>, Option<String>), PageError> {
    let part = Page { cursor: visit.query.read("cursor"), limit: QUOTAS as u64 + 1 };
    let mut rows = quota::list(visit.read(), visit.guild.guild_id, part).await?;
    let has_more = rows.len() > QUOTAS;
    rows.truncate(QUOTAS);
    let last =
        rows.last().filter(|_| has_more).map(|row| visit.query.with("cursor", &row.quota_id.to_string()));
    let mut quotas = Vec::new();
    for row in &rows {
        let mut progress = read(visit, row, (!sees_all(visit)).then(|| own(visit))).await?;
        let covered = progress.len();
        progress.truncate(MEMBERS_OF_QUOTA);
        quotas.push(described(row, bars(visit, row, progress).await?, covered));
    }
    Ok((quotas, last))
}

/// The quotas that cover one member, with their progress.
pub(in crate::pages::guilds::staff) async fn of_member(
    visit: &GuildVisit,
    staff: ChatId,
) -> Result<Vec<Quota>, PageError> {
    let rows = quota::list(visit.read(), visit.guild.guild_id, Page::first(QUOTAS_OF_MEMBER)).await?;
    let mut quotas = Vec::new();
    for row in &rows {
        let progress = read(visit, row, Some(staff)).await?;
        if !progress.is_empty() {
            quotas.push(described(row, bars(visit, row, progress).await?, 1));
        }
    }
    Ok(quotas)
}

/// One quota with one part of its members; and the query of the next part.
pub(super) async fn of_quota(visit: &GuildVisit, row: &Model) -> Result<(Quota, Option<String>), PageError> {
    let mut progress = read(visit, row, (!sees_all(visit)).then(|| own(visit))).await?;
    let covered = progress.len();
    let (_, more) = cut_whole(&visit.query, &mut progress);
    Ok((described(row, bars(visit, row, progress).await?, covered), more))
}

/// The progress of the members that the quota covers; or of one of them.
async fn read(
    visit: &GuildVisit,
    row: &Model,
    only: Option<ChatId>,
) -> Result<Vec<quota_progress::Progress>, PageError> {
    let (settings, now) = (visit.guild.settings(), visit.now());
    let mut progress =
        quota_progress::list(visit.read(), row, span(visit, row.period), &settings, now).await?;
    progress.retain(|one| only.is_none_or(|staff| staff == one.staff_id));
    Ok(progress)
}

async fn bars(
    visit: &GuildVisit,
    row: &Model,
    progress: Vec<quota_progress::Progress>,
) -> Result<Vec<Progress>, PageError> {
    let staff = Staff::read(visit, progress.iter().map(|one| one.staff_id).collect()).await?;
    let bar = |one: quota_progress::Progress| bar(staff.who(visit, one.staff_id), one, row.target);
    Ok(progress.into_iter().map(bar).collect())
}

fn bar(
    who: Who,
    quota_progress::Progress { current, on_leave_days, .. }: quota_progress::Progress,
    target: i64,
) -> Progress {
    let percent = current.saturating_mul(100) / target.max(1);
    let (bar, on_leave) = (current.min(target), on_leave(on_leave_days));
    Progress { who, current: Number(current), target: Number(target), percent, on_leave, bar }
}

fn described(row: &Model, first: Vec<Progress>, covered: usize) -> Quota {
    let metric = labels::metric(row.metric).to_lowercase();
    let metric = if row.target == 1 && row.metric != Metric::Custom { singular(&metric) } else { metric };
    Quota {
        id: row.quota_id,
        name: row.name.clone(),
        what: format!("{} {metric} {}", Number(row.target), labels::period(row.period)),
        whom: row.scope_role.clone().map_or_else(|| "All staff".to_owned(), |role| format!("Role {role}")),
        approval: row.requires_approval,
        first,
        covered: Count(covered as u64, "member"),
    }
}

/// The first word without its plural.
fn singular(words: &str) -> String {
    words.split_once(' ').map_or_else(
        || words.trim_end_matches('s').to_owned(),
        |(first, rest)| format!("{} {rest}", first.trim_end_matches('s')),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_ends_at_its_target_and_the_number_does_not() {
        let who = Who { name: "Ada".to_owned(), chat: None, play: None, url: None, face: None };
        let progress =
            quota_progress::Progress { staff_id: 1.try_into().unwrap(), current: 30, on_leave_days: 0 };
        let bar = bar(who, progress, 20);
        assert_eq!((bar.bar, bar.percent, bar.current.0), (20, 150, 30));
        assert_eq!(
            (singular("bans"), singular("minutes on duty")),
            ("ban".to_owned(), "minute on duty".to_owned())
        );
    }
}
