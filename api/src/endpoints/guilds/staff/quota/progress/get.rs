//! GET /guilds/:guildId/staff/quota/:quotaId/progress

use entities::quota::{self, Period};
use entities::quota_progress::{self, Progress};
use entities::{ChatId, QuotaId};

use crate::endpoints::prelude::*;
use crate::endpoints::staff::period::{self, Switch};

request! {
    pub(crate) struct ProgressQuery {
        /// The period before the current one.
        ended: Option<Switch>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct QuotaProgress {
    quota_id: QuotaId,
    period: Period,
    /// When the period began; null: all time.
    #[schema(required)]
    since: Option<Seconds>,
    /// When it ended; null: it has not ended.
    #[schema(required)]
    until: Option<Seconds>,
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
    /// Days of the period so far on which the staff member was on leave.
    #[schema(minimum = 0, example = 0)]
    on_leave_days: i64,
}

impl QuotaProgressRow {
    fn new(Progress { staff_id, current, on_leave_days }: Progress, target: i64) -> Self {
        let percent = current.saturating_mul(100) / target.max(1);
        Self { staff_id, current, target, percent, on_leave_days }
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("getQuotaProgress", "Progress of each staff member, highest first")
        .paged_if_asked::<ChatId>()
        .query::<ProgressQuery>()
        .data::<QuotaProgress>()
        .refuses(422, &["period_never_ends"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page_or_whole::<ChatId>()?;
    let id: QuotaId = call.path("quotaId")?;
    let quota = quota::find(call.read(), call.guild(), id).await?.or_not_found("quota")?;
    let ProgressQuery { ended } = call.query()?;
    let guild = period::guild(&call).await?;
    let span = period::span(&call, &guild, quota.period, ended)?;
    let rows = quota_progress::list(call.read(), &quota, span, &guild.settings(), call.now()).await?;
    let rows = rows.into_iter().map(|row| QuotaProgressRow::new(row, quota.target)).collect();
    let rows = page.after(rows, |row: &QuotaProgressRow| row.staff_id)?;
    let (period, since, until) = (quota.period, span.since.map(Seconds), span.until.map(Seconds));
    let data = |rows, next_cursor| QuotaProgress { quota_id: id, period, since, until, rows, next_cursor };
    page.reply(rows, |row: &QuotaProgressRow| row.staff_id, data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_are_rounded_down_and_may_exceed_100() {
        let percent = |current, target| {
            QuotaProgressRow::new(
                Progress { staff_id: 1.try_into().unwrap(), current, on_leave_days: 0 },
                target,
            )
            .percent
        };
        assert_eq!((percent(0, 3), percent(1, 3), percent(2, 3), percent(3, 3)), (0, 33, 66, 100));
        assert_eq!((percent(7, 2), percent(999, 1000)), (350, 99));
    }
}
