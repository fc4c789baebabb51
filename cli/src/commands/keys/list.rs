//! `guildhall keys list`.

use entities::api_key::{self, Model, Scope};
use entities::{GuildId, Timestamp};
use serde_json::{Value, json};

use crate::format::FormatArgs;
use crate::operator::{OperatorArgs, require_guild};
use crate::output;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Keys of this guild only
    #[arg(long, value_name = "GUILD_ID")]
    guild: Option<GuildId>,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    operator: OperatorArgs,
}

const COLUMNS: [&str; 11] = [
    "public_id",
    "state",
    "guild_id",
    "name",
    "owner_id",
    "scopes",
    "hot_path_factor",
    "parent",
    "created_at",
    "expires_at",
    "last_used_at",
];

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let context = args.operator.open().await?;
    let now = context.clock.now();
    if let Some(guild) = args.guild {
        require_guild(context.database.read(), guild).await?;
    }
    let keys = api_key::list(context.database.read(), args.guild).await?;
    context.close().await;
    args.format.list(COLUMNS, keys.iter().map(|key| record(key, now)).collect())
}

fn record(key: &Model, now: Timestamp) -> Value {
    json!({
        "public_id": key.public_id,
        "state": key.state(now).name(),
        "guild_id": key.guild_id,
        "name": key.name,
        "owner_id": key.owner_id,
        "scopes": key.scopes().iter().map(Scope::name).collect::<Vec<_>>(),
        "hot_path_factor": key.hot_path_factor,
        "parent": key.parent,
        "trusted": key.trusted,
        "created_at": output::time(key.created_at),
        "expires_at": key.expires_at.map(output::time),
        "last_used_at": key.last_used_at.map(output::time),
        "revoked_at": key.revoked_at.map(output::time),
    })
}
