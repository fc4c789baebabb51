//! `guildhall staff members`: list, set, remove.

use anyhow::bail;
use entities::{ChatId, RoleId, Timestamp, staff_directory, staff_member, staff_role};
use jobs::staff_by_role;
use runtime::Event;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

use crate::fields;
use crate::operator::{GuildArgs, GuildListArgs};
use crate::output;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// List the staff members of a guild
    List(GuildListArgs),
    /// Add a staff member, or give one another role
    Set(SetArgs),
    /// Remove a staff member; their actions and the notes about them stay
    Remove(RemoveArgs),
}

#[derive(clap::Args)]
pub(crate) struct SetArgs {
    /// Chat id of the member
    #[arg(value_name = "CHAT_ID")]
    chat: ChatId,
    /// A staff role of the guild
    #[arg(long, value_name = "ROLE_ID")]
    role: RoleId,
    /// When the member joined the staff, such as 2026-01-05T09:00:00Z [default: the recorded time, or else now]
    #[arg(long, value_name = "TIME", value_parser = fields::time)]
    joined_at: Option<Timestamp>,
    #[command(flatten)]
    guild: GuildArgs,
}

#[derive(clap::Args)]
pub(crate) struct RemoveArgs {
    /// Chat id of the member
    #[arg(value_name = "CHAT_ID")]
    chat: ChatId,
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
    let now = context.clock.now();
    let members = staff_directory::list(context.database.read(), guild.guild, now).await?;
    context.close().await;
    let rows = members.into_iter().map(|member| {
        json!({
            "chat_id": member.chat_id,
            "play_id": member.play_id,
            "role_id": member.role_id,
            "role_name": member.role_name,
            "by_role": member.by_role,
            "on_duty": member.on_duty,
            "joined_at": output::time(member.joined_at),
        })
    });
    format.list(["chat_id", "role_id", "role_name", "by_role", "on_duty", "joined_at"], rows.collect())
}

async fn set(args: SetArgs) -> anyhow::Result<()> {
    let guild = args.guild.guild;
    let mut unit = args.guild.begin().await?;
    if staff_role::find_for_update(unit.tx(), guild, args.role).await?.is_none() {
        bail!("guild {guild} has no staff role {}: see `guildhall staff roles list`", args.role);
    }
    let before = staff_member::find_for_update(unit.tx(), guild, args.chat).await?;
    check(unit.tx(), before.as_ref()).await?;
    let joined_at = args.joined_at.or(before.as_ref().map(|known| known.joined_at)).unwrap_or(unit.now());
    let (chat_id, role_id) = (args.chat, args.role);
    let after = staff_member::Model { guild_id: guild, chat_id, role_id, joined_at, by_role: false };
    let metadata = json!({ "before": before.as_ref().map(audited), "after": audited(&after) });
    staff_member::put(unit.tx(), after).await?;
    unit.announce([Event::StaffChanged { guild }]);
    unit.audit(guild, "staff_members.put", args.chat, metadata);
    unit.commit().await?;
    let verb = if before.is_some() { "changed" } else { "added" };
    output::print(&format!("{verb} staff member {}", args.chat))
}

async fn check<C: ConnectionTrait>(conn: &C, member: Option<&staff_member::Model>) -> anyhow::Result<()> {
    if staff_by_role::is_decided(conn, member).await? {
        bail!("this member is staff by a role on the chat platform: give or take the role there");
    }
    Ok(())
}

fn audited(member: &staff_member::Model) -> Value {
    json!({ "role_id": member.role_id, "joined_at": output::time(member.joined_at), "by_role": member.by_role })
}

async fn remove(args: RemoveArgs) -> anyhow::Result<()> {
    let guild = args.guild.guild;
    let mut unit = args.guild.begin().await?;
    let before = staff_member::find_for_update(unit.tx(), guild, args.chat).await?;
    check(unit.tx(), before.as_ref()).await?;
    let Some(before) = staff_by_role::end(&mut unit, guild, args.chat).await? else {
        bail!("{} is not staff of guild {guild}", args.chat);
    };
    unit.audit(guild, "staff_members.delete", args.chat, json!({ "before": audited(&before) }));
    unit.commit().await?;
    output::print(&format!("removed staff member {}", args.chat))
}
