//! `guildhall links list`: a page of links.

use entities::{ChatId, link};
use serde_json::json;

use crate::operator::{GuildListArgs, LimitArgs};
use crate::output;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only links after this chat user
    #[arg(long, value_name = "CHAT_ID")]
    after: Option<ChatId>,
    #[command(flatten)]
    limit: LimitArgs,
    #[command(flatten)]
    list: GuildListArgs,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let GuildListArgs { format, guild } = args.list;
    let limit = args.limit.limit;
    let context = guild.open().await?;
    let links = link::range(context.database.read(), guild.guild, args.after, None, limit).await?;
    context.close().await;
    let last = links.last().filter(|_| links.len() as u64 == limit).map(|link| link.chat_id);
    let rows = links.iter().map(|link| {
        json!({
            "chat_id": link.chat_id,
            "play_id": link.play_id,
            "play_username": link.play_username,
            "verified_at": output::time(link.verified_at),
        })
    });
    format.list(["chat_id", "play_id", "play_username", "verified_at"], rows.collect())?;
    if let Some(last) = last {
        output::note(&format!("there may be more: --after {last}"));
    }
    Ok(())
}
