//! The settings that several processes share.

use queue::run::Slots;
use runtime::{BrokerArgs, DatabaseArgs, MetricsArgs, OtlpArgs, PlatformArgs};

use super::wait::WaitArgs;

/// The servers and platforms behind a process.
#[derive(clap::Args)]
pub(crate) struct BackendArgs {
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
    #[command(flatten)]
    pub(crate) broker: BrokerArgs,
    #[command(flatten)]
    pub(crate) platforms: PlatformArgs,
}

/// A distributed process whose port serves health and metrics only.
#[derive(clap::Args)]
pub(crate) struct BackgroundArgs {
    #[command(flatten)]
    pub(crate) metrics: MetricsArgs,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
    #[command(flatten)]
    pub(crate) backend: BackendArgs,
    #[command(flatten)]
    pub(crate) otlp: OtlpArgs,
}

#[derive(clap::Args, Clone, Copy)]
pub(crate) struct EventArgs {
    /// Whether the events of the chat platform are read
    #[arg(long, env = "GUILDHALL_CHAT_EVENTS", value_enum, value_name = "EVENTS", default_value_t = ChatEvents::On, help_heading = "Platforms")]
    pub(crate) chat_events: ChatEvents,
}

/// Whether a single process reads the events of the chat platform.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ChatEvents {
    /// Members who join or are changed are synced at once
    On,
    /// Only passes over all members and commands sync them
    Off,
}

/// How many jobs of each class a process runs at the same time.
#[derive(clap::Args, Clone, Copy)]
#[command(next_help_heading = "Jobs at a time")]
pub(crate) struct SlotArgs {
    /// Jobs that a caller waits for, at a time
    #[arg(long, env = "GUILDHALL_WORKER_INTERACTIVE", value_name = "N", default_value_t = Slots::default().interactive, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    interactive: u16,
    /// Background jobs, at a time
    #[arg(long, env = "GUILDHALL_WORKER_DEFAULT", value_name = "N", default_value_t = Slots::default().default, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    default: u16,
    /// Chunks of bulk jobs, at a time
    #[arg(long, env = "GUILDHALL_WORKER_BULK", value_name = "N", default_value_t = Slots::default().bulk, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    bulk: u16,
}

impl SlotArgs {
    pub(crate) fn slots(self) -> Slots {
        let Self { interactive, default, bulk } = self;
        Slots { interactive, default, bulk, ..Slots::default() }
    }
}
