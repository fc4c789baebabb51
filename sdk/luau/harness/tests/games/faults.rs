//! The service is away, slow to admit, or refuses; answers get lost; the server ends.

use serde_json::json;

use crate::stand_in::{start, world};

const COUNT: &str = "runs = 0";

fn command(number: usize) -> serde_json::Value {
    json!({ "id": format!("c-{number}"), "type": "count", "target_id": "5", "reason": "", "issued_at": "" })
}

#[tokio::test]
async fn joins_fail_open_or_closed_in_time() {
    for (options, kicked) in [("", 0), ("failClosed = true", 1)] {
        let (mut world, _) = world(1);
        world.network().set_away(true);
        start(&world, options);
        world.run_for(60.0).await;
        world.servers[0].join(5).unwrap();
        world.servers[0]
            .run(
                "admitted = nil; admitted = guildhall:admit(game:GetService('Players'):GetPlayerByUserId(5))",
            )
            .unwrap();
        world.run_for(5.1).await;
        assert_eq!(world.servers[0].seen().kicked.len(), kicked, "{options}");
        assert_eq!(world.servers[0].eval::<bool>("admitted").unwrap(), kicked == 0);
    }
}

#[tokio::test]
async fn a_command_is_run_once_however_often_it_is_repeated() {
    let (mut world, service) = world(1);
    world.servers[0].run(COUNT).unwrap();
    start(&world, "commands = { count = function() runs += 1; task.wait(25); return 'done' end }");
    service.borrow_mut().commands = vec![command(1), command(2)];
    world.run_for(20.0).await;
    // The answers that take the results get lost.
    world.network().lose_answers(2);
    world.run_for(120.0).await;
    assert_eq!(world.servers[0].eval::<i64>("runs").unwrap(), 2);
    assert!(service.borrow().commands.is_empty());
    let ticks = service.borrow().asked("/play/servers/tick");
    let sent = ticks.iter().flat_map(|tick| tick["results"].as_array().unwrap().clone()).collect::<Vec<_>>();
    assert!(sent.iter().all(|result| result["status"] == "ok" && result["message"] == "done"), "{sent:?}");
}

#[tokio::test]
async fn a_handler_that_fails_or_lacks_is_said() {
    let (mut world, service) = world(1);
    start(&world, "commands = { count = function() error('no such map') end }");
    let unknown = json!({ "id": "c-9", "type": "dance", "target_id": "5", "reason": "", "issued_at": "" });
    service.borrow_mut().commands = vec![command(1), unknown];
    world.run_for(30.0).await;
    let ticks = service.borrow().asked("/play/servers/tick");
    let results: Vec<_> = ticks.iter().flat_map(|tick| tick["results"].as_array().unwrap().clone()).collect();
    assert_eq!(results.len(), 2);
    assert!(results.iter().all(|result| result["status"] == "error"));
    assert!(results.iter().any(|result| result["message"].as_str().unwrap().contains("no such map")));
    assert!(
        results.iter().any(|result| result["message"].as_str().unwrap().contains("no handler for `dance`"))
    );
}

#[tokio::test]
async fn a_notice_is_shown_to_one_player_or_all() {
    let (mut world, service) = world(1);
    start(&world, "");
    for user in [5, 6] {
        world.servers[0].join(user).unwrap();
    }
    let message = |id: &str, target: &str| json!({ "id": id, "type": "message", "target_id": target, "reason": "Restart soon", "issued_at": "" });
    service.borrow_mut().commands = vec![message("a", "5"), message("b", "all"), message("c", "7")];
    world.run_for(40.0).await;
    assert_eq!(world.servers[0].seen().failed, Vec::<String>::new());
    let ticks = service.borrow().asked("/play/servers/tick");
    let mut results: Vec<_> =
        ticks.iter().flat_map(|tick| tick["results"].as_array().unwrap().clone()).collect();
    results.sort_by_key(|result| result["command_id"].to_string());
    assert_eq!(results[0], json!({ "command_id": "a", "status": "ok" }));
    assert_eq!(results[1], json!({ "command_id": "b", "status": "ok" }));
    assert_eq!(results[2]["message"], "the player is not here");
}

#[tokio::test]
async fn a_refused_server_asks_seldom_and_says_it_once() {
    let (mut world, service) = world(1);
    service.borrow_mut().refusal = Some((401, None));
    start(&world, "");
    world.run_for(600.0).await;
    let asked = service.borrow().asked.len();
    assert!((8..=14).contains(&asked), "{asked}");
    assert_eq!(world.servers[0].seen().warned.len(), 1);
}

