//! `guildhall panels`: what people may apply for in a guild (decisions 7).

use anyhow::bail;
use entities::application_panel::{self, NewPanel};
use entities::{ChannelId, GuildId, PanelId};
use serde_json::{Map, json};

use crate::access::{self, AccessArgs};
use crate::output::{self, Table};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Add a panel
    Add(AddArgs),
    /// List the panels of a guild
    List(ListArgs),
}

#[derive(clap::Args)]
pub(crate) struct AddArgs {
    /// What people call it; tickets are named after it
    #[arg(long, value_parser = crate::fixture::checked_name)]
    name: String,
    /// Number of the panel [default: the next free one]
    #[arg(long, value_name = "PANEL_ID")]
    id: Option<PanelId>,
    /// The chat channel category under which tickets open
    #[arg(long, value_name = "CHANNEL_ID")]
    category: Option<ChannelId>,
    /// The guild
    #[arg(long, env = "GUILDHALL_GUILD", value_name = "GUILD_ID")]
    guild: GuildId,
    #[command(flatten)]
    access: AccessArgs,
}

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// The guild
    #[arg(long, env = "GUILDHALL_GUILD", value_name = "GUILD_ID")]
    guild: GuildId,
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
    let context = args.access.change().await?;
    let now = context.clock.now();
    let transaction = context.database.begin().await?;
    access::require_guild(&transaction, args.guild).await?;
    let new = NewPanel { id: args.id, name: args.name, category: args.category };
    let Some(panel) = application_panel::add(&transaction, args.guild, new, now).await? else {
        bail!("guild {} has a panel with this number already; nothing was changed", args.guild);
    };
    let after = json!({ "name": panel.name, "category_id": panel.category_id });
    let metadata = Map::from_iter([("after".to_owned(), after)]);
    let action = (args.guild, "application_panels.add");
    access::audit(&transaction, action, panel.panel_id.to_string(), metadata, now).await?;
    transaction.commit().await?;
    access::finish(context, Vec::new()).await;
    output::print(&format!("added panel {}", panel.panel_id))
}

async fn list(args: ListArgs) -> anyhow::Result<()> {
    let context = args.access.look().await?;
    access::require_guild(context.database.read(), args.guild).await?;
    let mut table = Table::new(&["panel", "name", "category", "added"]);
    for panel in application_panel::list(context.database.read(), args.guild).await? {
        let category = panel.category_id.map_or_else(|| "-".to_owned(), |id| id.to_string());
        table.row(&[panel.panel_id.to_string(), panel.name, category, output::time(panel.created_at)]);
    }
    context.close().await;
    output::print(&table.render())
}
