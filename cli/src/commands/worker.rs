//! `guildhall worker`: runs jobs. Any number of them; each takes what is next.

use runtime::{BrokerArgs, Config, DatabaseArgs, MetricsArgs, PlatformArgs, Shutdown, bind, serve_ops};

use super::serve;
use crate::process::{Process, SlotArgs, VERSION, database_name};

/// A worker process: takes jobs from RabbitMQ and does them.
///
/// Needs Postgres (with the schema of `guildhall migrate`), RabbitMQ and Redis. When one dies, another goes on from the
/// last checkpoint of its jobs.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    metrics: MetricsArgs,
    #[command(flatten)]
    database: DatabaseArgs,
    #[command(flatten)]
    broker: BrokerArgs,
    #[command(flatten)]
    platforms: PlatformArgs,
    #[command(flatten)]
    slots: SlotArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let config = Config::distributed(&args.database, &args.broker)?;
    let shutdown = Shutdown::on_signals();
    let listener = bind(args.metrics.address()?, MetricsArgs::VARIABLE).await?;
    let process = Process::distributed(&config, &args.platforms, shutdown.clone()).await?;
    tracing::info!(
        version = VERSION,
        mode = "worker",
        metrics = %listener.local_addr()?,
        database = database_name(&config),
        "guildhall works"
    );
    let Process { context, queue, platforms } = process;
    shutdown.services().spawn(serve_ops(listener, context.readiness.clone(), shutdown.clone()));
    worker::start(&context, &queue, platforms, args.slots.slots());
    shutdown.soft().cancelled().await;
    serve::finish(context).await
}
