//! Servers of a key share its limits.

use std::collections::BTreeSet;

use reqwest::Method;

use super::*;

both_modes!(
    no_server_of_a_key_starves,
    calls_that_name_no_server_are_one_more,
    a_server_that_a_call_is_about_does_not_call,
);

const SERVERS: usize = 50;

async fn no_server_of_a_key_starves(deployment: &Deployment) {
    let api = deployment.api().key(&deployment.new_key("read").await);
    let path = format!("/moderation/{}/ban-status/77", deployment.guild().id);
    let servers: Vec<_> = (0..SERVERS).map(|n| api.header("x-server-id", &format!("s{n}"))).collect();
    for server in &servers {
        server.get(&path).await.ok();
    }
    // The first ones would take all that is left: they get what they would get if all called evenly.
    let (mut admitted, mut later) = (Vec::new(), BTreeSet::new());
    for server in &servers {
        let mut count = 1;
        for _ in 0..7 {
            let answer = server.get(&path).await;
            if answer.status == 200 {
                count += 1;
            } else {
                assert_eq!((answer.status, answer.number("x-ratelimit-remaining")), (429, 0));
                let reset = answer.number("x-ratelimit-reset-after");
                assert!((reset..=reset + 11).contains(&answer.number("retry-after")), "{answer}");
                later.insert(answer.number("retry-after") - reset);
            }
        }
        admitted.push(count);
    }
    assert!(admitted.iter().all(|count| (3..=8).contains(count)), "{admitted:?}");
    assert!(later.len() > 3, "they do not all come back in the same second: {later:?}");
    // Who does not name itself shares too, and comes back exactly when the window ends.
    loop {
        let answer = api.get(&path).await;
        if answer.status == 429 {
            assert_eq!(answer.number("retry-after"), answer.number("x-ratelimit-reset-after"));
            break;
        }
    }
}

async fn calls_that_name_no_server_are_one_more(deployment: &Deployment) {
    let api = deployment.api().key(&deployment.new_key("read").await);
    let path = format!("/moderation/{}/play/bans/active", deployment.guild().id);
    let server = api.header("x-server-id", "s1");
    server.get(&path).await.ok();
    let mut admitted = 0;
    let refused = loop {
        let answer = api.get(&path).await;
        if answer.status == 429 {
            break answer;
        }
        admitted += 1;
    };
    assert!((50..80).contains(&admitted), "{admitted} of 100, of which the server keeps its share");
    assert_eq!(refused.number("retry-after"), refused.number("x-ratelimit-reset-after"), "{refused}");
    server.get(&path).await.ok();
}

async fn a_server_that_a_call_is_about_does_not_call(deployment: &Deployment) {
    let dashboard = deployment.api().key(&deployment.new_key("read,moderation").await);
    let players = format!("/guilds/{}/servers/SERVER/players", deployment.guild().id);
    let kick = json!({ "type": "kick", "target_id": "5" });
    let calls = [
        (Method::POST, "/play/servers/SERVER/commands", Some(kick), 50),
        (Method::GET, &*players, None, 100),
    ];
    for (method, path, body, limit) in calls {
        let send = async |server: &str| {
            dashboard.send(method.clone(), &path.replace("SERVER", server), body.clone()).await
        };
        send("s1").await.refused(404, &["server"]);
        for call in 1..limit {
            let answer = send("s2").await;
            assert_eq!(answer.status, 404, "call {call} of {limit}: {answer}");
        }
        let refused = send("s2").await.refused(429, &[]);
        assert_eq!(refused.number("retry-after"), refused.number("x-ratelimit-reset-after"), "{refused}");
    }
}
