use rand::SeedableRng as _;

use super::*;
use crate::life::Life;

/// A guild of 40, of whom 30 are linked and in the group, with a role without a binding.
fn community() -> SimulatorState {
    let members = (10..50).map(|n| serde_json::json!({ "chat_id": n.to_string(), "roles": ["1"] }));
    let links = (10..40).map(|n| serde_json::json!({ "chat_id": n.to_string(), "play_id": n }));
    let ranked = (10..40).map(|n| serde_json::json!({ "play_id": n, "rank": 1 + n % 3 }));
    let role = |id: i64| serde_json::json!({ "id": id.to_string(), "name": "r", "position": id });
    let rank = |rank: i64| serde_json::json!({ "id": rank, "name": "r", "rank": rank });
    let file = serde_json::json!({
        "guilds": [{ "guild_id": "7", "links": links.collect::<Vec<_>>(),
                     "bindings": [{ "group_id": 5, "role_id": "1" }] }],
        "chat": { "guilds": [{ "guild_id": "7", "bot_role_id": "8", "members": members.collect::<Vec<_>>(),
                               "roles": [role(1), role(2), role(8), role(9)] }] },
        "play": { "groups": [{ "group_id": 5, "roles": [rank(1), rank(2), rank(3), rank(255)],
                               "members": ranked.collect::<Vec<_>>() }], "users": [] },
    });
    SimulatorState::parse(file.to_string().as_bytes(), "a community").unwrap()
}

fn life_of(state: &mut SimulatorState, steps: usize) -> Vec<LifeChange> {
    let mut life = Life::new(0);
    life.spared.insert("11".parse().unwrap());
    (0..steps).map(|_| life.step(state).unwrap()).collect()
}

#[test]
fn a_community_lives_on_and_the_same_again_from_the_same_seed() {
    let (mut one, mut other) = (community(), community());
    let (changes, same) = (life_of(&mut one, 2_000), life_of(&mut other, 2_000));
    let text = |changes: &[LifeChange]| serde_json::to_string(changes).unwrap();
    assert_eq!(text(&changes), text(&same));
    for (kind, share) in SHARES {
        let (count, expected) =
            (changes.iter().filter(|change| change.kind == kind).count(), share as usize * 20);
        assert!((expected / 2..expected * 2).contains(&count), "{count} times {kind:?}, not {expected}");
    }
    let (_, members, ranked) = one.size();
    assert!((26..80).contains(&members) && (26..31).contains(&ranked), "{members} {ranked}");
    let [owner, spared] = ["10", "11"].map(|user| user.parse::<ChatId>().unwrap());
    let untouched = |change: &LifeChange| {
        let user = change.change.chat_id;
        user != Some(owner) && user != Some(spared) && change.change.play_id.is_none_or(|id| id.get() > 11)
    };
    assert!(changes.iter().all(untouched), "the owner and whoever is spared are left alone");
}

#[test]
fn changes_come_at_the_pace_that_is_set() {
    let mut random = StdRng::seed_from_u64(1);
    let waits = (0..10_000).map(|_| wait(360, &mut random));
    let mean = waits.sum::<Duration>() / 10_000;
    assert!((9_500..10_500).contains(&mean.as_millis()), "{mean:?}");
}

#[test]
fn nothing_happens_where_nobody_is() {
    let mut random = StdRng::seed_from_u64(1);
    assert!(change(&SimulatorState::default(), &BTreeSet::new(), &mut random).is_none());
}
