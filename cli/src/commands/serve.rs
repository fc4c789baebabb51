//! `guildhall serve`: API, worker, scheduler and gateway in one process, on a SQLite file or a Postgres of its own.

use entities::guild;
use runtime::{
    Config, DatabaseArgs, HttpArgs, ListenArgs, OtlpArgs, PlatformArgs, RetentionArgs, Shutdown, bind,
};

use crate::environment;
use crate::process::{self, EventArgs, Process, SlotArgs, WaitArgs, wait};

/// Everything in one process: for one community on one machine. Needs no configuration; its data survives restarts.
///
/// It migrates its schema itself. A database admits one `serve`, a second one is refused: for several processes there are
/// `api`, `worker`, `scheduler` and `gateway`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    listen: ListenArgs,
    #[command(flatten)]
    http: HttpArgs,
    #[command(flatten)]
    database: DatabaseArgs,
    #[command(flatten)]
    wait: WaitArgs,
    #[command(flatten)]
    platforms: PlatformArgs,
    #[command(flatten)]
    events: EventArgs,
    #[command(flatten)]
    slots: SlotArgs,
    #[command(flatten)]
    retention: RetentionArgs,
    #[command(flatten)]
    pub(super) otlp: OtlpArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    environment::refuse_servers()?;
    let config = Config::embedded(&args.database)?;
    let retention = args.retention.checked()?;
    let shutdown = Shutdown::on_signals(args.http.stop_notice());
    // Port and file come first, so that a start that cannot succeed changes nothing.
    let listener = bind(args.listen.address()?, ListenArgs::VARIABLE).await?;
    let metrics = process::bind_metrics(&args.http).await?;
    let _lock = config.lock_data_dir()?;
    if let Some(alone) =
        args.wait.until_up(&shutdown, wait::log, async || Ok(config.lock_postgres().await?)).await?
    {
        alone.keep(&shutdown);
    }
    let mut process = Process::embedded(&config, &args.platforms, shutdown).await?;
    process.context.retention = retention;
    process::log_start("embedded", &listener, &config)?;
    if !guild::any(process.context.database.read()).await? {
        tracing::info!(
            "there is no guild yet: add one with `guildhall guilds add`, then open the console with \
             `guildhall console link`"
        );
    }
    let context = process.context.clone();
    process::serve_metrics(metrics, &context, &process.platforms);
    let options = process::api_options(args.http, false);
    process.run_all(args.slots.slots(), args.events.chat_events, listener, options).await;
    process::finish(context).await
}
