//! GET /guilds/:guildId/staff/quota/:quotaId/progress

use entities::quota::{self, Period};
use entities::quota_progress::{self, Progress};
use entities::{ChatId, QuotaId};
use serde::Serialize;

use crate::call::Call;
use crate::guilds::staff::ID;
use crate::guilds::staff::quota::unknown;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::staff::period;
use crate::time::Seconds;

#[derive(Serialize)]
struct Answer {
    quota_id: QuotaId,
    period: Period,
    /// Null where the period is all time.
    since: Option<Seconds>,
    rows: Vec<Row>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Row {
    staff_id: ChatId,
    current: i64,
    target: i64,
    percent: i64,
}

pub(crate) async fn progress(call: Call) -> Result<Reply, ApiError> {
    let id: QuotaId = call.path("quotaId", ID)?;
    let quota = quota::find(call.read(), call.guild(), id).await?.ok_or_else(unknown)?;
    let settings = period::settings(&call).await?;
    let since = period::begin(quota.period, &settings, call.now());
    let rows = quota_progress::list(call.read(), &quota, since, call.now()).await?;
    Reply::data(&Answer {
        quota_id: id,
        period: quota.period,
        since: since.map(Seconds),
        rows: rows.into_iter().map(|row| measured(row, quota.target)).collect(),
    })
}

/// Full percents, and more than 100 where it is more.
fn measured(Progress { staff_id, current }: Progress, target: i64) -> Row {
    Row { staff_id, current, target, percent: current.saturating_mul(100) / target.max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_are_full_ones_and_have_no_ceiling() {
        let percent =
            |current, target| measured(Progress { staff_id: 1.try_into().unwrap(), current }, target).percent;
        assert_eq!((percent(0, 3), percent(1, 3), percent(2, 3), percent(3, 3)), (0, 33, 66, 100));
        assert_eq!((percent(7, 2), percent(999, 1000)), (350, 99));
    }
}
