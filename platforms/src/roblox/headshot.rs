//! Where the picture of a player's head is.

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

impl PlayPlatform {
    /// The address of the picture; `None` without one, or on a host that is not the platform's.
    pub(crate) async fn headshot(&self, call: CallContext, player: PlayId) -> Result<Option<String>> {
        let url = format!("{}/v1/users/avatar-headshot", self.hosts.thumbnails);
        let request = Request::new(Method::GET, routes::HEADSHOTS, url)
            .query("userIds", player.to_string())
            .query("size", "150x150")
            .query("format", "Png");
        let body: HeadshotsBody = self.wire.json(call, &request).await?;
        Ok(body.url_of(player).filter(|url| is_of_platform(url, &self.hosts.thumbnails)))
    }
}

impl HeadshotsBody {
    fn url_of(self, player: PlayId) -> Option<String> {
        let found = self.data.into_iter().find(|one| one.target_id == player && one.state == COMPLETED);
        found?.image_url
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
            body.url_of(PlayId::try_from(1).unwrap())
        };
        let body =
            r#"{"data":[{"targetId":1,"state":"Completed","imageUrl":"https://a/b","version":"TN3"}]}"#;
        assert_eq!(url(body).as_deref(), Some("https://a/b"));
        assert_eq!(url(r#"{"data":[{"targetId":1,"state":"Pending","imageUrl":""}]}"#), None);
        assert_eq!(url(r#"{"data":[{"targetId":2,"state":"Completed","imageUrl":"https://a/b"}]}"#), None);
        assert_eq!(url(r#"{"data":[]}"#), None);
    }
}
