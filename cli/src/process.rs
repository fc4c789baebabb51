//! What every process is put together from, and how it ends: drained, then out with code 0.

use anyhow::Context as _;
use platforms::Platforms;
use queue::Queue;
use runtime::{Config, Context, PlatformArgs, Shutdown, StartError};

use crate::schema;

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How many jobs of each class a process runs at a time.
#[derive(clap::Args, Clone, Copy)]
#[command(next_help_heading = "Jobs at a time")]
pub(crate) struct SlotArgs {
    /// Jobs somebody waits for, at a time
    #[arg(long, env = "GUILDHALL_WORKER_INTERACTIVE", value_name = "N", default_value_t = queue::run::Slots::default().interactive, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    interactive: u16,
    /// Jobs in the background, at a time
    #[arg(long, env = "GUILDHALL_WORKER_DEFAULT", value_name = "N", default_value_t = queue::run::Slots::default().default, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    default: u16,
    /// Parts of bulk jobs, at a time
    #[arg(long, env = "GUILDHALL_WORKER_BULK", value_name = "N", default_value_t = queue::run::Slots::default().bulk, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    bulk: u16,
}

impl SlotArgs {
    pub(crate) fn slots(self) -> queue::run::Slots {
        queue::run::Slots {
            interactive: self.interactive,
            default: self.default,
            bulk: self.bulk,
            maintenance: 0,
        }
    }
}

/// A process about to start its loops.
pub(crate) struct Process {
    pub(crate) context: Context,
    pub(crate) queue: Queue,
    pub(crate) platforms: Platforms,
}

impl Process {
    /// One process for everything, its schema brought up to date.
    pub(crate) async fn embedded(
        config: &Config,
        platforms: &PlatformArgs,
        shutdown: Shutdown,
    ) -> anyhow::Result<Self> {
        let platforms =
            Platforms::new(&platforms.checked()?, None).context("cannot set up the platform clients")?;
        let changes = schema::migrate(config).await?;
        if !changes.is_empty() {
            tracing::info!(changes = changes.join(", "), "brought the schema up to date");
        }
        let context = Context::embedded(config, shutdown).await?;
        let queue = Queue::embedded(&context);
        // The data folder is this process's alone: what is said to run does not.
        let rescued = queue.rescue_all().await.context("cannot rescue the jobs of the last run")?;
        if rescued > 0 {
            tracing::info!(jobs = rescued, "jobs of the last run go on");
        }
        Ok(Self { context, queue, platforms })
    }

    /// One process of several.
    pub(crate) async fn distributed(
        config: &Config,
        platforms: &PlatformArgs,
        shutdown: Shutdown,
    ) -> anyhow::Result<Self> {
        let platforms = platforms.checked()?;
        schema::require_current(config).await?;
        let context = Context::distributed(config, shutdown).await?;
        let Some(amqp_url) = context.amqp_url.clone() else {
            return Err(StartError::Contradiction("this process needs RabbitMQ".to_owned()).into());
        };
        let queue = Queue::distributed(&context, amqp_url.expose(), &context.prefix);
        let platforms = Platforms::new(&platforms, context.redis.as_ref())
            .context("cannot set up the platform clients")?;
        Ok(Self { context, queue, platforms })
    }
}

/// Names the database for the log: its kind and, where it is a file, which.
pub(crate) fn database_name(config: &Config) -> String {
    match config.sqlite_file() {
        Ok(Some(file)) => format!("SQLite {}", file.display()),
        _ => "Postgres".to_owned(),
    }
}
