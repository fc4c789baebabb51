//! What is measured at each scrape: the rest is recorded where it happens.

use std::sync::Arc;
use std::time::Duration;

use platforms::{FollowPace, Platforms};
use runtime::{Context, Gauge, Measure};
use sea_orm::DbErr;
use tokio::time::timeout;

/// What a server does not answer by then is missing, and the rest is there.
const PART_WITHIN: Duration = Duration::from_secs(1);

/// `version`: of the program.
pub(super) fn measure(context: &Context, platforms: &Platforms, version: &'static str) -> Measure {
    // While the database is away a scrape does not wait for it.
    let context = Context { database: context.database.clone().guarded(), ..context.clone() };
    let platforms = platforms.clone();
    Arc::new(move || {
        let (context, platforms) = (context.clone(), platforms.clone());
        Box::pin(async move { Box::pin(all(&context, &platforms, version)).await })
    })
}

async fn all(context: &Context, platforms: &Platforms, version: &'static str) -> Vec<Gauge> {
    let (jobs, schedules, follow, limits, dependencies) = tokio::join!(
        part(read(queue::gauges(context))),
        part(read(jobs::schedule_gauges(context))),
        part(follow(context, platforms)),
        part(platforms.gauges()),
        part(dependencies(context)),
    );
    let build = vec![Gauge::new("guildhall_build_info", 1.0).with("version", version)];
    [build, context.database.gauges(), jobs, schedules, follow, limits, dependencies].concat()
}

async fn part(gauges: impl Future<Output = Vec<Gauge>>) -> Vec<Gauge> {
    timeout(PART_WITHIN, gauges).await.unwrap_or_default()
}

async fn read(gauges: impl Future<Output = Result<Vec<Gauge>, DbErr>>) -> Vec<Gauge> {
    let read = gauges.await;
    read.inspect_err(|error| tracing::debug!(%error, "cannot read metrics from the database"))
        .unwrap_or_default()
}

/// Nothing where no guild follows.
async fn follow(context: &Context, platforms: &Platforms) -> Vec<Gauge> {
    if platforms.follow_pace == FollowPace::Off {
        return Vec::new();
    }
    read(jobs::follow::gauges(context)).await
}

async fn dependencies(context: &Context) -> Vec<Gauge> {
    let report = context.readiness.report().await;
    let up = |state| Gauge::count("guildhall_dependency_up", u8::from(state == "ok"));
    report.dependencies.into_iter().map(|(name, state)| up(state).with("dependency", name)).collect()
}
