//! /link/:guild/picture/:of: the member's avatar (`chat`), their game account's (`play`), the guild's icon (`guild`). A browser
//! can ask for no other, because it sends no address.

use entities::link_attempt::{self, State};
use entities::{GuildId, PlayId, account, link};
use platforms::{CallContext, PictureOf, Platforms};

use super::guild_of;
use crate::html::format::initials;
use crate::platform_cache::accounts::soon;
use crate::response::{PageError, Response};
use crate::visit::Visit;

/// A picture in a page, and what shows where there is none.
pub(crate) struct Picture {
    pub(crate) url: String,
    pub(crate) initials: String,
}

impl Picture {
    /// The address names the account, so that browsers do not show one that they kept of another account.
    pub(crate) fn new(guild: GuildId, of: PictureOf, name: &str) -> Self {
        let (part, id) = match of {
            PictureOf::Member(chat) => ("chat", chat.to_string()),
            PictureOf::Player(play) | PictureOf::Face(play) => ("play", play.to_string()),
            PictureOf::Guild(guild) => ("guild", guild.to_string()),
        };
        Self { url: format!("/link/{guild}/picture/{part}?id={id}"), initials: initials(name) }
    }
}

pub(crate) async fn get(visit: Visit) -> Result<Response, PageError> {
    let guild = guild_of(&visit).await?.guild_id;
    let of = match visit.param::<String>("of")?.as_str() {
        "chat" => PictureOf::Member(only(&visit, visit.session.row.user_id)?),
        "play" => PictureOf::Player(own_player(&visit, guild).await?),
        "guild" => PictureOf::Guild(only(&visit, guild)?),
        _ => return Err(PageError::NotFound),
    };
    // Whatever is wrong, there is no picture.
    find(visit.platforms(), CallContext::interactive(guild), of).await.flatten().ok_or(PageError::NotFound)
}

/// `None`: the platform does not answer; `Some(None)`: there is no picture.
pub(crate) async fn find(
    platforms: &Platforms,
    call: CallContext,
    of: PictureOf,
) -> Option<Option<Response>> {
    let found = soon(platforms.pictures.find(call, of)).await;
    let found = found.inspect_err(|problem| tracing::debug!(problem, "a picture cannot be read")).ok()?;
    Some(found.map(|picture| Response::picture(picture.content_type, picture.bytes)))
}

/// The address may name this one only.
fn only<T: ToString>(visit: &Visit, own: T) -> Result<T, PageError> {
    let named = visit.query.text("id");
    if named.is_empty() || own.to_string() == named { Ok(own) } else { Err(PageError::NotFound) }
}

/// The one of the member's own game accounts that the address names, or the one that their page shows.
async fn own_player(visit: &Visit, guild: GuildId) -> Result<PlayId, PageError> {
    let (conn, user, now) = (visit.read(), visit.session.row.user_id, visit.now());
    let attempt = link_attempt::of_chat(conn, guild, user, now).await?;
    // What somebody typed into a game is not proven.
    let proven = attempt.filter(|attempt| matches!(attempt.state, State::Proven | State::Held));
    let own = [
        proven.and_then(|attempt| attempt.play_id),
        link::find_by_chat(conn, guild, user).await?.map(|link| link.play_id),
        account::find(conn, user).await?.map(|account| account.play_id),
    ];
    let named = visit.query.text("id");
    let mut own = own.into_iter().flatten();
    own.find(|play| named.is_empty() || play.to_string() == named).ok_or(PageError::NotFound)
}
