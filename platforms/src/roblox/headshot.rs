//! Where the pictures of players' heads are.

use std::collections::HashMap;

use entities::PlayId;
use reqwest::{Method, Url};
use serde::Deserialize;

use super::PlayPlatform;
use crate::context::CallContext;
use crate::error::Result;
use crate::routes::play as routes;
use crate::wire::Request;

/// The host of pictures is one below it.
const FILES: &str = ".rbxcdn.com";
const COMPLETED: &str = "Completed";

#[derive(Deserialize)]
struct HeadshotsBody {
    data: Vec<HeadshotBody>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HeadshotBody {
    target_id: PlayId,
    /// Others than [`COMPLETED`] are being made, or blocked.
    state: String,
    #[serde(default)]
    image_url: Option<String>,
}

/// Players of one call.
pub(crate) const HEADSHOTS_PER_CALL: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Headshot {
    Large,
    Small,
}

impl Headshot {
    /// Size and format: of the small ones a page has many.
    fn as_asked(self) -> [&'static str; 2] {
        match self {
            Self::Large => ["150x150", "Png"],
            Self::Small => ["60x60", "Webp"],
        }
    }
}

impl PlayPlatform {
    /// The address of the picture; `None` without one, or on a host that is not the platform's.
    pub(crate) async fn headshot(&self, call: CallContext, player: PlayId) -> Result<Option<String>> {
        Ok(self.headshots(call, &[player], Headshot::Large).await?.remove(&player))
    }

    /// The addresses of those who have one.
    pub(crate) async fn headshots(
        &self,
        call: CallContext,
        players: &[PlayId],
        headshot: Headshot,
    ) -> Result<HashMap<PlayId, String>> {
        let url = format!("{}/v1/users/avatar-headshot", self.hosts.thumbnails);
        let ids: Vec<_> = players.iter().map(ToString::to_string).collect();
        let [size, format] = headshot.as_asked();
        let request = Request::new(Method::GET, routes::HEADSHOTS, url)
            .query("userIds", ids.join(","))
            .query("size", size)
            .query("format", format);
        let body: HeadshotsBody = self.wire.json(call, &request).await?;
        let mut found = body.found(players);
        found.retain(|_, url| is_of_platform(url, &self.hosts.thumbnails));
        Ok(found)
    }
}

impl HeadshotsBody {
    /// The finished ones of these players.
    fn found(self, players: &[PlayId]) -> HashMap<PlayId, String> {
        let data = self.data.into_iter();
        let finished = data.filter(|one| one.state == COMPLETED && players.contains(&one.target_id));
        finished.filter_map(|one| Some((one.target_id, one.image_url?))).collect()
    }
}

/// Pictures are on hosts of their own; those of a simulator are on the host of its API.
fn is_of_platform(picture: &str, api: &str) -> bool {
    let (Ok(picture), Ok(api)) = (Url::parse(picture), Url::parse(api)) else { return false };
    let is_file = picture.scheme() == "https"
        && picture.port().is_none()
        && picture.host_str().is_some_and(|host| host.ends_with(FILES));
    let is_plain = picture.username().is_empty() && picture.password().is_none();
    is_plain && (is_file || picture.origin() == api.origin())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_taken_from_the_platforms_hosts_only() {
        let api = "https://thumbnails.roblox.com";
        let simulator = "http://127.0.0.1:9000";
        assert!(is_of_platform("https://tr.rbxcdn.com/30DAY-AvatarHeadshot-1/150/150/Png", api));
        assert!(is_of_platform("http://127.0.0.1:9000/headshots/1.png", simulator));
        for other in [
            "http://tr.rbxcdn.com/x",
            "https://tr.rbxcdn.com:8443/x",
            "https://rbxcdn.com.evil.example/x",
            "https://evilrbxcdn.com/x",
            "https://user@tr.rbxcdn.com/x",
            "https://127.0.0.1/x",
            "http://127.0.0.1:9001/x",
            "file:///etc/passwd",
            "//tr.rbxcdn.com/x",
            "",
        ] {
            assert!(!is_of_platform(other, api) && !is_of_platform(other, simulator), "{other}");
        }
    }

    #[test]
    fn only_the_finished_picture_of_the_player_counts() {
        let url = |body: &str| {
            let body: HeadshotsBody = serde_json::from_str(body).unwrap();
            let player = PlayId::try_from(1).unwrap();
            body.found(&[player]).remove(&player)
        };
        let body =
            r#"{"data":[{"targetId":1,"state":"Completed","imageUrl":"https://a/b","version":"TN3"}]}"#;
        assert_eq!(url(body).as_deref(), Some("https://a/b"));
        assert_eq!(url(r#"{"data":[{"targetId":1,"state":"Pending","imageUrl":""}]}"#), None);
        assert_eq!(url(r#"{"data":[{"targetId":2,"state":"Completed","imageUrl":"https://a/b"}]}"#), None);
        assert_eq!(url(r#"{"data":[]}"#), None);
    }
}
