//! Webhooks: which delivery finds out whether a receiver works again.

use entities::webhook::{self, NewWebhook};

use crate::fixture::{Fixture, at, both_databases, guild};

both_databases! {
    async fn one_delivery_at_a_time_finds_out_whether_a_receiver_works(fixture: &Fixture) {
        let conn = fixture.conn();
        let (url, events, secret) = ("https://example.org".to_owned(), "*".to_owned(), webhook::new_secret());
        let new = webhook::add(conn, guild(), NewWebhook { url, events, secret }, at(0)).await.unwrap();
        webhook::note(conn, &new, Some(at(5))).await.unwrap();
        let failing = webhook::find(conn, guild(), new.webhook_id).await.unwrap().unwrap();
        assert_eq!((failing.failures, failing.paused_until), (1, Some(at(5))));
        let probe = async |now: i64| webhook::probe(conn, &failing, at(now), at(now + 20)).await.unwrap();
        assert!(!probe(4).await, "it is left alone");
        assert!(probe(5).await);
        assert!(!probe(24).await, "another one has the turn");
        assert!(probe(25).await, "which was cut");
        webhook::note(conn, &failing, None).await.unwrap();
        assert!(!probe(50).await, "it works again");
    }
}
