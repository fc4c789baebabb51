//! `guildhall scheduler`: fires periodic tasks and rescues jobs. One of several leads; the others are on standby.

use platforms::FollowPace;
use runtime::{Context, RetentionArgs};

use crate::process::{BackgroundArgs, Process};

/// A scheduler process: fires periodic tasks and rescues the jobs of dead workers.
///
/// Needs Postgres (with the schema of `guildhall migrate`), RabbitMQ and Redis. Run two, so that one can take over.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) background: BackgroundArgs,
    #[command(flatten)]
    retention: RetentionArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let retention = args.retention.checked()?;
    let start = |Process { context, queue, platforms }: &Process| {
        let context = Context { retention, ..context.clone() };
        let follows = platforms.follow_pace != FollowPace::Off;
        scheduler::start(&context, queue, scheduler::Options { alone: false, follows });
    };
    args.background.run("scheduler", start).await
}
