//! `guildhall audit verify`: the chains of the audit log (docs/rules.md 8).

use anyhow::{Context as _, bail};
use entities::audit_chain::verify::{Flaw, Found, Verified, verify};
use entities::audit_chain::{self, Chain};
use entities::{GuildId, guild};
use serde_json::{Value, json};

use crate::format::FormatArgs;
use crate::operator::{OperatorArgs, require_guild};
use crate::output;

const COLUMNS: [&str; 8] =
    ["guild_id", "chain", "state", "entries", "erased", "unchained", "newest_position", "newest_hash"];

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Find the first changed, missing or moved entry of each guild's audit log
    ///
    /// Each entry holds a hash over itself and the hash before it. Whoever can write to the database could compute all
    /// hashes anew, but not give them a hash that somebody else has kept: `GET /guilds/:guildId/audit-logs` answers the
    /// newest one, and `--hash` looks for it. Exits with 1 if an entry does not fit or the hash is not found.
    Verify(VerifyArgs),
}

#[derive(clap::Args)]
pub(crate) struct VerifyArgs {
    /// Only this guild
    #[arg(long, env = "GUILDHALL_GUILD", value_name = "GUILD_ID")]
    guild: Option<GuildId>,
    /// A hash that was kept earlier: it must be the hash of one of the guild's entries
    #[arg(long, value_name = "HASH")]
    hash: Option<Hash>,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    operator: OperatorArgs,
}

/// 64 hexadecimal digits.
#[derive(Clone)]
struct Hash(Vec<u8>);

impl std::str::FromStr for Hash {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bytes = hex::decode(text).ok().filter(|bytes| bytes.len() == 32);
        bytes.map(Self).ok_or("a hash has 64 hexadecimal digits")
    }
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Verify(args) => run_verify(args).await,
    }
}

async fn run_verify(args: VerifyArgs) -> anyhow::Result<()> {
    if args.hash.is_some() && args.guild.is_none() {
        bail!("--hash is the hash of one guild's log: name the guild, with --guild");
    }
    let context = args.operator.open().await?;
    // Entries that are written meanwhile are in no one's way.
    let snapshot = context.database.snapshot().await?;
    let guilds = match args.guild {
        Some(guild) => vec![require_guild(&snapshot, guild).await?.guild_id],
        None => whole(guild::list(&snapshot).await?),
    };
    let known = args.hash.as_ref().map(|hash| hash.0.as_slice());
    let mut outcomes = Vec::new();
    for guild in guilds {
        for chain in audit_chain::of_guild(&snapshot, guild).await? {
            let verified = verify(&snapshot, &chain, known).await.context("cannot read the audit log")?;
            outcomes.push((chain, verified));
        }
    }
    snapshot.rollback().await?;
    context.close().await;
    args.format.list(COLUMNS, outcomes.iter().map(|(chain, verified)| record(chain, verified)).collect())?;
    let unchained: u64 = outcomes.iter().map(|(_, verified)| verified.unchained).sum();
    if unchained > 0 {
        let entries = output::count(usize::try_from(unchained)?, "entry without a place in a chain");
        output::note(&format!("{entries}: an older version wrote them, or somebody else"));
    }
    let flaws: Vec<_> = outcomes.iter().filter_map(|(chain, verified)| flaw(chain, verified)).collect();
    if !flaws.is_empty() {
        bail!("{}", flaws.join("; "));
    }
    if known.is_some() && !outcomes.iter().any(|(_, verified)| verified.known) {
        bail!(
            "no entry has this hash: entries were changed or removed since it was kept, or retention deleted it"
        );
    }
    Ok(())
}

/// Without those of which only a part of the log is there.
fn whole(guilds: Vec<guild::Model>) -> Vec<GuildId> {
    let (whole, hidden): (Vec<_>, Vec<_>) =
        guilds.into_iter().partition(|guild| guild.removing_since.is_none());
    for guild in hidden {
        output::note(&format!("guild {} is left out: it is being imported or removed", guild.guild_id));
    }
    whole.into_iter().map(|guild| guild.guild_id).collect()
}

fn record(chain: &audit_chain::Model, verified: &Verified) -> Value {
    let found = verified.flaw.as_ref();
    json!({
        "guild_id": chain.guild_id,
        "chain": name(chain.chain),
        "state": found.map_or("intact", |found| found.flaw.into()),
        "entries": verified.entries,
        "erased": verified.erased,
        "unchained": verified.unchained,
        "first_position": chain.first_position,
        "newest_position": chain.last_position,
        "newest_hash": hex::encode(&chain.last_hash),
        "flaw_position": found.map(|found| found.position),
        "flaw_entry": found.and_then(|found| found.entry),
        "known": verified.known,
    })
}

fn name(chain: Chain) -> &'static str {
    chain.into()
}

fn flaw(chain: &audit_chain::Model, verified: &Verified) -> Option<String> {
    let Found { flaw, position, entry } = verified.flaw.as_ref()?;
    let entry = entry.map_or_else(|| "an entry".to_owned(), |id| format!("entry {id}"));
    let what = match flaw {
        Flaw::Changed => "says something else than when it was written",
        Flaw::Missing => "is missing",
        Flaw::Moved => "is not the one that was written there",
    };
    Some(format!(
        "guild {}, chain {}, position {position}: {entry} {what}",
        chain.guild_id,
        name(chain.chain)
    ))
}
