//! `guildhall shield`: the cross-guild list of flagged users, and the guilds that may write to it (docs/rules.md 9).
//! Setting and lifting a flag are audited in the guild that set it.

use anyhow::bail;
use entities::shield_flag::{self, NewFlag, Origin};
use entities::{ChatId, GuildId, Page, PlayId, guild, link};
use runtime::Event;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

use crate::fields;
use crate::format::FormatArgs;
use crate::operator::{GuildArgs, LimitArgs, OperatorArgs, require_guild};
use crate::output;

const SOURCE: &str = "manual";

/// A row of `shield list`.
const COLUMNS: [&str; 8] = [
    "play_id",
    "play_username",
    "flagged_at",
    "flagged_by",
    "flagged_by_guild",
    "source",
    "lifted_at",
    "reason",
];

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Let a guild write to the list
    Allow(AllowArgs),
    /// Stop a guild from writing to the list; its flags stay
    Disallow(AllowArgs),
    /// Flag a game user for all guilds
    Flag(FlagArgs),
    /// Lift the flag of a game user; it is kept as history
    Lift(LiftArgs),
    /// List flags, newest first
    List(ListArgs),
}

#[derive(clap::Args)]
pub(crate) struct AllowArgs {
    /// The guild
    #[arg(value_name = "GUILD_ID")]
    guild: GuildId,
    #[command(flatten)]
    operator: OperatorArgs,
}

#[derive(clap::Args)]
pub(crate) struct FlagArgs {
    /// Id of the game user
    #[arg(value_name = "PLAY_ID")]
    play: PlayId,
    /// The reason, which every guild can read
    #[arg(long, value_parser = fields::name)]
    reason: String,
    /// Chat id of the moderator
    #[arg(long, value_name = "CHAT_ID")]
    by: ChatId,
    /// Name of the game user [default: that of the guild's link, if there is one]
    #[arg(long, value_parser = fields::name)]
    name: Option<String>,
    #[command(flatten)]
    guild: GuildArgs,
}

#[derive(clap::Args)]
pub(crate) struct LiftArgs {
    /// Id of the game user
    #[arg(value_name = "PLAY_ID")]
    play: PlayId,
    /// The reason
    #[arg(long, value_parser = fields::name)]
    reason: String,
    /// Chat id of the moderator [default: not recorded]
    #[arg(long, value_name = "CHAT_ID")]
    by: Option<ChatId>,
    #[command(flatten)]
    operator: OperatorArgs,
}

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// List lifted flags instead of active ones
    #[arg(long)]
    lifted: bool,
    #[command(flatten)]
    limit: LimitArgs,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    operator: OperatorArgs,
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Allow(args) => set_allowed(args, true).await,
        Command::Disallow(args) => set_allowed(args, false).await,
        Command::Flag(args) => flag(args).await,
        Command::Lift(args) => lift(args).await,
        Command::List(args) => list(args).await,
    }
}

/// Repeating the command changes nothing.
async fn set_allowed(args: AllowArgs, allowed: bool) -> anyhow::Result<()> {
    let mut unit = args.operator.begin().await?;
    let before = require_guild(unit.tx(), args.guild).await?.shield_writer;
    if before != allowed {
        guild::allow_shield(unit.tx(), args.guild, allowed).await?;
        let metadata =
            json!({ "before": { "shield_writer": before }, "after": { "shield_writer": allowed } });
        let action = if allowed { "shield.allow" } else { "shield.disallow" };
        unit.audit(args.guild, action, args.guild, metadata);
    }
    unit.commit().await?;
    let verb = if allowed { "may" } else { "may not" };
    let already = if before == allowed { ", as before" } else { "" };
    output::print(&format!("guild {} {verb} write to Shield{already}", args.guild))
}

async fn flag(args: FlagArgs) -> anyhow::Result<()> {
    let guild = args.guild.guild;
    let mut unit = args.guild.begin().await?;
    let play_username = name(unit.tx(), &args).await?;
    let new = NewFlag { play: args.play, play_username, reason: args.reason.clone() };
    let origin = Origin { by: args.by, guild: Some(guild), source: SOURCE, at: unit.now() };
    if shield_flag::import(unit.tx(), &[new], origin).await? == 0 {
        bail!("game user {} is flagged already; lift that flag first to change it", args.play);
    }
    let metadata = json!({ "flagged_by": args.by, "reason": args.reason });
    unit.audit(guild, "shield.flag", args.play, metadata);
    unit.announce([Event::ShieldChanged { plays: vec![args.play] }]);
    unit.commit().await?;
    output::print(&format!("flagged game user {}", args.play))
}

/// The given name, or that of the guild's link.
async fn name<C: ConnectionTrait>(conn: &C, args: &FlagArgs) -> anyhow::Result<String> {
    if let Some(name) = &args.name {
        return Ok(name.clone());
    }
    let link = link::find_by_play(conn, args.guild.guild, args.play).await?;
    Ok(link.map(|link| link.play_username).unwrap_or_default())
}

async fn lift(args: LiftArgs) -> anyhow::Result<()> {
    let mut unit = args.operator.begin().await?;
    let lifted = shield_flag::lift(unit.tx(), args.play, args.by, &args.reason, unit.now()).await?;
    let Some(flag) = lifted else { bail!("game user {} is not flagged", args.play) };
    // A flag from a fixture belongs to no guild, so no audit log: the flag itself is the record.
    if let Some(guild) = flag.flagged_by_guild {
        let before = json!({ "flagged_by": flag.flagged_by, "reason": flag.reason });
        let metadata = json!({ "lifted_by": args.by, "reason": args.reason, "before": before });
        unit.audit(guild, "shield.lift", args.play, metadata);
    }
    unit.announce([Event::ShieldChanged { plays: vec![args.play] }]);
    unit.commit().await?;
    output::print(&format!("lifted the flag of game user {}", args.play))
}

async fn list(args: ListArgs) -> anyhow::Result<()> {
    let context = args.operator.open().await?;
    let page = Page::first(args.limit.limit);
    let flags = shield_flag::list(context.database.read(), Some(args.lifted), page).await?;
    context.close().await;
    args.format.list(COLUMNS, flags.iter().map(record).collect())
}

fn record(flag: &shield_flag::Model) -> Value {
    json!({
        // A string, as in the answers of the API.
        "play_id": flag.play_id.to_string(),
        "play_username": flag.play_username,
        "reason": flag.reason,
        "source": flag.source,
        "flagged_by": flag.flagged_by,
        "flagged_by_guild": flag.flagged_by_guild,
        "flagged_at": output::time(flag.flagged_at),
        "lifted_at": flag.lifted_at.map(output::time),
        "lifted_by": flag.lifted_by,
        "lifted_reason": flag.lifted_reason,
    })
}