#[tokio::test]
async fn an_answer_of_somebody_else_does_not_end_the_ticks() {
    let (mut world, service) = world(1);
    start(&world, "");
    world.run_for(15.0).await;
    world.network().rewrite(|_, data| *data = json!("proxy"));
    world.servers[0].join(5).unwrap();
    world.run_for(70.0).await;
    world.network().rewrite(|_, _| ());
    service.borrow_mut().entries = vec![crate::stand_in::ban(5)];
    world.run_for(70.0).await;
    assert_eq!(world.servers[0].seen().kicked.len(), 1);
}

#[tokio::test]
async fn retry_after_is_kept() {
    let (mut world, service) = world(1);
    service.borrow_mut().refusal = Some((429, Some(40)));
    start(&world, "");
    world.run_for(79.0).await;
    assert_eq!(service.borrow().count("/play/servers/tick"), 2);
}

#[tokio::test]
async fn a_service_that_is_away_is_asked_now_and_then() {
    let (mut world, _) = world(1);
    world.network().set_away(true);
    start(&world, "");
    for user in 0..30 {
        world.servers[0].join(100 + user).unwrap();
        world.run_for(20.0).await;
    }
    let sent = world.take_sent().len();
    assert!((20..=60).contains(&sent), "{sent} calls in ten minutes");
    assert_eq!(world.servers[0].players().unwrap().len(), 30);
    world.network().set_away(false);
    world.run_for(31.0).await;
    assert!(world.take_sent().iter().any(|sent| sent.status == 200));
}

#[tokio::test]
async fn the_first_tick_after_an_outage_is_not_held() {
    let (mut world, service) = world(1);
    start(&world, "");
    world.run_for(15.0).await;
    world.network().set_away(true);
    world.run_for(120.0).await;
    let before = service.borrow().count("/play/servers/tick");
    world.network().set_away(false);
    world.run_for(60.0).await;
    // While it lasts, the circuit breaker lets no check through.
    let ticks = service.borrow().asked("/play/servers/tick");
    assert_eq!((&ticks[before]["wait_seconds"], &ticks[before + 1]["wait_seconds"]), (&json!(0), &json!(20)));
}

#[tokio::test]
async fn a_lost_answer_repeats_the_key_of_the_ban() {
    let (mut world, service) = world(1);
    start(&world, "");
    world.run_for(5.0).await;
    world.network().lose_answers(1);
    world.servers[0].run("guildhall:ban(9, { reason = 'x', seconds = 60, onlyHere = true })").unwrap();
    world.run_for(20.0).await;
    let bans = service.borrow().asked("/moderation/100/play/ban");
    assert_eq!(bans.len(), 2);
    assert_eq!(bans[0], bans[1]);
    assert_eq!(bans[0]["place_id"], 77);
}

#[tokio::test]
async fn the_queue_is_bounded() {
    let (mut world, _) = world(1);
    world.network().set_away(true);
    start(&world, "");
    world.run_for(60.0).await;
    world.servers[0]
        .run("kept = 0; for user = 1, 600 do if guildhall:ban(user, { reason = 'x' }) then kept += 1 end end")
        .unwrap();
    assert_eq!(world.servers[0].eval::<i64>("kept").unwrap(), 500);
    world.servers[0].close().unwrap();
    world.run_for(31.0).await;
    assert_eq!(world.servers[0].seen().closed, Some(true));
    assert!(world.servers[0].seen().warned.iter().any(|text| text.contains("500 writes did not reach")));
}

#[tokio::test]
async fn a_server_that_ends_sends_what_waits_and_says_goodbye() {
    let (mut world, service) = world(1);
    start(&world, "");
    world.servers[0].join(5).unwrap();
    world.run_for(15.0).await;
    world.servers[0]
        .run("guildhall:ban(9, { reason = 'x' }); guildhall:mute(8, { reason = 'y', seconds = 60 })")
        .unwrap();
    world.servers[0].close().unwrap();
    world.run_for(5.0).await;
    assert_eq!(world.servers[0].seen().closed, Some(true));
    let service = service.borrow();
    assert_eq!(service.count("/moderation/100/play/ban") + service.count("/moderation/100/play/mute"), 2);
    assert_eq!(service.asked("/play/servers/tick").last().unwrap()["closing"], true);
}
