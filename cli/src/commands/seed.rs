//! `guildhall seed FILE`: a fixture into the database, in one transaction.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;

use crate::access::{self, AccessArgs};
use crate::fixture::{self, Fixture, Loaded};
use crate::output;

/// Loads guilds with all that belongs to them, and Shield flags, from a fixture file.
///
/// All of it or nothing. What is there already stays as it is, so loading a file again changes nothing. Fields this version does not know are ignored.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A file with a list `guilds`, as `seed` and `simulate` share it
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    access: AccessArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let begun = Instant::now();
    let path = args.file.clone();
    let fixture = tokio::task::spawn_blocking(move || Fixture::read(&path)).await??;
    let context = args.access.begin().await?;
    let now = context.clock.now();
    let transaction = context.database.begin().await?;
    entities::bulk::prepare(&transaction).await?;
    let loaded = fixture::load(&transaction, fixture, now).await;
    let loaded = loaded.with_context(|| format!("{} was not loaded", args.file.display()))?;
    transaction.commit().await?;
    let report = report(&loaded);
    access::finish(context, loaded.events).await;
    output::print(&format!("{report} in {:.1} s", begun.elapsed().as_secs_f64()))
}

fn report(loaded: &Loaded) -> String {
    let parts = [
        (loaded.guilds, "guild"),
        (loaded.keys, "key"),
        (loaded.links, "link"),
        (loaded.bindings, "binding"),
        (loaded.staff_roles, "staff role"),
        (loaded.staff, "staff member"),
        (loaded.bans, "ban"),
        (loaded.panels, "panel"),
        (loaded.submissions, "submission"),
        (loaded.flags, "Shield flag"),
    ];
    let held = parts.iter().filter(|(tally, _)| tally.total > 0);
    let texts: Vec<_> = held
        .map(|(tally, what)| match tally.written {
            0 => output::count(tally.total, what),
            written => format!("{} ({written} new)", output::count(tally.total, what)),
        })
        .collect();
    let nothing = parts.iter().all(|(tally, _)| tally.written == 0);
    let verb = if nothing { "nothing new:" } else { "loaded" };
    format!("{verb} {}", texts.join(", "))
}
