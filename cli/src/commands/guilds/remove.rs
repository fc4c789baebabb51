//! `guildhall guilds remove`: deletes a guild with everything that belongs to it, a part at a time.
//!
//! The first transaction hides the guild from all processes. After it the command may be stopped at any time:
//! repeated, it goes on. It pauses between two parts for as long as a part took.

use std::io::{IsTerminal, stdin};
use std::time::Instant;

use anyhow::{bail, ensure};
use entities::guild::removal;
use entities::{GuildId, api_key, guild, link};
use runtime::{Context, Event, UnitOfWork};
use sea_orm::DbErr;

use crate::operator::OperatorArgs;
use crate::output;

/// Rows of one transaction: some milliseconds of locks.
const ROWS_PER_TRANSACTION: u64 = 1_000;
/// Tries of a transaction that waits for locks.
const MAX_TRIES: u32 = 20;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The guild
    #[arg(value_name = "GUILD_ID")]
    guild: GuildId,
    /// Remove it without asking; required if standard input is not a terminal
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    operator: OperatorArgs,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let id = args.guild;
    let context = args.operator.open().await?;
    let Some(guild) = removal::find(context.database.read(), id).await? else {
        bail!("guild {id} is not known: `guildhall guilds list` shows the known ones");
    };
    if !args.yes && guild.removing_since.is_none() {
        let links = link::count(context.database.read(), id).await?;
        confirm(&guild, links)?;
    }
    begin(&context, id).await?;
    tokio::select! {
        removed = delete(&context, id) => removed?,
        _ = tokio::signal::ctrl_c() => {
            bail!("stopped: guild {id} is no longer usable, but some of its rows are left; repeat the command to go on");
        }
    }
    context.close().await;
    output::print(&format!("removed guild {id}, {:?}", guild.name))
}

/// Ends keys, jobs and all access.
async fn begin(context: &Context, id: GuildId) -> anyhow::Result<()> {
    let mut work = UnitOfWork::begin(context).await?;
    removal::begin(work.tx(), id, work.now()).await?;
    let running = removal::delete_open_jobs(work.tx(), id).await?;
    let keys = api_key::list(work.tx(), Some(id)).await?;
    for key in keys.iter().filter(|key| key.revoked_at.is_none()) {
        api_key::revoke(work.tx(), &key.public_id, work.now()).await?;
    }
    work.announce(keys.into_iter().map(|key| Event::KeyChanged { public_id: key.public_id }));
    work.announce([Event::JobsCancelled { jobs: running }, Event::Resync]);
    work.commit().await?;
    Ok(())
}

async fn delete(context: &Context, id: GuildId) -> Result<(), DbErr> {
    for table in removal::TABLES {
        in_parts(context, async |part| {
            removal::delete_some(part.tx(), table, id, ROWS_PER_TRANSACTION).await
        })
        .await?;
    }
    in_parts(context, async |part| removal::disown_some(part.tx(), id, ROWS_PER_TRANSACTION).await).await?;
    in_turn(context, async |rest| {
        rest.announce([Event::Resync]);
        Ok(u64::from(removal::finish(rest.tx(), id, rest.now()).await?))
    })
    .await
    .map(drop)
}

/// Deletes until nothing is left.
async fn in_parts(
    context: &Context,
    part: impl AsyncFn(&mut UnitOfWork) -> Result<u64, DbErr>,
) -> Result<(), DbErr> {
    loop {
        let began = Instant::now();
        if in_turn(context, &part).await? < ROWS_PER_TRANSACTION {
            return Ok(());
        }
        tokio::time::sleep(began.elapsed()).await;
    }
}

/// In one transaction, which is repeated if it conflicts with another one.
async fn in_turn(
    context: &Context,
    change: impl AsyncFn(&mut UnitOfWork) -> Result<u64, DbErr>,
) -> Result<u64, DbErr> {
    for tries in 1.. {
        let done = async {
            let mut work = UnitOfWork::begin(context).await?;
            let rows = change(&mut work).await?;
            work.commit().await?;
            Ok(rows)
        };
        match done.await {
            Err(error) if tries < MAX_TRIES && runtime::is_conflict(&error) => {}
            ended => return ended,
        }
    }
    Ok(0)
}

/// Asks for the guild's name, to detect a wrong id.
fn confirm(guild: &guild::Model, links: u64) -> anyhow::Result<()> {
    let links = output::count(usize::try_from(links).unwrap_or(usize::MAX), "link");
    let what = format!("guild {}, {:?}, with {links} and all its other data", guild.guild_id, guild.name);
    if !stdin().is_terminal() {
        bail!("nothing was removed: repeat the command with --yes to remove {what}");
    }
    output::note(&format!("this removes {what}; to confirm, type its name:"));
    let mut typed = String::new();
    stdin().read_line(&mut typed)?;
    ensure!(typed.trim() == guild.name.trim(), "this is not the guild's name; nothing was removed");
    Ok(())
}
