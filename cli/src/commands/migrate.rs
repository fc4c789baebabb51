//! `guildhall migrate`: applies pending migrations. Migrations go forward only.

use std::time::Duration;

use migrations::Difference;
use runtime::Shutdown;
use serde_json::json;

use crate::format::FormatArgs;
use crate::operator::OperatorArgs;
use crate::process::{WaitArgs, wait};
use crate::{output, schema};

/// Brings the database schema up to date: all pending migrations or none. Running it again does nothing.
///
/// `serve` does this by itself; `api`, `worker`, `scheduler` and `gateway` refuse to start on an old schema. Processes of the release
/// before go on working on the new one, so migrate first, then restart them one after the other.
///
/// Exit codes, of every command: 3 if the schema lacks changes, 4 if it is newer than this program can work with, 1 or 2 for
/// any other error: 2 if it shows while flags and their variables are read, such as an unknown flag.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Change nothing: print which changes are pending, and which ones this program does not know
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    operator: OperatorArgs,
    #[command(flatten)]
    wait: WaitArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let shutdown = Shutdown::on_signals(Duration::ZERO);
    let (wait, operator) = (args.wait, &args.operator);
    if args.check {
        let difference =
            wait.until_up(&shutdown, wait::note, async || operator.compare_schema().await).await?;
        return check(&difference, args.format);
    }
    let applied = wait.until_up(&shutdown, wait::note, async || operator.migrate().await).await?;
    let text = || match applied.as_slice() {
        [] => "the schema is up to date".to_owned(),
        some => format!("applied {}: {}", output::count(some.len(), "change"), some.join(", ")),
    };
    args.format.print(|| json!({ "applied": applied }), text)
}

fn check(difference: &Difference, format: FormatArgs) -> anyhow::Result<()> {
    let Difference { pending, unknown, refused } = difference;
    let text = || match pending.as_slice() {
        [] => format!("the schema is {}", schema::state(difference)),
        some => format!("{} pending: {}", output::count(some.len(), "change"), some.join(", ")),
    };
    let usable = schema::check_usable(difference);
    if format.is_json() || refused.is_empty() {
        format.print(|| json!({ "pending": pending, "unknown": unknown, "usable": usable.is_ok() }), text)?;
    }
    Ok(usable?)
}
