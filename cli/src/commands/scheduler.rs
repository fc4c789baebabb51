//! `guildhall scheduler`: fires periodic tasks and rescues jobs. One of several leads; the others are on standby.

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
    let start = |Process { context, queue, .. }: &Process| {
        let context = Context { retention, ..context.clone() };
        scheduler::start(&context, queue, scheduler::Options { alone: false });
    };
    args.background.run("scheduler", start).await
}
