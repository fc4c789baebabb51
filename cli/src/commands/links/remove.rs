//! `guildhall links remove`: removes the link of an account.

use anyhow::bail;
use entities::{ChatId, Person, PlayId, link};
use runtime::Event;
use serde_json::json;

use super::record::described;
use crate::links::relink_moderation;
use crate::operator::GuildArgs;
use crate::output;

#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("account").required(true).args(["chat", "play"])))]
pub(crate) struct Args {
    /// The link of this chat user
    #[arg(long, value_name = "CHAT_ID")]
    chat: Option<ChatId>,
    /// The link of this game user
    #[arg(long, value_name = "PLAY_ID")]
    play: Option<PlayId>,
    #[command(flatten)]
    guild: GuildArgs,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let guild = args.guild.guild;
    let mut unit = args.guild.begin().await?;
    let (found, account) = match (args.chat, args.play) {
        (Some(chat), _) => (link::find_by_chat(unit.tx(), guild, chat).await?, format!("chat user {chat}")),
        (None, Some(play)) => {
            (link::find_by_play(unit.tx(), guild, play).await?, format!("game user {play}"))
        }
        (None, None) => bail!("name an account, with --chat or --play"),
    };
    let Some(before) = found else { bail!("the {account} is not linked in guild {guild}") };
    relink_moderation(unit.tx(), guild, &[Person::from(&before)], unit.now()).await?;
    link::delete(unit.tx(), guild, before.chat_id).await?;
    let metadata = json!({ "before": described(&before) });
    unit.audit(guild, "links.remove", before.chat_id, metadata);
    unit.announce([Event::LinksChanged { guild }]);
    unit.commit().await?;
    output::print(&format!(
        "removed the link of chat user {} and game user {}",
        before.chat_id, before.play_id
    ))
}
