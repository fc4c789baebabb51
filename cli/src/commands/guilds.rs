//! `guildhall guilds`: the tenants. With `guilds add` a newcomer begins.

use anyhow::bail;
use entities::{GuildId, guild, link};
use runtime::Event;
use serde_json::json;

use crate::access::{self, AccessArgs};
use crate::output::{self, Table};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Add a guild, by its id on the chat platform
    Add(AddArgs),
    /// List all guilds
    List(ListArgs),
}

#[derive(clap::Args)]
pub(crate) struct AddArgs {
    /// The guild's id on the chat platform
    #[arg(value_name = "GUILD_ID")]
    guild: GuildId,
    /// What people call it
    #[arg(long, value_parser = crate::fixture::checked_name)]
    name: String,
    /// Let it write to the cross-guild list of flagged users
    #[arg(long)]
    shield_writer: bool,
    #[command(flatten)]
    access: AccessArgs,
}

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    access: AccessArgs,
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Add(args) => add(args).await,
        Command::List(args) => list(args).await,
    }
}

async fn add(args: AddArgs) -> anyhow::Result<()> {
    let context = args.access.begin().await?;
    let now = context.clock.now();
    let transaction = context.database.begin().await?;
    if let Some(known) = guild::find(&transaction, args.guild).await? {
        bail!("guild {} is there already, as {:?}; nothing was changed", known.guild_id, known.name);
    }
    let row = new_guild(args.guild, args.name.clone(), args.shield_writer, now);
    guild::upsert(&transaction, row).await?;
    let metadata = serde_json::Map::from_iter([
        ("name".to_owned(), json!(args.name)),
        ("shield_writer".to_owned(), json!(args.shield_writer)),
    ]);
    let action = (args.guild, "guilds.add");
    access::audit(&transaction, action, args.guild.to_string(), metadata, now).await?;
    transaction.commit().await?;
    access::finish(context, vec![Event::SettingsChanged { guild: args.guild }]).await;
    output::print(&format!("added guild {}", args.guild))
}

/// A guild with the settings of docs/rules.md 4 and 6.
pub(crate) fn new_guild(
    id: GuildId,
    name: String,
    shield_writer: bool,
    now: entities::Timestamp,
) -> guild::Model {
    guild::Model {
        guild_id: id,
        name,
        shield_writer,
        mirror_bans: true,
        nickname_template: "{play_username}".to_owned(),
        time_zone: "UTC".to_owned(),
        week_start: 1,
        strike_days: 90,
        score_weights: json!({}),
        created_at: now,
    }
}

async fn list(args: ListArgs) -> anyhow::Result<()> {
    let context = args.access.look().await?;
    let database = context.database.read();
    let mut table = Table::new(&["guild", "name", "links", "shield writer", "added"]);
    for guild in guild::list(database).await? {
        let links = link::count(database, guild.guild_id).await?;
        let shield = if guild.shield_writer { "yes" } else { "no" };
        let added = output::time(guild.created_at);
        table.row(&[guild.guild_id.to_string(), guild.name, links.to_string(), shield.to_owned(), added]);
    }
    context.close().await;
    output::print(&table.render())
}
