//! `guildhall migrate`: the schema, forward only.

use crate::access::AccessArgs;
use crate::output;

/// Brings the database schema up to date: all pending changes or none. Running it twice does nothing more.
///
/// `serve` does this by itself; `api`, `worker` and `scheduler` refuse to start on an old schema.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    access: AccessArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let applied = args.access.migrate().await?;
    if applied.is_empty() {
        return output::print("the schema is up to date");
    }
    output::print(&format!("applied {}: {}", output::count(applied.len(), "change"), applied.join(", ")))
}
