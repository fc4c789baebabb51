//! `guildhall games`: the keys of games, and which of them are trusted: a code that a trusted key confirms proves the account
//! for all guilds (docs/rules.md 11).

use anyhow::bail;
use entities::Timestamp;
use entities::api_key::{self, Model, Scope};
use runtime::Event;
use serde_json::{Value, json};

use super::keys::public_id::{KeyArgs, require};
use crate::operator::{ListArgs, OperatorArgs};
use crate::output;

const COLUMNS: [&str; 6] = ["public_id", "state", "guild_id", "name", "trusted", "last_used_at"];

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Let codes that a key confirms prove accounts for all guilds
    ///
    /// Whoever holds the key can then claim any Roblox account for any Discord account, in all guilds: trust only games
    /// that you run yourself.
    Trust(Args),
    /// Let codes that a key confirms prove for its guild alone; what they have proven stays
    Untrust(Args),
    /// List the keys with the scope `play`
    List(ListArgs),
}

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    key: KeyArgs,
    #[command(flatten)]
    operator: OperatorArgs,
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Trust(args) => trust(args, true).await,
        Command::Untrust(args) => trust(args, false).await,
        Command::List(args) => list(args).await,
    }
}

async fn trust(args: Args, trusted: bool) -> anyhow::Result<()> {
    let public_id = args.key.public_id()?;
    let mut unit = args.operator.begin().await?;
    let key = require(unit.tx(), &public_id).await?;
    if trusted && !(key.is_live(unit.now()) && key.scopes().contains(Scope::Play)) {
        bail!("key {public_id} is not live or lacks the scope `play`: it confirms no codes");
    }
    let changed = api_key::trust(unit.tx(), &public_id, trusted).await?.is_some();
    if changed {
        let action = if trusted { "games.trust" } else { "games.untrust" };
        unit.audit(key.guild_id, action, &public_id, json!({ "name": key.name }));
        unit.announce([Event::KeyChanged { public_id: public_id.clone() }]);
    }
    unit.commit().await?;
    let (guild, already) = (key.guild_id, if changed { "" } else { " already" });
    let state = if trusted { "is trusted" } else { "is not trusted" };
    output::print(&format!("key {public_id} of guild {guild} {state}{already}"))
}

async fn list(args: ListArgs) -> anyhow::Result<()> {
    let context = args.operator.open().await?;
    let now = context.clock.now();
    let keys = api_key::list(context.database.read(), None).await?;
    context.close().await;
    let games = keys.iter().filter(|key| key.scopes().contains(Scope::Play));
    args.format.list(COLUMNS, games.map(|key| record(key, now)).collect())
}

fn record(key: &Model, now: Timestamp) -> Value {
    json!({
        "public_id": key.public_id,
        "state": key.state(now).name(),
        "guild_id": key.guild_id,
        "name": key.name,
        "trusted": key.trusted,
        "last_used_at": key.last_used_at.map(output::time),
    })
}
