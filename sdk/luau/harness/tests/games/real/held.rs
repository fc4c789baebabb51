//! In real time, with held ticks: what is decided arrives at once.

use std::time::Instant;

use luau_harness::{Pace, World};
use serde_json::json;
use testkit::{Deployment, Mode, Setup, run};

use super::{ban, script, world};

/// Seconds of real time.
const BAN_TO_KICK: f64 = 2.0;

#[test]
fn a_ban_arrives_within_two_seconds() {
    run(Setup::new(Mode::Embedded), a_decision_arrives_at_once);
}

#[test]
fn staff_and_link_codes_work() {
    run(Setup::new(Mode::Embedded), staff_have_sessions_and_players_link);
}

/// How long it took until it is so.
async fn took(world: &mut World, is_so: impl Fn(&World) -> bool) -> f64 {
    let began = Instant::now();
    assert!(world.run_within(20.0, is_so).await, "not within 20 s: {:?}", world.servers[0].seen());
    began.elapsed().as_secs_f64()
}

/// Until the service holds a tick of each server.
async fn held(world: &mut World) {
    let is_held = |world: &World| (0..2).all(|server| world.is_held(server, "/play/servers/tick", 0.5));
    took(world, is_held).await;
}

async fn a_decision_arrives_at_once(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild().id.clone());
    let mut world = world(deployment, Pace::Real, 2).await;
    for server in 0..2 {
        world.servers[server].run(&script(deployment, "")).unwrap();
        for user in 1..=10 {
            world.servers[server].join(1_000_000 + i64::try_from(server).unwrap() * 100 + user).unwrap();
        }
    }
    took(&mut world, |world| world.servers.iter().all(|server| server.look(|seen| seen.loaded.len() == 10)))
        .await;
    for user in [1, 2, 3] {
        held(&mut world).await;
        let began = Instant::now();
        ban(&api, &guild, 1_000_000 + user).await;
        let is_kicked = |world: &World| {
            world.servers[0].look(|seen| seen.kicked.iter().any(|(kicked, _, _)| *kicked == 1_000_000 + user))
        };
        took(&mut world, is_kicked).await;
        let kicked = began.elapsed().as_secs_f64();
        println!("ban to kick: {kicked:.3} s");
        assert!(kicked < BAN_TO_KICK, "{kicked} s");
    }
    held(&mut world).await;
    let mute =
        json!({ "identifier": "1000105", "reason": "spam", "moderator_id": "0", "duration_seconds": 600 });
    api.post(&format!("/moderation/{guild}/play/mute"), mute).await.ok();
    let muted = took(&mut world, |world| !world.servers[1].can_send(1_000_105).unwrap()).await;
    assert!(muted < BAN_TO_KICK, "{muted} s");
    let first = world.servers[0].seen();
    assert_eq!((first.kicked.len(), first.failed.len()), (3, 0), "{first:?}");
    assert!(world.servers[1].seen().kicked.is_empty());
    // Who was kicked is banned at the door of the other server too.
    world.servers[1].join(1_000_001).unwrap();
    took(&mut world, |world| world.servers[1].look(|seen| !seen.kicked.is_empty())).await;
    assert_eq!(world.servers[1].seen().loaded.len(), 10);
}

async fn staff_have_sessions_and_players_link(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let mut world = world(deployment, Pace::Real, 1).await;
    world.servers[0].run(&script(deployment, "")).unwrap();
    let (staff, player) = (&guild.members[1], &guild.members[10]);
    for user in [staff.play, player.play] {
        world.servers[0].join(user).unwrap();
    }
    let at = |user: i64| format!("game:GetService('Players'):GetPlayerByUserId({user})");
    let warn =
        format!("guildhall:record({}, 'warn', {}, {{ reason = 'spam' }})", at(staff.play), player.play);
    took(&mut world, |world| world.servers[0].eval::<bool>(&warn).unwrap()).await;
    let server = &world.servers[0];
    assert!(server.eval::<bool>(&format!("guildhall:can({}, 'kick')", at(staff.play))).unwrap());
    assert!(!server.eval::<bool>(&format!("guildhall:can({}, 'kick')", at(player.play))).unwrap());

    api.delete(&format!("/guilds/{}/links/{}", guild.id, player.chat)).await.ok();
    let attempts = format!("/guilds/{}/link-attempts", guild.id);
    let attempt = api.post(&attempts, json!({ "chat_id": player.chat })).await.ok();
    let (code, me) = (attempt["code"].as_str().unwrap(), at(player.play));
    server.run("asked, linked, wrong = false, false, false").unwrap();
    let typed = format!(
        "asked = guildhall:link({me}, '{code}')
         linked = guildhall:link({me}, '{code}', true)
         wrong = guildhall:link({me}, 'nothing')"
    );
    server.run(&typed).unwrap();
    took(&mut world, |world| world.servers[0].eval::<bool>("not not wrong").unwrap()).await;
    let server = &world.servers[0];
    assert!(server.eval::<bool>("asked.chatName ~= nil and not asked.linked").unwrap());
    let problem = server.eval::<Option<String>>("linked.problem").unwrap();
    assert!(server.eval::<bool>("linked.linked").unwrap(), "{problem:?}");
    assert!(server.eval::<bool>("not wrong.linked and wrong.problem ~= nil").unwrap());

    server.close().unwrap();
    took(&mut world, |world| world.servers[0].look(|seen| seen.closed == Some(true))).await;
    let activity = api.get(&format!("/staff/activity/{}", guild.id)).await.ok();
    let actions = activity["actions"].as_array().unwrap();
    assert!(actions.iter().any(|action| action["action_type"] == "warn"), "{activity}");
    assert_eq!(deployment.audit("sessions.end").await.len(), 1);
}
