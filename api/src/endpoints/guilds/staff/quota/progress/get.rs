//! GET /guilds/:guildId/staff/quota/:quotaId/progress

use entities::quota::{self, Period};
use entities::quota_progress::{self, Progress};
use entities::{ChatId, QuotaId};

use crate::endpoints::prelude::*;
use crate::endpoints::staff::period;

#[derive(Serialize, ToSchema)]
pub(crate) struct QuotaProgress {
    quota_id: QuotaId,
    period: Period,
    /// When the current period began; null: all time.
    #[schema(required)]
    since: Option<Seconds>,
    /// Highest first.
    rows: Vec<QuotaProgressRow>,
    /// Null on the last page.
    #[schema(required)]
    next_cursor: Option<ChatId>,
}

#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct QuotaProgressRow {
    staff_id: ChatId,
    #[schema(minimum = 0, example = 14)]
    current: i64,
    #[schema(minimum = 1, maximum = 1_000_000_000, example = 20)]
    target: i64,
    /// Full percents; may be more than 100.
    #[schema(minimum = 0, example = 70)]
    percent: i64,
}

impl QuotaProgressRow {
    fn new(Progress { staff_id, current }: Progress, target: i64) -> Self {
        Self { staff_id, current, target, percent: current.saturating_mul(100) / target.max(1) }
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("getQuotaProgress", "Progress of each staff member, highest first")
        .paged_if_asked::<ChatId>()
        .data::<QuotaProgress>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page_or_whole::<ChatId>()?;
    let id: QuotaId = call.path("quotaId")?;
    let quota = quota::find(call.read(), call.guild(), id).await?.or_not_found("quota")?;
    let settings = period::settings(&call).await?;
    let since = period::begin(quota.period, &settings, call.now());
    let rows = quota_progress::list(call.read(), &quota, since, call.now()).await?;
    let rows = rows.into_iter().map(|row| QuotaProgressRow::new(row, quota.target)).collect();
    let rows = page.after(rows, |row: &QuotaProgressRow| row.staff_id)?;
    let (period, since) = (quota.period, since.map(Seconds));
    let data = |rows, next_cursor| QuotaProgress { quota_id: id, period, since, rows, next_cursor };
    page.reply(rows, |row: &QuotaProgressRow| row.staff_id, data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_are_rounded_down_and_may_exceed_100() {
        let percent = |current, target| {
            QuotaProgressRow::new(Progress { staff_id: 1.try_into().unwrap(), current }, target).percent
        };
        assert_eq!((percent(0, 3), percent(1, 3), percent(2, 3), percent(3, 3)), (0, 33, 66, 100));
        assert_eq!((percent(7, 2), percent(999, 1000)), (350, 99));
    }
}
