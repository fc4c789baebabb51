//! `guildhall erase`: what an account has left goes, or loses its name.

use std::io::{IsTerminal, stdin};

use anyhow::{bail, ensure};
use entities::Subject;
use entities::erasure::Fate;
use jobs::erasure::{self, Found};
use serde_json::{Value, json};

use crate::format::FormatArgs;
use crate::operator::{OperatorArgs, operator};
use crate::output;

/// Lists what the database has of an account, asks, and erases it from all guilds: it is unlinked and no longer staff, notes,
/// leave and sign-ins are deleted, and in what a guild's history needs (ended bans, strikes, actions, the audit log) another
/// number stands for it. The processes may run meanwhile.
///
/// Bans, mutes and Shield flags in force stay, because without the account they would keep nobody out: lift them first to
/// erase them too. The accounts linked to it are accounts of their own. Jobs that name it go 30 days after their end,
/// answers of `Idempotency-Key` and what an import made after a day, backups and exports when you delete them. A job that runs
/// meanwhile may still write an entry about it: repeat the command when the jobs of its guilds have ended.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A chat id (17 digits or more) or a game id
    #[arg(long, value_name = "ID")]
    user: Subject,
    /// Only list what would be erased
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    operator: OperatorArgs,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let context = args.operator.open().await?;
    let found = erasure::find(context.database.read(), args.user).await?;
    args.format.list(["table", "rows", "outcome"], found.iter().map(record).collect())?;
    if !args.dry_run && found.iter().any(|found| found.fate != Fate::Kept) {
        if !args.yes {
            confirm(args.user)?;
        }
        erasure::erase(&context, args.user, operator().into()).await?;
        output::note(&format!("erased {}", args.user));
    }
    context.close().await;
    Ok(())
}

fn record(found: &Found) -> Value {
    let outcome = match found.fate {
        Fate::Deleted => "deleted",
        Fate::Unlisted => "taken from a list",
        Fate::Pseudonym(_) => "pseudonymised",
        Fate::Kept => "kept: in force",
    };
    json!({ "table": found.table, "rows": found.rows, "outcome": outcome })
}

/// Asks for the id again.
fn confirm(account: Subject) -> anyhow::Result<()> {
    if !stdin().is_terminal() {
        bail!("nothing was erased: repeat the command with --yes to erase {account}");
    }
    output::note(&format!("this cannot be undone; to erase {account}, type its id:"));
    let mut typed = String::new();
    stdin().read_line(&mut typed)?;
    ensure!(typed.trim() == account.to_string(), "this is not its id; nothing was erased");
    Ok(())
}
