//! `guildhall keys create`, and how a new key is shown.

use anyhow::Context as _;
use entities::ChatId;
use entities::api_key::{Model, NewKey, Scope, Scopes};
use entities::key_text::KeyText;
use runtime::Event;

use crate::operator::{GuildArgs, create_key};
use crate::output;
use crate::{duration, fields};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    guild: GuildArgs,
    /// What it is for, such as "game servers"
    #[arg(long, value_parser = fields::name)]
    name: String,
    /// Chat id of the owner, whom the audit entries of its calls name
    #[arg(long, value_name = "CHAT_ID")]
    owner: ChatId,
    /// Its scopes, out of read, moderation, staff, play, sync, shield, links, admin [default: all but links and admin]
    #[arg(long, value_delimiter = ',', value_name = "SCOPE,SCOPE")]
    scopes: Vec<Scope>,
    /// Its scopes, by the program that will use it: `game` (read, play, moderation), `dashboard` (read, moderation, staff, sync,
    /// shield), `bot` (read, moderation, staff, sync, links)
    #[arg(long = "for", value_name = "CALLER", value_parser = set_for, conflicts_with = "scopes")]
    caller: Option<Scopes>,
    /// Factor on the rate limits of the hot paths, for a key that all servers of a game share
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(i32).range(1..=1_000))]
    hot_path_factor: i32,
    /// Time until it expires, such as 12h or 90d [default: it never expires]
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    expires_in: Option<chrono::TimeDelta>,
}

fn set_for(caller: &str) -> Result<Scopes, String> {
    Scopes::set_for(caller).ok_or_else(|| "callers are game, dashboard, bot".to_owned())
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
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
        parent: None,
        trusted: false,
    };
    let row = create_key(unit.tx(), key, now).await?;
    show(&row, &text)?;
    unit.announce([Event::KeyChanged { public_id: row.public_id }]);
    unit.commit().await
}

/// Call it before the commit: a key whose text could not be shown must not become valid.
pub(super) fn show(key: &Model, text: &KeyText) -> anyhow::Result<()> {
    let expiry = key
        .expires_at
        .map_or_else(|| "it never expires".to_owned(), |at| format!("it expires {}", output::time(at)));
    output::note(&format!(
        "key {} of guild {} has the scopes {}; {expiry}. Its text is shown only this once:",
        key.public_id,
        key.guild_id,
        key.scopes()
    ));
    output::deliver(&text.reveal()).context("the key's text cannot be written, so no key was made")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::Args as _;

    use super::*;

    #[test]
    fn the_help_names_the_scopes_of_each_caller() {
        let help = Args::augment_args(clap::Command::new("create")).render_long_help().to_string();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for caller in ["game", "dashboard", "bot"] {
            let (_, named) = help.split_once(&format!("`{caller}` (")).unwrap();
            let named: BTreeSet<_> = named.split_once(')').unwrap().0.split(", ").collect();
            let given = set_for(caller).unwrap().to_string();
            assert_eq!(named, given.split(' ').collect(), "{caller}");
        }
    }
}
