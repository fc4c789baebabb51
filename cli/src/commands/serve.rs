//! `guildhall serve`: API, worker and scheduler in one process, on a SQLite file or a Postgres of its own.

use anyhow::bail;
use entities::guild;
use queue::run::Slots;
use runtime::{
    BrokerArgs, Config, Context, DatabaseArgs, HttpArgs, ListenArgs, PlatformArgs, Shutdown, bind,
};
use tokio::net::TcpListener;

use crate::process::{Process, SlotArgs, VERSION, database_name};

/// Everything in one process: nothing to configure, durable, for one community on one machine.
///
/// Brings its schema up to date by itself. On a SQLite file it is the only one; on Postgres see to it that no second
/// `serve` uses the same database: for several processes there are `api`, `worker` and `scheduler`.
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
    #[command(flatten)]
    slots: SlotArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let config = Config::embedded(&args.database, &args.broker)?;
    let shutdown = Shutdown::on_signals();
    // The port and the file first: nothing is changed by a start that cannot go on.
    let listener = bind(args.listen.address()?, ListenArgs::VARIABLE).await?;
    let _lock = config.lock_data_dir()?;
    let process = Process::embedded(&config, &args.platforms, shutdown).await?;
    tracing::info!(
        version = VERSION,
        mode = "embedded",
        listen = %listener.local_addr()?,
        database = database_name(&config),
        "guildhall serves"
    );
    if guild::list(process.context.database.read()).await?.is_empty() {
        tracing::info!(
            "there is no guild yet: add one with `guildhall guilds add`, then `guildhall keys create`"
        );
    }
    let context = process.context.clone();
    start(process, args.slots.slots(), (listener, http_options(args.http, false))).await;
    finish(context).await
}

/// Starts all three parts; returns when the shutdown is over.
pub(crate) async fn start(process: Process, slots: Slots, (listener, options): (TcpListener, api::Options)) {
    let Process { context, queue, platforms } = process;
    worker::start(&context, &queue, platforms.clone(), slots);
    scheduler::start(&context, &queue, scheduler::Options { alone: true });
    api::serve(context, queue, platforms, listener, options).await;
}

/// How the API of a process answers.
pub(super) fn http_options(args: HttpArgs, distributed: bool) -> api::Options {
    let cors_origins = args.cors_origins.0.into_iter().map(|origin| origin.0).collect();
    api::Options { distributed, trusted_proxies: args.trusted_proxies.0, cors_origins }
}

/// The end of every process that served.
pub(crate) async fn finish(context: Context) -> anyhow::Result<()> {
    let shutdown = context.shutdown.clone();
    context.close().await;
    if shutdown.has_given_up() {
        bail!("a job blocked a thread of this process, which ended for it; the log names the job");
    }
    tracing::info!("stopped");
    Ok(())
}
