//! `guildhall seed FILE`: loads a fixture into the database, in one transaction.

use std::time::Instant;

use anyhow::Context as _;
use runtime::Event;

use crate::fixture::{self, Counts, Fixture};
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
    unit.unbounded();
    entities::bulk::prepare(unit.tx()).await?;
    let loaded = fixture::load(unit.tx(), fixture, unit.now()).await;
    let loaded = loaded.with_context(|| format!("{} was not loaded", args.file))?;
    if is_new(&loaded) {
        // One event for all: a fixture may hold too many objects for an event each.
        unit.announce([Event::Resync]);
    }
    entities::bulk::finish(unit.tx()).await?;
    unit.commit().await?;
    output::print(&format!("{} in {:.1} s", report(&loaded), started.elapsed().as_secs_f64()))
}

fn is_new(loaded: &Counts) -> bool {
    loaded.iter().any(|count| count.written > 0)
}

fn report(loaded: &Counts) -> String {
    let counts = loaded.iter().zip(fixture::OBJECTS).filter(|(count, _)| count.total > 0);
    let texts: Vec<_> = counts
        .map(|(count, (_, what))| match count.written {
            0 => output::count(count.total, what),
            written => format!("{} ({written} new)", output::count(count.total, what)),
        })
        .collect();
    let verb = if is_new(loaded) { "loaded" } else { "nothing new:" };
    format!("{verb} {}", texts.join(", "))
}
