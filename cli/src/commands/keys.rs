//! `guildhall keys`: create, list and revoke API keys (docs/rules.md 1). The text of a key is shown once, at its creation.

use anyhow::{Context as _, bail};
use entities::api_key::{self, NewKey, Scope, Scopes};
use entities::key_text::KeyText;
use entities::{ChatId, GuildId};
use runtime::Event;
use serde_json::json;

use crate::operator::{GuildArgs, OperatorArgs, create_key, require_guild};
use crate::output;
use crate::{duration, fields};

/// Of `keys list`.
const COLUMNS: [&str; 10] =
    ["key", "state", "guild", "name", "owner", "scopes", "hot paths", "created", "expires", "last used"];

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Create a key and show its text, once; standard output is the key alone: `KEY=$(guildhall keys create ...)`
    Create(CreateArgs),
    /// List keys; never their secrets
    List(ListArgs),
    /// Revoke a key; running processes refuse it within a second
    Revoke(RevokeArgs),
}

#[derive(clap::Args)]
pub(crate) struct CreateArgs {
    #[command(flatten)]
    guild: GuildArgs,
    /// What it is for, such as "game servers"
    #[arg(long, value_parser = fields::name)]
    name: String,
    /// Chat id of the owner, whom the audit entries of its calls name
    #[arg(long, value_name = "CHAT_ID")]
    owner: ChatId,
    /// Its scopes, out of read, moderation, staff, play, sync, shield, admin [default: all but admin]
    #[arg(long, value_delimiter = ',', value_name = "SCOPE,SCOPE")]
    scopes: Vec<Scope>,
    /// Its scopes, by the program that will use it: `game` (read, play, moderation), `dashboard` (read, moderation, staff, sync,
    /// shield), `bot` (read, moderation, staff, sync)
    #[arg(long = "for", value_name = "CALLER", value_parser = set_for, conflicts_with = "scopes")]
    caller: Option<Scopes>,
    /// Factor on the rate limits of the hot paths, for a key that all servers of a game share
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(i32).range(1..=1_000))]
    hot_path_factor: i32,
    /// Time until it expires, such as 12h or 90d [default: it never expires]
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    expires_in: Option<chrono::TimeDelta>,
}

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// Keys of this guild only
    #[arg(long, value_name = "GUILD_ID")]
    guild: Option<GuildId>,
    #[command(flatten)]
    operator: OperatorArgs,
}

#[derive(clap::Args)]
pub(crate) struct RevokeArgs {
    /// Its public id (`keys list` shows it) or its whole text
    #[arg(value_name = "KEY")]
    key: String,
    #[command(flatten)]
    operator: OperatorArgs,
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Create(args) => create(args).await,
        Command::List(args) => list(args).await,
        Command::Revoke(args) => revoke(args).await,
    }
}

async fn create(args: CreateArgs) -> anyhow::Result<()> {
    let scopes = match args.caller {
        Some(scopes) => scopes,
        None if args.scopes.is_empty() => Scopes::default_set(),
        None => args.scopes.into_iter().collect(),
    };
    let mut unit = args.guild.begin().await?;
    let (text, now) = (KeyText::generate(), unit.now());
    let key = NewKey {
        guild: args.guild.guild,
        text: text.clone(),
        name: args.name,
        owner: args.owner,
        scopes,
        expires_at: args.expires_in.map(|length| now + length),
        hot_path_factor: args.hot_path_factor,
    };
    let row = create_key(unit.tx(), key, now).await?;
    let expiry = row
        .expires_at
        .map_or_else(|| "it never expires".to_owned(), |at| format!("it expires {}", output::time(at)));
    output::note(&format!(
        "key {} of guild {} has the scopes {scopes}; {expiry}. Its text is shown only this once:",
        row.public_id, row.guild_id
    ));
    // Before the commit: a key whose text could not be shown must not become valid.
    output::deliver(&text.reveal()).context("the key's text cannot be written, so no key was made")?;
    unit.announce([Event::KeyChanged { public_id: row.public_id }]);
    unit.commit().await
}

fn set_for(caller: &str) -> Result<Scopes, String> {
    Scopes::set_for(caller).ok_or_else(|| "callers are game, dashboard, bot".to_owned())
}

async fn list(args: ListArgs) -> anyhow::Result<()> {
    let context = args.operator.open().await?;
    let now = context.clock.now();
    if let Some(guild) = args.guild {
        require_guild(context.database.read(), guild).await?;
    }
    let keys = api_key::list(context.database.read(), args.guild).await?;
    context.close().await;
    let rows = keys.into_iter().map(|key| {
        let state = match (key.revoked_at, key.is_live(now)) {
            (Some(_), _) => "revoked",
            (None, true) => "live",
            (None, false) => "expired",
        };
        [
            key.public_id.clone(),
            state.to_owned(),
            key.guild_id.to_string(),
            key.name.clone(),
            key.owner_id.to_string(),
            key.scopes().to_string().replace(' ', ","),
            format!("x{}", key.hot_path_factor),
            output::time(key.created_at),
            output::time_or_dash(key.expires_at),
            output::time_or_dash(key.last_used_at),
        ]
    });
    output::print_table(COLUMNS, rows)
}

async fn revoke(args: RevokeArgs) -> anyhow::Result<()> {
    let public_id = public_id(&args.key)?;
    let mut unit = args.operator.begin().await?;
    let Some(key) = api_key::revoke(unit.tx(), &public_id, unit.now()).await? else {
        let known = api_key::find_by_public_id(unit.tx(), &public_id).await?;
        let Some(at) = known.and_then(|key| key.revoked_at) else { bail!("there is no key {public_id}") };
        unit.commit().await?;
        return output::print(&format!("key {public_id} was already revoked, {}", output::time(at)));
    };
    unit.audit(key.guild_id, "keys.revoke", &public_id, json!({ "name": key.name })).await?;
    unit.announce([Event::KeyChanged { public_id: public_id.clone() }]);
    unit.commit().await?;
    output::print(&format!("revoked key {public_id} of guild {}", key.guild_id))
}

/// The public id, given as such or as part of the whole text. Errors do not repeat the text.
fn public_id(key: &str) -> anyhow::Result<String> {
    if !key.starts_with("gh_") {
        return Ok(key.to_owned());
    }
    let text = KeyText::parse(key)
        .context("this is not a whole key text (its checksum is wrong); give the public id instead")?;
    Ok(text.public_id().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_named_by_its_public_id_or_its_whole_text() {
        let key = KeyText::generate();
        assert_eq!(public_id(key.public_id()).unwrap(), key.public_id());
        assert_eq!(public_id(&key.reveal()).unwrap(), key.public_id());
        let cut = &key.reveal()[..40];
        let error = public_id(cut).unwrap_err().to_string();
        assert!(!error.contains(&cut[12..]), "{error}");
    }
}
