//! `guildhall shield flag`, `lift` and `list`. The audit entry stands in the log of the guild that flags or flagged.

use anyhow::bail;
use entities::shield_flag::{self, NewFlag, Origin};
use entities::{ChatId, GuildId, Page, PlayId, link};
use runtime::Event;
use sea_orm::ConnectionTrait;
use serde_json::{Map, json};

use crate::access::{self, AccessArgs};
use crate::output::{self, Table};

/// As [`shield_flag::Model`] has it for what people enter by hand.
const SOURCE: &str = "manual";

#[derive(clap::Args)]
pub(crate) struct FlagArgs {
    /// Id of the game user
    #[arg(value_name = "PLAY_ID")]
    play: PlayId,
    /// Why; every guild reads it
    #[arg(long, value_parser = crate::fixture::checked_name)]
    reason: String,
    /// Chat id of who flags
    #[arg(long, value_name = "CHAT_ID")]
    by: ChatId,
    /// The guild that flags
    #[arg(long, env = "GUILDHALL_GUILD", value_name = "GUILD_ID")]
    guild: GuildId,
    /// Name of the game user [default: as the guild's link has it, else none]
    #[arg(long, value_parser = crate::fixture::checked_name)]
    name: Option<String>,
    #[command(flatten)]
    access: AccessArgs,
}

#[derive(clap::Args)]
pub(crate) struct LiftArgs {
    /// Id of the game user
    #[arg(value_name = "PLAY_ID")]
    play: PlayId,
    /// Why
    #[arg(long, value_parser = crate::fixture::checked_name)]
    reason: String,
    /// Chat id of who lifts it [default: nobody in particular]
    #[arg(long, value_name = "CHAT_ID")]
    by: Option<ChatId>,
    #[command(flatten)]
    access: AccessArgs,
}

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// Lifted flags instead of those in force
    #[arg(long)]
    lifted: bool,
    /// At most this many
    #[arg(long, default_value_t = 50)]
    limit: u64,
    #[command(flatten)]
    access: AccessArgs,
}

pub(super) async fn flag(args: FlagArgs) -> anyhow::Result<()> {
    let context = args.access.change().await?;
    let now = context.clock.now();
    let transaction = context.database.begin().await?;
    access::require_guild(&transaction, args.guild).await?;
    let new = NewFlag {
        play: args.play,
        play_username: name(&transaction, &args).await?,
        reason: args.reason.clone(),
    };
    let origin = Origin { by: args.by, guild: Some(args.guild), source: SOURCE, at: now };
    if shield_flag::import(&transaction, &[new], origin).await? == 0 {
        bail!("game user {} is flagged already; lift that flag first to change it", args.play);
    }
    let metadata = Map::from_iter([
        ("flagged_by".to_owned(), json!(args.by)),
        ("reason".to_owned(), json!(args.reason)),
    ]);
    access::audit(&transaction, (args.guild, "shield.flag"), args.play.to_string(), metadata, now).await?;
    transaction.commit().await?;
    access::finish(context, vec![Event::ShieldChanged]).await;
    output::print(&format!("flagged game user {}", args.play))
}

async fn name<C: ConnectionTrait>(conn: &C, args: &FlagArgs) -> anyhow::Result<String> {
    if let Some(name) = &args.name {
        return Ok(name.clone());
    }
    let link = link::find_by_play(conn, args.guild, args.play).await?;
    Ok(link.map(|link| link.play_username).unwrap_or_default())
}

pub(super) async fn lift(args: LiftArgs) -> anyhow::Result<()> {
    let context = args.access.change().await?;
    let now = context.clock.now();
    let transaction = context.database.begin().await?;
    let lifted = shield_flag::lift(&transaction, args.play, (args.by, &args.reason), now).await?;
    let Some(flag) = lifted else { bail!("game user {} is not flagged", args.play) };
    // A flag that came with a fixture is of no guild: then the flag itself is the record.
    if let Some(guild) = flag.flagged_by_guild {
        let metadata = Map::from_iter([
            ("lifted_by".to_owned(), json!(args.by)),
            ("reason".to_owned(), json!(args.reason)),
            ("before".to_owned(), json!({ "flagged_by": flag.flagged_by, "reason": flag.reason })),
        ]);
        access::audit(&transaction, (guild, "shield.lift"), args.play.to_string(), metadata, now).await?;
    }
    transaction.commit().await?;
    access::finish(context, vec![Event::ShieldChanged]).await;
    output::print(&format!("lifted the flag of game user {}", args.play))
}

pub(super) async fn list(args: ListArgs) -> anyhow::Result<()> {
    let context = args.access.look().await?;
    let flags =
        shield_flag::list(context.database.read(), Some(args.lifted), Page::first(args.limit)).await?;
    let mut table =
        Table::new(&["game user", "name", "flagged", "by", "guild", "source", "lifted", "reason"]);
    for flag in flags {
        let guild = flag.flagged_by_guild.map_or_else(|| "-".to_owned(), |guild| guild.to_string());
        let (flagged, lifted) = (output::time(flag.flagged_at), output::time_or_dash(flag.lifted_at));
        let (play, by) = (flag.play_id.to_string(), flag.flagged_by.to_string());
        table.row(&[play, flag.play_username, flagged, by, guild, flag.source, lifted, flag.reason]);
    }
    context.close().await;
    output::print(&table.render())
}
