//! `guildhall migrate`: applies pending migrations. Migrations go forward only.

use std::time::Duration;

use runtime::Shutdown;

use crate::operator::OperatorArgs;
use crate::output;
use crate::process::{WaitArgs, wait};

/// Brings the database schema up to date: all pending migrations or none. Running it again does nothing.
///
/// `serve` does this by itself; `api`, `worker` and `scheduler` refuse to start on an old schema.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    operator: OperatorArgs,
    #[command(flatten)]
    wait: WaitArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let shutdown = Shutdown::on_signals(Duration::ZERO);
    let applied = args.wait.until_up(&shutdown, wait::note, async || args.operator.migrate().await).await?;
    if applied.is_empty() {
        return output::print("the schema is up to date");
    }
    output::print(&format!("applied {}: {}", output::count(applied.len(), "change"), applied.join(", ")))
}
