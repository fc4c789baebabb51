//! `guildhall keys`: make, list and revoke API keys (docs/rules.md 1). A key's text is shown once, when it is made.

use anyhow::{Context as _, bail};
use entities::api_key::{self, NewKey, Scope, Scopes};
use entities::key_text::KeyText;
use entities::{ChatId, GuildId, Timestamp};
use runtime::Event;
use sea_orm::ConnectionTrait;
use serde_json::json;

use crate::access::{self, AccessArgs};
use crate::output::{self, Table};
use crate::span;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Make a key and show its text, once; standard output is the key alone: `KEY=$(guildhall keys create ...)`
    Create(CreateArgs),
    /// List keys; never their secrets
    List(ListArgs),
    /// Revoke a key; running processes refuse it within a second
    Revoke(RevokeArgs),
}

#[derive(clap::Args)]
pub(crate) struct CreateArgs {
    /// The guild it is for
    #[arg(long, env = "GUILDHALL_GUILD", value_name = "GUILD_ID")]
    guild: GuildId,
    /// What it is for, such as "game servers"
    #[arg(long, value_parser = crate::fixture::checked_name)]
    name: String,
    /// Chat id of who asked for it; audit entries of its calls name them
    #[arg(long, value_name = "CHAT_ID")]
    owner: ChatId,
    /// What it may do, of read, moderation, staff, play, sync, shield, admin [default: all but admin]
    #[arg(long, value_delimiter = ',', value_name = "SCOPE,SCOPE")]
    scopes: Vec<Scope>,
    /// What it may do, by who will use it: `game` (read, play, moderation), `dashboard` (read, moderation, staff, sync,
    /// shield), `bot` (read, moderation, staff, sync)
    #[arg(long = "for", value_name = "CALLER", value_parser = set_for, conflicts_with = "scopes")]
    caller: Option<Scopes>,
    /// How many times the limits of the hot paths it has: one key may serve all servers of a game
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(i32).range(1..=1_000))]
    hot_path_factor: i32,
    /// When it ends, from now, such as 12h or 90d [default: never]
    #[arg(long, value_name = "SPAN", value_parser = span::parse)]
    expires_in: Option<chrono::TimeDelta>,
    #[command(flatten)]
    access: AccessArgs,
}

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// Keys of this guild only
    #[arg(long, value_name = "GUILD_ID")]
    guild: Option<GuildId>,
    #[command(flatten)]
    access: AccessArgs,
}

#[derive(clap::Args)]
pub(crate) struct RevokeArgs {
    /// Its public id (`keys list` shows it) or its whole text
    #[arg(value_name = "KEY")]
    key: String,
    #[command(flatten)]
    access: AccessArgs,
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
    let context = args.access.change().await?;
    let now = context.clock.now();
    let text = KeyText::generate();
    let key = NewKey {
        guild: args.guild,
        text: text.clone(),
        name: args.name,
        owner: args.owner,
        scopes,
        expires_at: args.expires_in.map(|span| now + span),
        hot_path_factor: args.hot_path_factor,
    };
    let transaction = context.database.begin().await?;
    access::require_guild(&transaction, args.guild).await?;
    let row = issue(&transaction, key, now).await?;
    let end =
        row.expires_at.map_or_else(|| "never ends".to_owned(), |at| format!("ends {}", output::time(at)));
    output::note(&format!(
        "key {} for guild {} may: {scopes}; it {end}. Its text is shown this once, keep it:",
        row.public_id, row.guild_id
    ));
    // Before the commit: a key whose text nobody has seen must not be live.
    output::deliver(&text.reveal()).context("the key's text cannot be written, so no key was made")?;
    transaction.commit().await?;
    access::finish(context, vec![Event::KeyChanged { public_id: row.public_id }]).await;
    Ok(())
}

fn set_for(caller: &str) -> Result<Scopes, String> {
    Scopes::set_for(caller).ok_or_else(|| "callers are game, dashboard, bot".to_owned())
}

/// Adds the key with its audit entry.
pub(crate) async fn issue<C: ConnectionTrait>(
    conn: &C,
    key: NewKey,
    now: Timestamp,
) -> Result<api_key::Model, sea_orm::DbErr> {
    let row = api_key::create(conn, key, now).await?;
    let metadata = serde_json::Map::from_iter([
        ("name".to_owned(), json!(row.name)),
        ("scopes".to_owned(), json!(row.scopes)),
        ("expires_at".to_owned(), json!(row.expires_at.map(output::time))),
        ("hot_path_factor".to_owned(), json!(row.hot_path_factor)),
    ]);
    access::audit(conn, (row.guild_id, "keys.create"), row.public_id.clone(), metadata, now).await?;
    Ok(row)
}

async fn list(args: ListArgs) -> anyhow::Result<()> {
    let context = args.access.look().await?;
    let now = context.clock.now();
    if let Some(guild) = args.guild {
        access::require_guild(context.database.read(), guild).await?;
    }
    let mut table = Table::new(&[
        "key",
        "state",
        "guild",
        "name",
        "owner",
        "scopes",
        "hot paths",
        "created",
        "expires",
        "last used",
    ]);
    for key in api_key::list(context.database.read(), args.guild).await? {
        let state = match (key.revoked_at, key.is_live(now)) {
            (Some(_), _) => "revoked",
            (None, true) => "live",
            (None, false) => "expired",
        };
        table.row(&[
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
        ]);
    }
    context.close().await;
    output::print(&table.render())
}

async fn revoke(args: RevokeArgs) -> anyhow::Result<()> {
    let public_id = public_id(&args.key)?;
    let context = args.access.change().await?;
    let now = context.clock.now();
    let transaction = context.database.begin().await?;
    let Some(key) = api_key::revoke(&transaction, &public_id, now).await? else {
        let known = api_key::find_by_public_id(&transaction, &public_id).await?;
        let Some(at) = known.and_then(|key| key.revoked_at) else { bail!("there is no key {public_id}") };
        transaction.rollback().await?;
        context.close().await;
        return output::print(&format!("key {public_id} was revoked already, {}", output::time(at)));
    };
    let metadata = serde_json::Map::from_iter([("name".to_owned(), json!(key.name))]);
    access::audit(&transaction, (key.guild_id, "keys.revoke"), public_id.clone(), metadata, now).await?;
    transaction.commit().await?;
    access::finish(context, vec![Event::KeyChanged { public_id: public_id.clone() }]).await;
    output::print(&format!("revoked key {public_id} of guild {}", key.guild_id))
}

/// Takes a public id, or the whole text apart. The text is never repeated.
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
