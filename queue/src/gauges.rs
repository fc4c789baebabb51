//! What waits, as gauges on every process: depth and oldest age of each class, and the age of the outbox.

use std::time::Duration;

use entities::Timestamp;
use entities::job::{Class, listing};
use runtime::Context;
use sea_orm::DbErr;

const EVERY: Duration = Duration::from_secs(5);

pub(crate) async fn keep(context: Context) {
    let mut tick = tokio::time::interval(EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            () = context.shutdown.hard().cancelled() => return,
        }
        if let Err(error) = read(&context).await {
            tracing::debug!(%error, "cannot read what waits");
        }
    }
}

async fn read(context: &Context) -> Result<(), DbErr> {
    let now = context.clock.now();
    let conn = context.database.read();
    metrics::gauge!("guildhall_outbox_age_seconds").set(age(listing::oldest_unpublished(conn).await?, now));
    for class in Class::ALL {
        let backlog = listing::backlog(conn, class).await?;
        let queued = u32::try_from(backlog.queued).unwrap_or(u32::MAX);
        metrics::gauge!("guildhall_jobs_queued", "class" => class.name()).set(f64::from(queued));
        metrics::gauge!("guildhall_jobs_oldest_seconds", "class" => class.name())
            .set(age(backlog.oldest, now));
    }
    Ok(())
}

fn age(since: Option<Timestamp>, now: Timestamp) -> f64 {
    since.and_then(|since| (now - since).to_std().ok()).map_or(0.0, |age| age.as_secs_f64())
}
