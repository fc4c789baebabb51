//! `guildhall shield allow` and `disallow`. Doing it again changes nothing.

use entities::{GuildId, guild};
use runtime::Event;
use serde_json::json;

use crate::access::{self, AccessArgs};
use crate::output;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The guild
    #[arg(value_name = "GUILD_ID")]
    guild: GuildId,
    #[command(flatten)]
    access: AccessArgs,
}

pub(super) async fn set(args: Args, allowed: bool) -> anyhow::Result<()> {
    let context = args.access.change().await?;
    let now = context.clock.now();
    let transaction = context.database.begin().await?;
    let before = access::require_guild(&transaction, args.guild).await?.shield_writer;
    if before != allowed {
        guild::allow_shield(&transaction, args.guild, allowed).await?;
        let change = |writer: bool| json!({ "shield_writer": writer });
        let metadata = serde_json::Map::from_iter([
            ("before".to_owned(), change(before)),
            ("after".to_owned(), change(allowed)),
        ]);
        let action = (args.guild, if allowed { "shield.allow" } else { "shield.disallow" });
        access::audit(&transaction, action, args.guild.to_string(), metadata, now).await?;
    }
    transaction.commit().await?;
    access::finish(context, vec![Event::SettingsChanged { guild: args.guild }]).await;
    let (verb, already) = (if allowed { "may" } else { "may not" }, before == allowed);
    let already = if already { ", as before" } else { "" };
    output::print(&format!("guild {} {verb} write to Shield{already}", args.guild))
}
