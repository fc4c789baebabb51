//! `guildhall guilds remove`: deletes a guild with everything that belongs to it, in one transaction.

use std::io::{IsTerminal, stdin};

use anyhow::{bail, ensure};
use entities::job::cancel;
use entities::{GuildId, api_key, bulk, guild, link};
use runtime::Event;

use crate::operator::{OperatorArgs, require_guild};
use crate::output;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The guild
    #[arg(value_name = "GUILD_ID")]
    guild: GuildId,
    /// Remove it without asking; required where standard input is no terminal
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    operator: OperatorArgs,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let id = args.guild;
    if !args.yes {
        let context = args.operator.open().await?;
        let guild = require_guild(context.database.read(), id).await?;
        let links = link::count(context.database.read(), id).await?;
        context.close().await;
        confirm(&guild, links)?;
    }
    let mut unit = args.operator.begin_unbounded().await?;
    bulk::prepare(unit.tx()).await?;
    let name = require_guild(unit.tx(), id).await?.name;
    let running = cancel::lock_open(unit.tx(), id).await?;
    let keys = api_key::list(unit.tx(), Some(id)).await?;
    guild::delete(unit.tx(), id).await?;
    unit.announce(keys.into_iter().map(|key| Event::KeyChanged { public_id: key.public_id }));
    unit.announce([Event::JobsCancelled { jobs: running }, Event::Resync]);
    unit.commit().await?;
    output::print(&format!("removed guild {id}, {name:?}"))
}

/// Asks for the guild's name: a wrong id has another one.
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
