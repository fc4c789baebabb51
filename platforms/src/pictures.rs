//! Pictures of accounts and guilds. The service fetches them, so that browsers ask no other host and no visitor chooses
//! an address.
//!
//! Only images count, up to a size, and their type is that of their bytes. Found pictures are cached, and that there is
//! none.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use entities::{ChatId, GuildId, PlayId};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use runtime::TimedCache;
use tracing::Instrument;

use crate::context::CallContext;
use crate::discord::ChatPlatform;
use crate::error::{PlatformError, Result};
use crate::exchange::{Http, Response};
use crate::roblox::{HEADSHOTS_PER_CALL, Headshot, PlayPlatform};
use crate::routes;

/// Of one picture; those of 128 to 150 pixels have some 30 KiB.
const LARGEST: usize = 256 << 10;
/// Of all cached pictures, bytes.
const CACHE_BYTES: u64 = 32 << 20;
/// So many are in them.
const PICTURES: usize = 1_000;
/// What an entry needs beside its picture.
const ENTRY_BYTES: u64 = 256;
const CACHED_FOR: Duration = Duration::from_hours(1);
/// Addresses of small pictures.
const FACES: usize = 50_000;
const FACES_FOR: Duration = Duration::from_secs(5 * 60);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    pub content_type: &'static str,
    pub bytes: Bytes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PictureOf {
    /// A member of the guild of the call.
    Member(ChatId),
    Guild(GuildId),
    Player(PlayId),
    /// The same, small: for lists.
    Face(PlayId),
}

pub struct Pictures {
    chat: Arc<ChatPlatform>,
    chat_http: Http,
    /// The host of the chat platform's files.
    chat_files: String,
    play: Arc<PlayPlatform>,
    play_http: Http,
    cache: TimedCache<PictureOf, Option<Picture>>,
    /// Where the small ones are, of players that were asked for together.
    faces: TimedCache<PlayId, Addresses>,
}

/// Of many players, from one call.
type Addresses = Shared<BoxFuture<'static, Arc<HashMap<PlayId, String>>>>;

impl Pictures {
    pub(crate) fn new(
        (chat, chat_http, chat_files): (Arc<ChatPlatform>, Http, String),
        (play, play_http): (Arc<PlayPlatform>, Http),
    ) -> Self {
        let cache = TimedCache::weighed(PICTURES, CACHE_BYTES, CACHED_FOR, |picture: &Option<Picture>| {
            picture.as_ref().map_or(0, |picture| picture.bytes.len() as u64) + ENTRY_BYTES
        });
        let faces = TimedCache::new(FACES, FACES_FOR);
        Self { chat, chat_http, chat_files, play, play_http, cache, faces }
    }

    /// Asks where the small pictures of these players are, in one call: a page that shows them is about to be drawn.
    pub fn prepare(&self, call: CallContext, players: impl IntoIterator<Item = PlayId>) {
        let new =
            |player: &PlayId| !self.faces.contains(player) && !self.cache.contains(&PictureOf::Face(*player));
        let players: Vec<_> = players.into_iter().filter(new).take(HEADSHOTS_PER_CALL).collect();
        if !players.is_empty() {
            tokio::spawn(self.ask(call, players).in_current_span());
        }
    }

    fn ask(&self, call: CallContext, players: Vec<PlayId>) -> Addresses {
        let (play, asked) = (self.play.clone(), players.clone());
        let asking = async move {
            let found = play.headshots(call, &asked, Headshot::Small).await;
            Arc::new(found.unwrap_or_else(|error| {
                tracing::debug!(%error, "pictures cannot be read");
                HashMap::new()
            }))
        };
        let asking = asking.boxed().shared();
        for player in players {
            self.faces.insert(player, asking.clone());
        }
        asking
    }

    async fn face(&self, call: CallContext, player: PlayId) -> Option<String> {
        let asking = self.faces.get(&player).unwrap_or_else(|| self.ask(call, vec![player]));
        asking.await.get(&player).cloned()
    }

    /// `None`: there is no picture, or what the platform sends is none.
    pub async fn find(&self, call: CallContext, of: PictureOf) -> Result<Option<Picture>> {
        self.cache.get_or_load(&of, self.read(call, of)).await
    }

    /// Where a person's picture is, for the platform's own clients. `hash` names it.
    pub fn avatar_address(&self, user: ChatId, hash: &str) -> Option<String> {
        self.file("avatars", user, hash)
    }

    /// The same of a player.
    pub async fn player_address(&self, call: CallContext, player: PlayId) -> Result<Option<String>> {
        self.play.headshot(call, player).await
    }

    async fn read(&self, call: CallContext, of: PictureOf) -> Result<Option<Picture>> {
        let (http, route, url) = match of {
            PictureOf::Member(user) => {
                let name = self.chat.avatar(call, user).await?;
                let url = name.and_then(|name| self.avatar_address(user, &name));
                (&self.chat_http, routes::chat::AVATAR, url)
            }
            PictureOf::Guild(guild) => {
                let name = self.chat.icon(CallContext { guild, ..call }).await?;
                (&self.chat_http, routes::chat::ICON, name.and_then(|name| self.file("icons", guild, &name)))
            }
            PictureOf::Player(player) => {
                (&self.play_http, routes::play::PICTURE, self.play.headshot(call, player).await?)
            }
            PictureOf::Face(player) => {
                (&self.play_http, routes::play::PICTURE, self.face(call, player).await)
            }
        };
        let Some(url) = url else { return Ok(None) };
        let answer = http.send_capped(route, http.request(Method::GET, &url), LARGEST).await?;
        match answer.status {
            200 => Ok(checked(answer)),
            404 => Ok(None),
            status => Err(PlatformError::unavailable(route, format!("a picture is answered with {status}"))),
        }
    }

    /// The address of a file of the chat platform, whose name is a hash.
    fn file(&self, folder: &str, owner: impl std::fmt::Display, name: &str) -> Option<String> {
        let is_hash = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        is_hash.then(|| format!("{}/{folder}/{owner}/{name}.png?size=128", self.chat_files))
    }
}

/// The picture, if the bytes are what the platform says that they are.
fn checked(answer: Response) -> Option<Picture> {
    let content_type = image_type(&answer.body)?;
    let named = answer.headers.get(CONTENT_TYPE)?.to_str().ok()?.split(';').next()?.trim();
    named.eq_ignore_ascii_case(content_type).then_some(Picture { content_type, bytes: answer.body })
}

/// By the first bytes of a file.
fn image_type(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if bytes.starts_with(b"\xff\xd8\xff") {
        Some("image/jpeg")
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some("image/webp")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderMap, HeaderValue};

    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n....";

    #[test]
    fn only_images_are_taken_by_their_bytes() {
        let found = |named: &'static str, body: &'static [u8]| {
            let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(named))]);
            let answer = Response { status: 200, headers, body: Bytes::from_static(body) };
            checked(answer).map(|picture| picture.content_type)
        };
        assert_eq!(found("image/png", PNG), Some("image/png"));
        assert_eq!(found("image/JPEG; q=1", b"\xff\xd8\xff\xe0"), Some("image/jpeg"));
        assert_eq!(found("image/webp", b"RIFF\x10\0\0\0WEBPVP8 "), Some("image/webp"));
        for (named, body) in [
            ("text/html", PNG),
            ("image/webp", PNG),
            ("image/png", b"<html>"),
            ("image/svg+xml", b"<svg xmlns='x'/>"),
            ("image/gif", b"GIF89a"),
            ("image/png", b""),
        ] {
            assert_eq!(found(named, body), None, "{named}");
        }
    }
}
