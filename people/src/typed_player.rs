//! A player as people type them.

use entities::PlayId;

/// An id, also in the address of a profile such as `https://www.roblox.com/users/156/profile`, or else a name.
pub fn typed_player(typed: &str) -> Result<PlayId, &str> {
    let id = typed.split_once("/users/").map_or(typed, |(_, rest)| rest).split(['/', '?']).next();
    id.and_then(|id| id.parse().ok()).ok_or_else(|| typed.trim_start_matches('@'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_is_named_or_by_the_address_of_a_profile() {
        let id = PlayId::try_from(156).unwrap();
        for address in ["156", "https://www.roblox.com/users/156/profile", "roblox.com/users/156?x=1"] {
            assert_eq!(typed_player(address), Ok(id), "{address}");
        }
        assert_eq!(
            typed_player("https://www.roblox.com/users/x/profile"),
            Err("https://www.roblox.com/users/x/profile")
        );
        assert_eq!(typed_player("builderman"), Err("builderman"));
        assert_eq!(typed_player("@builderman"), Err("builderman"));
    }
}
