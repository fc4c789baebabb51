//! `guildhall staff roles`: list, set, remove.

use anyhow::bail;
use entities::staff_role::{self, NewRole};
use entities::{RoleId, quota, staff_member};
use serde_json::json;

use super::Where;
use crate::access;
use crate::fixture::Permissions;
use crate::output::{self, Table};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// List the staff roles of a guild
    List(ListArgs),
    /// Add a staff role, or change the name and permissions of one; what is not given stays as it is
    Set(SetArgs),
    /// Remove a staff role that nobody holds
    Remove(RemoveArgs),
}

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    place: Where,
}

#[derive(clap::Args)]
pub(crate) struct SetArgs {
    /// The role's id on the chat platform
    #[arg(value_name = "ROLE_ID")]
    role: RoleId,
    /// What people call it; a new role needs it
    #[arg(long, value_parser = crate::fixture::checked_name)]
    name: Option<String>,
    /// On the chat side, such as moderation.read,lookup.read; '' takes all away
    #[arg(long, value_name = "NAME,NAME", value_parser = crate::fixture::checked_chat_permissions)]
    permissions: Option<Permissions>,
    /// In games, such as kick,warn; '' takes all away
    #[arg(long, value_name = "NAME,NAME", value_parser = crate::fixture::checked_play_permissions)]
    play_permissions: Option<Permissions>,
    #[command(flatten)]
    place: Where,
}

#[derive(clap::Args)]
pub(crate) struct RemoveArgs {
    /// The role's id on the chat platform
    #[arg(value_name = "ROLE_ID")]
    role: RoleId,
    #[command(flatten)]
    place: Where,
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::List(args) => list(args).await,
        Command::Set(args) => set(args).await,
        Command::Remove(args) => remove(args).await,
    }
}

async fn list(args: ListArgs) -> anyhow::Result<()> {
    let guild = args.place.guild;
    let context = args.place.access.look().await?;
    access::require_guild(context.database.read(), guild).await?;
    let mut table = Table::new(&["role", "name", "permissions", "in games"]);
    for role in staff_role::list(context.database.read(), guild).await? {
        let (permissions, play) = (role.permissions.0.join(","), role.play_permissions.0.join(","));
        table.row(&[role.role_id.to_string(), role.role_name, permissions, play]);
    }
    context.close().await;
    output::print(&table.render())
}

async fn set(args: SetArgs) -> anyhow::Result<()> {
    let guild = args.place.guild;
    let context = args.place.access.change().await?;
    let now = context.clock.now();
    let transaction = context.database.begin().await?;
    access::require_guild(&transaction, guild).await?;
    let before = staff_role::find_for_update(&transaction, guild, args.role).await?;
    let known = before.clone();
    let (name, chat, play) = known.map_or_else(Default::default, |known| {
        (Some(known.role_name), known.permissions.0, known.play_permissions.0)
    });
    let Some(role_name) = args.name.or(name) else {
        bail!("guild {guild} has no staff role {} yet: give it a --name", args.role);
    };
    let new = NewRole {
        role: args.role,
        role_name,
        permissions: args.permissions.map_or(chat, |given| given.0),
        play_permissions: args.play_permissions.map_or(play, |given| given.0),
    };
    let after = staff_role::upsert(&transaction, guild, new, now).await?;
    if let Some(before) = before.as_ref().filter(|before| before.role_name != after.role_name) {
        quota::follow_role(&transaction, guild, (&before.role_name, &after.role_name)).await?;
    }
    let metadata = serde_json::Map::from_iter([
        ("before".to_owned(), before.as_ref().map_or(json!(null), told)),
        ("after".to_owned(), told(&after)),
    ]);
    access::audit(&transaction, (guild, "staff_roles.put"), args.role.to_string(), metadata, now).await?;
    transaction.commit().await?;
    access::finish(context, Vec::new()).await;
    let verb = if before.is_some() { "changed" } else { "added" };
    output::print(&format!("{verb} staff role {}", args.role))
}

fn told(role: &staff_role::Model) -> serde_json::Value {
    json!({ "role_name": role.role_name, "permissions": role.permissions, "play_permissions": role.play_permissions })
}

async fn remove(args: RemoveArgs) -> anyhow::Result<()> {
    let guild = args.place.guild;
    let context = args.place.access.change().await?;
    let transaction = context.database.begin().await?;
    access::require_guild(&transaction, guild).await?;
    let Some(before) = staff_role::find_for_update(&transaction, guild, args.role).await? else {
        bail!("guild {guild} has no staff role {}", args.role);
    };
    let holders = staff_member::count_with_role(&transaction, guild, args.role).await?;
    if holders > 0 {
        bail!("{holders} staff members hold the role {}: give them another one first", args.role);
    }
    staff_role::delete(&transaction, guild, args.role).await?;
    let metadata = serde_json::Map::from_iter([("before".to_owned(), told(&before))]);
    let now = context.clock.now();
    access::audit(&transaction, (guild, "staff_roles.delete"), args.role.to_string(), metadata, now).await?;
    transaction.commit().await?;
    access::finish(context, Vec::new()).await;
    output::print(&format!("removed staff role {}", args.role))
}
