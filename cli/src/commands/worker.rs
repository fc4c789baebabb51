//! `guildhall worker`: runs jobs. Any number of them share the queue.

use crate::process::{BackgroundArgs, Process, SlotArgs, credentials};

/// A worker process: takes jobs from RabbitMQ and runs them.
///
/// Needs Postgres (with the schema of `guildhall migrate`), RabbitMQ and Redis. When a worker dies, another resumes its
/// jobs from their last checkpoint.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) background: BackgroundArgs,
    #[command(flatten)]
    slots: SlotArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let start = |Process { context, queue, platforms }: &Process| {
        credentials::check(platforms, &context.shutdown);
        worker::start(queue, platforms.clone(), args.slots.slots());
    };
    args.background.run("worker", start).await
}
