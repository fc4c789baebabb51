//! Names of the places that servers run.

use std::collections::{BTreeMap, HashMap};

use entities::{PlaceId, UniverseId, game_server, registered_game};
use platforms::Universe;

use crate::response::PageError;
use crate::visit::GuildVisit;

pub(super) struct Places {
    /// Of the guild's games.
    registered: BTreeMap<PlaceId, String>,
    /// As Roblox names them.
    games: HashMap<UniverseId, Universe>,
}

impl Places {
    /// Those of these servers.
    pub(super) async fn of(
        visit: &GuildVisit,
        places: impl IntoIterator<Item = (PlaceId, UniverseId)>,
    ) -> Result<Self, PageError> {
        let games = registered_game::list(visit.read(), visit.guild.guild_id).await?;
        let registered: BTreeMap<_, _> = games.into_iter().map(|game| (game.place_id, game.name)).collect();
        let unnamed = places.into_iter().filter(|(place, _)| !registered.contains_key(place));
        let mut unnamed: Vec<_> = unnamed.map(|(_, universe)| universe).collect();
        unnamed.sort_unstable();
        unnamed.dedup();
        let games = visit.console.names.games(visit.call_context(), &unnamed).await;
        Ok(Self { registered, games })
    }

    /// Those of all servers of the guild, and all of its games, with their names.
    pub(super) async fn all(visit: &GuildVisit) -> Result<(Self, Vec<(String, String)>), PageError> {
        let seen = game_server::places(visit.read(), visit.guild.guild_id).await?;
        let places = Self::of(visit, seen.iter().copied()).await?;
        let mut named: BTreeMap<PlaceId, String> = places.registered.clone();
        for (place, universe) in seen {
            named.entry(place).or_insert_with(|| places.name(place, universe));
        }
        Ok((places, named.into_iter().map(|(place, name)| (place.to_string(), name)).collect()))
    }

    /// Without a name the id.
    pub(super) fn name(&self, place: PlaceId, universe: UniverseId) -> String {
        match (self.registered.get(&place), self.games.get(&universe)) {
            (Some(name), _) => name.clone(),
            (None, Some(game)) if game.root_place == place => game.name.clone(),
            (None, Some(game)) => format!("{}, place {place}", game.name),
            (None, None) => place.to_string(),
        }
    }
}
