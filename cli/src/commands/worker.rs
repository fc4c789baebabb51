//! `guildhall worker`: runs jobs. Any number of them share the queue.

use runtime::Origin;

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
    /// Public URL of the console, such as `https://guildhall.example.org`, for links in log channels [default: none]
    #[arg(long, env = "GUILDHALL_PUBLIC_URL", value_name = "URL")]
    public_url: Option<Origin>,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let start = |Process { context, queue, platforms }: &Process| {
        credentials::check(platforms, &context.shutdown);
        let public_url = args.public_url.clone().map(|Origin(url)| url);
        worker::start(queue, platforms.clone(), public_url, args.slots.slots());
    };
    args.background.run("worker", start).await
}
