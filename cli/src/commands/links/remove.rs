//! `guildhall links remove`: removes the link of an account.

use anyhow::bail;
use entities::{ChatId, PlayId, link};
use jobs::linking::Linking;

use crate::operator::{GuildArgs, operator};
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
    let mut linking = Linking::begin(&mut unit, guild, operator()).await?;
    let (found, account) = match (args.chat, args.play) {
        (Some(chat), _) => {
            (link::find_by_chat(linking.tx(), guild, chat).await?, format!("chat user {chat}"))
        }
        (None, Some(play)) => {
            (link::find_by_play(linking.tx(), guild, play).await?, format!("game user {play}"))
        }
        (None, None) => bail!("name an account, with --chat or --play"),
    };
    let Some(before) = found else { bail!("the {account} is not linked in guild {guild}") };
    linking.unlink(&before).await?;
    unit.commit().await?;
    output::print(&format!(
        "removed the link of chat user {} and game user {}",
        before.chat_id, before.play_id
    ))
}
