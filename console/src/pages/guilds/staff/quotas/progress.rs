//! Quotas as pages show them, with the progress of those whom the viewer may see.

use entities::quota::{Metric, Model};
use entities::{ChatId, Page, QuotaId, period, quota, quota_progress};

use crate::answer::PageError;
use crate::pages::guilds::people::Who;
use crate::pages::guilds::staff::{Staff, own, sees_all, words};
use crate::visit::GuildVisit;
use crate::words::Number;

/// Quotas shown: the newest.
const QUOTAS: u64 = 100;
/// Members shown before the others unfold.
const FIRST: usize = 10;

pub(in crate::pages::guilds::staff) struct Quota {
    pub(in crate::pages::guilds::staff) id: QuotaId,
    pub(in crate::pages::guilds::staff) name: String,
    /// "20 bans a week"
    pub(in crate::pages::guilds::staff) what: String,
    pub(in crate::pages::guilds::staff) whom: String,
    pub(in crate::pages::guilds::staff) approval: bool,
    pub(in crate::pages::guilds::staff) first: Vec<Progress>,
    pub(in crate::pages::guilds::staff) others: Vec<Progress>,
}

pub(in crate::pages::guilds::staff) struct Progress {
    pub(in crate::pages::guilds::staff) who: Who,
    pub(in crate::pages::guilds::staff) current: Number<i64>,
    pub(in crate::pages::guilds::staff) target: Number<i64>,
    pub(in crate::pages::guilds::staff) percent: i64,
    /// What the bar shows, at most the target.
    pub(in crate::pages::guilds::staff) bar: i64,
}

pub(super) async fn all(visit: &GuildVisit) -> Result<Vec<Quota>, PageError> {
    let only = (!sees_all(visit)).then(|| own(visit));
    read(visit, only, false).await
}

/// The quotas that cover one member, with their progress.
pub(in crate::pages::guilds::staff) async fn of_member(
    visit: &GuildVisit,
    staff: ChatId,
) -> Result<Vec<Quota>, PageError> {
    read(visit, Some(staff), true).await
}

/// `covering`: without the quotas that do not cover the member.
async fn read(visit: &GuildVisit, only: Option<ChatId>, covering: bool) -> Result<Vec<Quota>, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let rows = quota::list(conn, guild, Page::first(QUOTAS)).await?;
    let mut quotas = Vec::new();
    for row in rows {
        let since = period::begin(row.period, &visit.guild.settings(), visit.now());
        let mut progress = quota_progress::list(conn, &row, since, visit.now()).await?;
        progress.retain(|one| only.is_none_or(|staff| staff == one.staff_id));
        if covering && progress.is_empty() {
            continue;
        }
        let staff = Staff::read(visit, progress.iter().map(|one| one.staff_id).collect()).await?;
        let shown =
            |one: quota_progress::Progress| bar(staff.who(visit, one.staff_id), one.current, row.target);
        let mut first: Vec<_> = progress.into_iter().map(shown).collect();
        let others = first.split_off(FIRST.min(first.len()));
        quotas.push(described(&row, first, others));
    }
    Ok(quotas)
}

fn bar(who: Who, current: i64, target: i64) -> Progress {
    let percent = current.saturating_mul(100) / target.max(1);
    Progress { who, current: Number(current), target: Number(target), percent, bar: current.min(target) }
}

fn described(row: &Model, first: Vec<Progress>, others: Vec<Progress>) -> Quota {
    let metric = words::metric(row.metric).to_lowercase();
    let metric = if row.target == 1 && row.metric != Metric::Custom { singular(&metric) } else { metric };
    Quota {
        id: row.quota_id,
        name: row.name.clone(),
        what: format!("{} {metric} {}", Number(row.target), words::period(row.period)),
        whom: row.scope_role.clone().map_or_else(|| "All staff".to_owned(), |role| format!("Role {role}")),
        approval: row.requires_approval,
        first,
        others,
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
        let who = Who { name: "Ada".to_owned(), chat: None, play: None, url: None };
        let bar = bar(who, 30, 20);
        assert_eq!((bar.bar, bar.percent, bar.current.0), (20, 150, 30));
        assert_eq!(
            (singular("bans"), singular("minutes on duty")),
            ("ban".to_owned(), "minute on duty".to_owned())
        );
    }
}
