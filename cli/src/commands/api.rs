//! `guildhall api`: answers HTTP. Any number of them, behind a load balancer.

use runtime::{BrokerArgs, Config, DatabaseArgs, HttpArgs, ListenArgs, PlatformArgs, Shutdown, bind};

use super::serve;
use crate::process::{Process, VERSION, database_name};

/// An API process: answers HTTP and hands jobs to the workers.
///
/// Needs Postgres (with the schema of `guildhall migrate`), RabbitMQ and Redis. Health and metrics are on its own port.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    listen: ListenArgs,
    #[command(flatten)]
    http: HttpArgs,
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
    let listener = bind(args.listen.address()?, ListenArgs::VARIABLE).await?;
    let process = Process::distributed(&config, &args.platforms, shutdown).await?;
    tracing::info!(
        version = VERSION,
        mode = "api",
        listen = %listener.local_addr()?,
        database = database_name(&config),
        "guildhall serves"
    );
    let Process { context, queue, platforms } = process;
    api::serve(context.clone(), queue, platforms, listener, serve::http_options(args.http, true)).await;
    serve::finish(context).await
}
