//! Gauges of the leading process: depth and oldest age of each class's backlog, and the number of worker processes.

use std::time::Duration;

use entities::job::{Class, listing};
use entities::{Timestamp, worker};
use runtime::Context;
use sea_orm::DbErr;

use crate::interval::LeaderInterval;
use crate::leader::Leadership;

const MEASURE_INTERVAL: Duration = Duration::from_secs(10);

pub(crate) async fn keep(context: Context, leadership: Leadership) {
    let mut interval = LeaderInterval::new(MEASURE_INTERVAL, leadership, context.shutdown.clone());
    while interval.next().await {
        if let Err(error) = read(&context).await {
            tracing::debug!(%error, "cannot read the backlog");
        }
    }
}

async fn read(context: &Context) -> Result<(), DbErr> {
    let (conn, now) = (context.database.read(), context.clock.now());
    for &class in Class::ALL {
        let backlog = listing::backlog(conn, class, now).await?;
        let gauge =
            |name: &'static str, value: f64| metrics::gauge!(name, "class" => class.name()).set(value);
        gauge("guildhall_jobs_queued", count(backlog.available));
        gauge("guildhall_jobs_held", count(backlog.held));
        gauge("guildhall_jobs_oldest_seconds", age(backlog.oldest, now));
    }
    metrics::gauge!("guildhall_workers")
        .set(count(i64::try_from(worker::list(conn).await?.len()).unwrap_or(0)));
    Ok(())
}

fn count(rows: i64) -> f64 {
    f64::from(u32::try_from(rows).unwrap_or(u32::MAX))
}

fn age(since: Option<Timestamp>, now: Timestamp) -> f64 {
    since.and_then(|since| (now - since).to_std().ok()).map_or(0.0, |age| age.as_secs_f64())
}
