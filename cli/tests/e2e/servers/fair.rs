//! Servers of a key share its limits.

use std::collections::BTreeSet;

use super::*;

both_modes!(no_server_of_a_key_starves);

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
