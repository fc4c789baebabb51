//! No server reaches the platform's limit of requests, whatever happens.

use crate::stand_in::{start, world};

#[tokio::test]
async fn a_storm_of_joins_and_bans_stays_within_the_budget() {
    let (mut world, service) = world(1);
    start(&world, "");
    world.servers[0].run("task.spawn(function() while true do guildhall:ban(1_000 + math.random(1e6), { reason = 'x' }); task.wait() end end)").unwrap();
    for user in 0..300 {
        world.servers[0].join(10_000 + user).unwrap();
        world.run_for(0.5).await;
    }
    let sent = world.take_sent();
    for (at, first) in sent.iter().enumerate() {
        let within = sent[at..].iter().take_while(|later| later.at < first.at + 60.0).count();
        assert!(within <= 121, "{within} calls in a minute");
    }
    assert!(sent.len() > 150 && service.borrow().count("/play/servers/tick") > 5);
    assert_eq!(world.servers[0].seen().over_budget, 0);
}
