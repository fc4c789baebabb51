//! `guildhall staff members`: list, set, remove.

use anyhow::bail;
use entities::{ChatId, RoleId, Timestamp, staff_directory, staff_member, staff_role, staff_session};
use runtime::Event;
use serde_json::json;

use super::Where;
use crate::access;
use crate::output::{self, Table};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// List the staff members of a guild
    List(ListArgs),
    /// Make somebody staff, or give a staff member another role
    Set(SetArgs),
    /// Make somebody staff no longer; what they did and what was written about them stays
    Remove(RemoveArgs),
}

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    place: Where,
}

#[derive(clap::Args)]
pub(crate) struct SetArgs {
    /// Chat id of the member
    #[arg(value_name = "CHAT_ID")]
    chat: ChatId,
    /// A staff role of the guild
    #[arg(long, value_name = "ROLE_ID")]
    role: RoleId,
    /// Since when, such as 2026-01-05T09:00:00Z [default: as it is known, else now]
    #[arg(long, value_name = "TIME", value_parser = crate::fixture::checked_time)]
    joined_at: Option<Timestamp>,
    #[command(flatten)]
    place: Where,
}

#[derive(clap::Args)]
pub(crate) struct RemoveArgs {
    /// Chat id of the member
    #[arg(value_name = "CHAT_ID")]
    chat: ChatId,
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
    let mut table = Table::new(&["member", "role", "role name", "on duty", "joined"]);
    for member in staff_directory::list(context.database.read(), guild, context.clock.now()).await? {
        let on_duty = if member.on_duty { "yes" } else { "no" };
        let (chat, role) = (member.chat_id.to_string(), member.role_id.to_string());
        table.row(&[chat, role, member.role_name, on_duty.to_owned(), output::time(member.joined_at)]);
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
    if staff_role::find_for_update(&transaction, guild, args.role).await?.is_none() {
        bail!("guild {guild} has no staff role {}: see `guildhall staff roles list`", args.role);
    }
    let before = staff_member::find_for_update(&transaction, guild, args.chat).await?;
    let joined_at = args.joined_at.or(before.as_ref().map(|known| known.joined_at)).unwrap_or(now);
    let after = staff_member::Model { guild_id: guild, chat_id: args.chat, role_id: args.role, joined_at };
    let metadata = serde_json::Map::from_iter([
        ("before".to_owned(), before.as_ref().map_or(json!(null), told)),
        ("after".to_owned(), told(&after)),
    ]);
    staff_member::put(&transaction, after).await?;
    access::audit(&transaction, (guild, "staff_members.put"), args.chat.to_string(), metadata, now).await?;
    transaction.commit().await?;
    access::finish(context, Vec::new()).await;
    let verb = if before.is_some() { "changed" } else { "added" };
    output::print(&format!("{verb} staff member {}", args.chat))
}

fn told(member: &staff_member::Model) -> serde_json::Value {
    json!({ "role_id": member.role_id, "joined_at": output::time(member.joined_at) })
}

async fn remove(args: RemoveArgs) -> anyhow::Result<()> {
    let guild = args.place.guild;
    let context = args.place.access.change().await?;
    let transaction = context.database.begin().await?;
    access::require_guild(&transaction, guild).await?;
    let Some(before) = staff_member::delete(&transaction, guild, args.chat).await? else {
        bail!("{} is not staff of guild {guild}", args.chat);
    };
    let ended = staff_session::end_open(&transaction, guild, args.chat).await?;
    let metadata = serde_json::Map::from_iter([("before".to_owned(), told(&before))]);
    let now = context.clock.now();
    access::audit(&transaction, (guild, "staff_members.delete"), args.chat.to_string(), metadata, now)
        .await?;
    transaction.commit().await?;
    let news = ended.map(|session| Event::SessionEnded { guild, session: session.session_id });
    access::finish(context, news.into_iter().collect()).await;
    output::print(&format!("removed staff member {}", args.chat))
}
