//! `guildhall staff roles`: list, set, remove.

use anyhow::bail;
use entities::audit_entry::Actor;
use entities::staff_role::{self, NewRole};
use entities::{RoleId, guild, quota, staff_member};
use jobs::kinds::CatchUp;
use runtime::Event;
use serde_json::{Value, json};

use crate::fields::{self, Permissions};
use crate::operator::{GuildArgs, GuildListArgs};
use crate::output;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// List the staff roles of a guild
    List(GuildListArgs),
    /// Add a staff role, or change the name and permissions of one; an omitted flag leaves its value as it is
    Set(SetArgs),
    /// Remove a staff role without holders
    Remove(RemoveArgs),
}

#[derive(clap::Args)]
pub(crate) struct SetArgs {
    /// The role's id on the chat platform
    #[arg(value_name = "ROLE_ID")]
    role: RoleId,
    /// Its name; required for a new role
    #[arg(long, value_parser = fields::name)]
    name: Option<String>,
    /// Permissions in chat, such as moderation.read,lookup.read; '' removes all
    #[arg(long, value_name = "NAME,NAME", value_parser = fields::chat_permissions)]
    permissions: Option<Permissions>,
    /// Permissions in games, such as kick,warn; '' removes all
    #[arg(long, value_name = "NAME,NAME", value_parser = fields::play_permissions)]
    play_permissions: Option<Permissions>,
    #[command(flatten)]
    guild: GuildArgs,
}

#[derive(clap::Args)]
pub(crate) struct RemoveArgs {
    /// The role's id on the chat platform
    #[arg(value_name = "ROLE_ID")]
    role: RoleId,
    #[command(flatten)]
    guild: GuildArgs,
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::List(args) => list(args).await,
        Command::Set(args) => set(args).await,
        Command::Remove(args) => remove(args).await,
    }
}

async fn list(GuildListArgs { format, guild }: GuildListArgs) -> anyhow::Result<()> {
    let context = guild.open().await?;
    let roles = staff_role::list(context.database.read(), guild.guild).await?;
    context.close().await;
    let rows = roles.into_iter().map(|role| {
        json!({
            "role_id": role.role_id,
            "role_name": role.role_name,
            "permissions": role.permissions,
            "play_permissions": role.play_permissions,
        })
    });
    format.list(["role_id", "role_name", "permissions", "play_permissions"], rows.collect())
}

async fn set(args: SetArgs) -> anyhow::Result<()> {
    let guild = args.guild.guild;
    let mut unit = args.guild.begin().await?;
    let before = staff_role::find_for_update(unit.tx(), guild, args.role).await?;
    let (name, chat, play) = before.clone().map_or_else(Default::default, |known| {
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
    let after = staff_role::upsert(unit.tx(), guild, new, unit.now()).await?;
    if let Some(before) = before.as_ref().filter(|before| before.role_name != after.role_name) {
        quota::follow_role(unit.tx(), guild, &before.role_name, &after.role_name).await?;
    }
    let metadata = json!({ "before": before.as_ref().map(audited), "after": audited(&after) });
    unit.announce([Event::StaffChanged { guild }]);
    unit.audit(guild, "staff_roles.put", args.role, metadata);
    if guild::find(unit.tx(), guild).await?.is_some_and(|guild| guild.staff_by_role) {
        CatchUp::of_all(&mut unit, guild, Actor::service()).await?;
    }
    unit.commit().await?;
    let verb = if before.is_some() { "changed" } else { "added" };
    output::print(&format!("{verb} staff role {}", args.role))
}

fn audited(role: &staff_role::Model) -> Value {
    json!({ "role_name": role.role_name, "permissions": role.permissions, "play_permissions": role.play_permissions })
}

async fn remove(args: RemoveArgs) -> anyhow::Result<()> {
    let guild = args.guild.guild;
    let mut unit = args.guild.begin().await?;
    let Some(before) = staff_role::find_for_update(unit.tx(), guild, args.role).await? else {
        bail!("guild {guild} has no staff role {}", args.role);
    };
    let holders = staff_member::count_with_role(unit.tx(), guild, args.role).await?;
    if holders > 0 {
        let holders = output::count(usize::try_from(holders)?, "staff member");
        bail!("the role {} is still that of {holders}: give them another one first", args.role);
    }
    let quotas = quota::count_for_role_alone(unit.tx(), guild, &before.role_name).await?;
    if quotas > 0 {
        bail!("{quotas} quotas are for the role {}: delete or change them first", args.role);
    }
    staff_role::delete(unit.tx(), guild, args.role).await?;
    unit.announce([Event::StaffChanged { guild }]);
    unit.audit(guild, "staff_roles.delete", args.role, json!({ "before": audited(&before) }));
    unit.commit().await?;
    output::print(&format!("removed staff role {}", args.role))
}
