//! `guildhall scheduler`: moves what is due and what was lost. Of several one leads, the others wait to.

use runtime::{BrokerArgs, Config, DatabaseArgs, MetricsArgs, PlatformArgs, Shutdown, bind, serve_ops};

use super::serve;
use crate::process::{Process, VERSION, database_name};

/// A scheduler process: fires and runs periodic tasks, and gives back the jobs of dead workers.
///
/// Needs Postgres (with the schema of `guildhall migrate`), RabbitMQ and Redis. Run two, so that one can take over.
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
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let config = Config::distributed(&args.database, &args.broker)?;
    let shutdown = Shutdown::on_signals();
    let listener = bind(args.metrics.address()?, MetricsArgs::VARIABLE).await?;
    let process = Process::distributed(&config, &args.platforms, shutdown.clone()).await?;
    tracing::info!(
        version = VERSION,
        mode = "scheduler",
        metrics = %listener.local_addr()?,
        database = database_name(&config),
        "guildhall schedules"
    );
    let Process { context, queue, .. } = process;
    shutdown.services().spawn(serve_ops(listener, context.readiness.clone(), shutdown.clone()));
    scheduler::start(&context, &queue, scheduler::Options { alone: false });
    shutdown.soft().cancelled().await;
    serve::finish(context).await
}
