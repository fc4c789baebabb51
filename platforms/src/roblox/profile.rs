//! The public profile of one user.

use entities::{PlayId, Timestamp};
use reqwest::Method;
use serde::Deserialize;

use super::PlayPlatform;
use crate::context::CallContext;
use crate::error::{PlatformError, Result};
use crate::play::Profile;
use crate::routes::play as routes;
use crate::wire::Request;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProfileBody {
    id: PlayId,
    name: String,
    display_name: String,
    #[serde(default)]
    description: Option<String>,
    created: Timestamp,
}

impl PlayPlatform {
    /// As it is now; `None` for a user that does not exist. Needs no key.
    pub async fn profile(&self, call: CallContext, player: PlayId) -> Result<Option<Profile>> {
        let url = format!("{}/v1/users/{player}", self.hosts.users);
        let request = Request::new(Method::GET, routes::USER, url);
        match self.wire.json::<ProfileBody>(call, &request).await {
            Ok(ProfileBody { id, name, display_name, description, created }) => {
                let description = description.unwrap_or_default();
                Ok(Some(Profile { id, name, display_name, description, created_at: created }))
            }
            Err(PlatformError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_read_as_the_platform_writes_it() {
        let body = r#"{"description":"Welcome","created":"2006-02-27T21:06:40.3Z","isBanned":false,
            "externalAppDisplayName":null,"hasVerifiedBadge":true,"id":1,"name":"Roblox","displayName":"R"}"#;
        let body: ProfileBody = serde_json::from_str(body).unwrap();
        let shown = (body.id.get(), body.name.as_str(), body.description.as_deref());
        assert_eq!(shown, (1, "Roblox", Some("Welcome")));
        assert_eq!(body.created.to_rfc3339(), "2006-02-27T21:06:40.300+00:00");
        let bare = r#"{"description":null,"created":"2006-02-27T21:06:40Z","id":1,"name":"Roblox","displayName":"R"}"#;
        assert_eq!(serde_json::from_str::<ProfileBody>(bare).unwrap().description, None);
    }
}
