//! `guildhall seed FILE`: loads a fixture into the database, in one transaction.

use std::time::Instant;

use anyhow::Context as _;

use crate::fixture::{self, Fixture, Loaded};
use crate::input::Input;
use crate::operator::{OperatorArgs, UnitOfWork};
use crate::output;

/// Loads guilds with all that belongs to them, and Shield flags, from a fixture file.
///
/// Loads all of the file or nothing. Existing rows stay as they are, so loading a file again changes nothing. Unknown fields
/// are ignored.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A fixture: JSON with a list `guilds`, `-` for standard input; `simulate` reads other parts of the same file
    #[arg(value_name = "FILE")]
    file: Input,
    #[command(flatten)]
    operator: OperatorArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let started = Instant::now();
    let file = args.file.clone();
    let fixture = tokio::task::spawn_blocking(move || Fixture::read(&file)).await??;
    let mut unit = UnitOfWork::begin(args.operator.open_or_create().await?).await?;
    entities::bulk::prepare(unit.tx()).await?;
    let loaded = fixture::load(unit.tx(), fixture, unit.now()).await;
    let loaded = loaded.with_context(|| format!("{} was not loaded", args.file))?;
    let report = report(&loaded);
    unit.announce(loaded.events);
    entities::bulk::finish(unit.tx()).await?;
    unit.commit().await?;
    output::print(&format!("{report} in {:.1} s", started.elapsed().as_secs_f64()))
}

fn report(loaded: &Loaded) -> String {
    let counts = loaded.counts.iter().zip(fixture::OBJECTS).filter(|(count, _)| count.total > 0);
    let texts: Vec<_> = counts
        .map(|(count, (_, what))| match count.written {
            0 => output::count(count.total, what),
            written => format!("{} ({written} new)", output::count(count.total, what)),
        })
        .collect();
    let nothing = loaded.counts.iter().all(|count| count.written == 0);
    let verb = if nothing { "nothing new:" } else { "loaded" };
    format!("{verb} {}", texts.join(", "))
}
