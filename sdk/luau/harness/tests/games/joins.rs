//! Joins, kicks, mutes, Shield and staff.

use serde_json::json;

use crate::stand_in::{ban, start, world};

const HOLD: &str = r#"
local Players = game:GetService("Players")
Players.CharacterAutoLoads = false
Players.PlayerAdded:Connect(function(player)
    if guildhall:admit(player) then
        player:LoadCharacterAsync()
    end
end)
"#;

#[tokio::test]
async fn a_banned_player_is_kicked_before_the_character_loads() {
    for order in ["after", "before"] {
        let (mut world, service) = world(1);
        service.borrow_mut().entries = vec![ban(5)];
        // The game may connect before the SDK does.
        if order == "before" {
            world.servers[0].run(HOLD).unwrap();
        }
        start(&world, "");
        if order == "after" {
            world.servers[0].run(HOLD).unwrap();
        }
        for user in 1..=10 {
            world.servers[0].join(user).unwrap();
        }
        world.run_for(2.0).await;
        let seen = world.servers[0].seen();
        assert_eq!(seen.failed, Vec::<String>::new());
        assert_eq!(seen.kicked.len(), 1);
        assert!(seen.kicked[0].0 == 5 && seen.kicked[0].1.contains("spawn camping"), "{:?}", seen.kicked);
        assert_eq!(seen.loaded.len(), 9);
        // Joins within a moment share one call.
        assert_eq!(service.borrow().count("/play/players/check"), 1);
    }
}

#[tokio::test]
async fn a_later_ban_a_mute_and_its_end_arrive_with_the_tick() {
    let (mut world, service) = world(1);
    start(&world, "");
    world.servers[0].join(5).unwrap();
    world.run_for(15.0).await;
    assert!(world.servers[0].can_send(5).unwrap());
    service.borrow_mut().entries = vec![json!({ "play_id": 5, "mute": { "id": 2, "reason": "spam" } })];
    world.run_for(11.0).await;
    assert!(!world.servers[0].can_send(5).unwrap());
    service.borrow_mut().entries.clear();
    world.run_for(11.0).await;
    assert!(world.servers[0].can_send(5).unwrap());
    service.borrow_mut().entries = vec![ban(5)];
    world.run_for(11.0).await;
    assert_eq!(world.servers[0].players().unwrap(), Vec::<i64>::new());
}

#[tokio::test]
async fn shield_is_the_games_choice() {
    let flagged = json!({ "play_id": 5, "flag": { "reason": "exploiting", "source": "manual" } });
    for (options, kicked) in [
        ("", 0),
        ("shield = 'kick'", 1),
        ("shield = function(player, flag) return flag.source == 'manual' end", 1),
        ("shield = function() error('fault') end", 0),
    ] {
        let (mut world, service) = world(1);
        service.borrow_mut().entries = vec![flagged.clone()];
        start(&world, options);
        world.servers[0].join(5).unwrap();
        world.run_for(40.0).await;
        let seen = world.servers[0].seen();
        assert_eq!((seen.kicked.len(), seen.failed.len()), (kicked, 0), "{options}");
        assert_eq!(seen.warned.len(), usize::from(options.contains("error")), "{:?}", seen.warned);
    }
}

#[tokio::test]
async fn a_staff_session_lasts_from_join_to_leave() {
    let (mut world, service) = world(1);
    let staff = json!({ "chat_id": "1", "role_name": "Moderator", "permissions": ["kick"] });
    service.borrow_mut().entries = vec![json!({ "play_id": 5, "staff": staff })];
    start(&world, "");
    world.servers[0].join(5).unwrap();
    world.run_for(30.0).await;
    let player = "game:GetService('Players'):GetPlayerByUserId(5)";
    assert!(world.servers[0].eval::<bool>(&format!("guildhall:can({player}, 'kick')")).unwrap());
    assert!(!world.servers[0].eval::<bool>(&format!("guildhall:can({player}, 'ban')")).unwrap());
    assert!(world.servers[0].eval::<bool>(&format!("guildhall:record({player}, 'warn', 6)")).unwrap());
    world.servers[0].leave(5).unwrap();
    world.run_for(30.0).await;
    let service = service.borrow();
    for path in ["/staff/play/session/start", "/staff/play/session/end", "/staff/play/action"] {
        assert_eq!(service.count(path), 1, "{path}");
    }
    let ticks = service.asked("/play/servers/tick");
    assert!(ticks.iter().any(|tick| tick["sessions"] == json!(["s-1"])));
    assert_eq!(ticks.last().unwrap()["sessions"], json!([]));
}

#[tokio::test]
async fn who_is_banned_by_the_game_cannot_return_while_the_service_is_away() {
    let (mut world, service) = world(1);
    start(&world, "");
    world.servers[0].join(5).unwrap();
    world.run_for(15.0).await;
    world.network().set_away(true);
    let player = "game:GetService('Players'):GetPlayerByUserId(5)";
    assert!(
        world.servers[0].eval::<bool>(&format!("guildhall:ban({player}, {{ reason = 'cheats' }})")).unwrap()
    );
    world.run_for(60.0).await;
    world.servers[0].join(5).unwrap();
    assert_eq!(world.servers[0].seen().kicked.len(), 2);
    world.network().set_away(false);
    world.run_for(60.0).await;
    let bans = service.borrow().asked("/moderation/100/play/ban");
    assert_eq!(bans.len(), 1);
    assert_eq!((&bans[0]["identifier"], &bans[0]["moderator_id"]), (&json!("5"), &json!("0")));
}
