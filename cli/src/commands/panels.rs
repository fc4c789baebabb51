//! `guildhall panels`: what people may apply for in a guild (docs/rules.md 7).

use anyhow::bail;
use entities::application_panel::{self, NewPanel, StaffRoles};
use entities::{ChannelId, GuildId, PanelId, RoleId, staff_role};
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
    /// A staff role whose holders see the tickets; may be repeated [default: all staff roles]
    #[arg(long = "staff-role", value_name = "ROLE_ID")]
    staff_roles: Vec<RoleId>,
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
    if let Some(unknown) = staff_role::first_unknown(&transaction, args.guild, &args.staff_roles).await? {
        bail!("--staff-role: guild {} has no staff role {unknown}; nothing was changed", args.guild);
    }
    let staff_roles = Some(args.staff_roles).filter(|roles| !roles.is_empty());
    let new = NewPanel { id: args.id, name: args.name, category: args.category, staff_roles };
    let Some(panel) = application_panel::add(&transaction, args.guild, new, now).await? else {
        bail!("guild {} has a panel with this number already; nothing was changed", args.guild);
    };
    let after = json!({ "name": panel.name, "category_id": panel.category_id,
                        "staff_role_ids": panel.staff_role_ids });
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
    let mut table = Table::new(&["panel", "name", "category", "staff roles", "added"]);
    for panel in application_panel::list(context.database.read(), args.guild).await? {
        let category = panel.category_id.map_or_else(|| "-".to_owned(), |id| id.to_string());
        let roles = panel.staff_role_ids.map_or_else(
            || "all".to_owned(),
            |StaffRoles(ids)| ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        );
        let (id, added) = (panel.panel_id.to_string(), output::time(panel.created_at));
        table.row(&[id, panel.name, category, roles, added]);
    }
    context.close().await;
    output::print(&table.render())
}
