//! `guildhall shield allow` and `disallow`. Repeating either changes nothing.

use entities::{GuildId, guild};
use runtime::Event;
use serde_json::json;

use crate::operator::{OperatorArgs, require_guild};
use crate::output;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The guild
    #[arg(value_name = "GUILD_ID")]
    guild: GuildId,
    #[command(flatten)]
    operator: OperatorArgs,
}

pub(super) async fn set(args: Args, allowed: bool) -> anyhow::Result<()> {
    let mut unit = args.operator.begin().await?;
    let before = require_guild(unit.tx(), args.guild).await?.shield_writer;
    if before != allowed {
        guild::allow_shield(unit.tx(), args.guild, allowed).await?;
        let metadata =
            json!({ "before": { "shield_writer": before }, "after": { "shield_writer": allowed } });
        let action = if allowed { "shield.allow" } else { "shield.disallow" };
        unit.audit(args.guild, action, args.guild, metadata).await?;
    }
    unit.announce([Event::SettingsChanged { guild: args.guild }]);
    unit.commit().await?;
    let verb = if allowed { "may" } else { "may not" };
    let already = if before == allowed { ", as before" } else { "" };
    output::print(&format!("guild {} {verb} write to Shield{already}", args.guild))
}
