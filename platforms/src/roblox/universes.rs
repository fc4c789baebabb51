//! Games by their universes, as their pages name them.

use std::collections::HashMap;

use entities::{PlaceId, UniverseId};
use reqwest::Method;
use serde::Deserialize;

use super::PlayPlatform;
use crate::context::CallContext;
use crate::error::Result;
use crate::routes::play as routes;
use crate::wire::Request;

/// Maximum ids per `GET /v1/games`.
const UNIVERSES_PER_CALL: usize = 50;

/// A game of the platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Universe {
    pub name: String,
    /// The place where players start.
    pub root_place: PlaceId,
}

#[derive(Deserialize)]
struct UniversesBody {
    data: Vec<UniverseBody>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UniverseBody {
    id: UniverseId,
    root_place_id: PlaceId,
    name: String,
}

impl PlayPlatform {
    /// Needs no key. Any number, asked for in batches; unknown ones are absent.
    pub async fn universes(
        &self,
        call: CallContext,
        universes: &[UniverseId],
    ) -> Result<HashMap<UniverseId, Universe>> {
        let url = format!("{}/v1/games", self.hosts.games);
        let mut all = HashMap::new();
        for batch in universes.chunks(UNIVERSES_PER_CALL) {
            let ids: Vec<_> = batch.iter().map(ToString::to_string).collect();
            let request =
                Request::new(Method::GET, routes::UNIVERSES, url.clone()).query("universeIds", ids.join(","));
            let body: UniversesBody = self.wire.json(call, &request).await?;
            all.extend(body.data.into_iter().map(UniverseBody::read));
        }
        Ok(all)
    }
}

impl UniverseBody {
    fn read(self) -> (UniverseId, Universe) {
        let Self { id, root_place_id: root_place, name } = self;
        (id, Universe { name: name.trim().to_owned(), root_place })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_read_as_the_platform_writes_it() {
        let body = r#"{"data":[{"id":13058,"rootPlaceId":1818,"name":"Classic: Crossroads ","description":null,
            "creator":{"id":1,"name":"Roblox","type":"User"},"price":null,"playing":7}]}"#;
        let body: UniversesBody = serde_json::from_str(body).unwrap();
        let (id, universe) = body.data.into_iter().map(UniverseBody::read).next().unwrap();
        assert_eq!((id.get(), universe.root_place.get()), (13058, 1818));
        assert_eq!(universe.name, "Classic: Crossroads");
    }
}
