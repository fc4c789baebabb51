//! `guildhall guilds`: list, add and remove guilds, the tenants. `guilds add` creates the database if it is missing.

mod remove;

use entities::{GuildId, guild, link};
use serde_json::json;

use crate::fields;
use crate::operator::{ListArgs, OperatorArgs, UnitOfWork, new_guild, refuse_known};
use crate::output;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Add a guild, by its id on the chat platform
    Add(AddArgs),
    /// List all guilds
    List(ListArgs),
    /// Remove a guild with everything that belongs to it: keys, links, bans, staff, jobs, audit log
    ///
    /// It can only be restored from a backup. Running processes refuse its keys and stop its jobs within a
    /// second; its rows are deleted a part at a time, beside the work of other guilds. If the command is
    /// stopped, repeat it to go on. Shield flags that it set stay; roles and bans on the chat platform stay
    /// too.
    Remove(remove::Args),
}

#[derive(clap::Args)]
pub(crate) struct AddArgs {
    /// The guild's id on the chat platform
    #[arg(value_name = "GUILD_ID")]
    guild: GuildId,
    /// Its name
    #[arg(long, value_parser = fields::name)]
    name: String,
    /// Let it write to the cross-guild list of flagged users
    #[arg(long)]
    shield_writer: bool,
    #[command(flatten)]
    operator: OperatorArgs,
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Add(args) => add(args).await,
        Command::List(args) => list(args).await,
        Command::Remove(args) => remove::run(args).await,
    }
}

async fn add(args: AddArgs) -> anyhow::Result<()> {
    let created = args.operator.missing_file()?;
    let mut unit = UnitOfWork::begin(args.operator.open_or_create().await?).await?;
    refuse_known(unit.tx(), args.guild).await?;
    let row = new_guild(args.guild, args.name.clone(), args.shield_writer, unit.now());
    guild::upsert(unit.tx(), row).await?;
    let metadata = json!({ "name": args.name, "shield_writer": args.shield_writer });
    unit.audit(args.guild, "guilds.add", args.guild, metadata);
    unit.commit().await?;
    let place = created.map_or_else(String::new, |file| format!(" in a new database {}", file.display()));
    output::print(&format!("added guild {}{place}", args.guild))
}

async fn list(args: ListArgs) -> anyhow::Result<()> {
    let context = args.operator.open().await?;
    let database = context.database.read();
    let mut rows = Vec::new();
    for guild in guild::list(database).await? {
        rows.push(json!({
            "guild_id": guild.guild_id,
            "name": guild.name,
            "links": link::count(database, guild.guild_id).await?,
            "shield_writer": guild.shield_writer,
            "removing_since": guild.removing_since.map(output::time),
            "created_at": output::time(guild.created_at),
        }));
    }
    context.close().await;
    args.format.list(["guild_id", "name", "links", "shield_writer", "created_at", "removing_since"], rows)
}
