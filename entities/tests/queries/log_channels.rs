//! Log channels: which are behind the log, and how far each is.

use entities::audit_entry::{Actor, NewEntry};
use entities::log_channel::{self, Model, State};
use entities::news::News;
use entities::{ChannelId, audit_chain};
use serde_json::{Value, json};

use crate::fixture::{Fixture, at, both_databases, guild, other_guild};

fn channel() -> ChannelId {
    ChannelId::try_from(77).unwrap()
}

async fn put(fixture: &Fixture, on: bool, seconds: i64) -> Model {
    let news = [News::Moderation, News::Failures];
    log_channel::put(fixture.conn(), (guild(), channel()), &news, on, at(seconds)).await.unwrap()
}

async fn note(fixture: &Fixture, action: &'static str) {
    note_with(fixture, action, json!({})).await;
}

async fn note_with(fixture: &Fixture, action: &'static str, metadata: Value) {
    let transaction = fixture.begin().await;
    let entry = NewEntry { guild: guild(), action, target: "5".to_owned(), metadata };
    audit_chain::write(&transaction, &Actor::service(), entry, at(1)).await.unwrap();
    transaction.commit().await.unwrap();
}

both_databases! {
    async fn a_channel_is_behind_when_the_log_has_grown(fixture: &Fixture) {
        let conn = fixture.conn();
        note(fixture, "moderation.ban").await;
        let row = put(fixture, true, 5).await;
        assert_eq!(row.news().collect::<Vec<_>>(), [News::Moderation, News::Failures]);
        let behind = async |seconds| log_channel::behind(conn, at(seconds)).await.unwrap();
        assert_eq!(behind(9).await, [], "what was before is not posted");
        note(fixture, "moderation.unban").await;
        assert_eq!((behind(4).await, behind(5).await), (vec![], vec![(guild(), channel())]));
        put(fixture, false, 6).await;
        assert_eq!(behind(9).await, [], "it is off");
        let row = put(fixture, true, 7).await;
        assert_eq!((behind(9).await, row.state), (vec![], State::On), "it starts anew");
        assert!(log_channel::find(conn, other_guild(), channel()).await.unwrap().is_none());
        assert_eq!(log_channel::list(conn, other_guild()).await.unwrap(), []);
    }

    async fn a_channel_with_an_open_job_is_not_behind(fixture: &Fixture) {
        put(fixture, true, 5).await;
        note(fixture, "moderation.ban").await;
        let uuid = if fixture.database.is_postgres() { "gen_random_uuid()" } else { "randomblob(16)" };
        fixture
            .execute(&format!(
                "INSERT INTO job (job_id, guild_id, kind, class, args, max_attempts, run_at, created_at, dedupe_key, state) \
                 VALUES ({uuid}, {}, 'post_news', 'delivery', '{{}}', 1, '2026-01-01T00:00:00+00:00', \
                 '2026-01-01T00:00:00+00:00', '77', 'queued')",
                guild()
            ))
            .await;
        assert_eq!(log_channel::behind(fixture.conn(), at(9)).await.unwrap(), []);
        fixture.execute("UPDATE job SET state = 'succeeded', finished_at = created_at").await;
        assert_eq!(log_channel::behind(fixture.conn(), at(9)).await.unwrap().len(), 1);
    }

    async fn what_was_posted_moves_a_channel_forward_only(fixture: &Fixture) {
        let (conn, row) = (fixture.conn(), put(fixture, true, 5).await);
        note(fixture, "moderation.ban").await;
        let entries = audit_chain::log::after(conn, guild(), row.entry_id, 9).await.unwrap();
        let place = (entries[0].position.unwrap(), entries[0].audit_id);
        log_channel::passed(conn, &row, place, Some(at(30))).await.unwrap();
        log_channel::passed(conn, &row, place, Some(at(99))).await.unwrap();
        let moved = log_channel::find(conn, guild(), channel()).await.unwrap().unwrap();
        assert_eq!((moved.position, moved.post_at), (place.0, at(30)));
        assert_eq!(log_channel::behind(conn, at(99)).await.unwrap(), []);
        assert!(log_channel::refuse(conn, &moved).await.unwrap());
        assert!(!log_channel::refuse(conn, &moved).await.unwrap(), "it is off");
        // A change of what is posted there keeps its place, a switch does not.
        let refused = log_channel::find(conn, guild(), channel()).await.unwrap().unwrap();
        assert_eq!(refused.state, State::Refused);
        assert_eq!(put(fixture, true, 40).await.state, State::On);
    }
    async fn a_bulk_job_that_did_not_succeed_is_a_failure(fixture: &Fixture) {
        for state in ["succeeded", "failed", "dead", "cancelled"] {
            note_with(fixture, "job.finished", json!({ "state": state })).await;
        }
        let entries = audit_chain::log::after(fixture.conn(), guild(), 0, 9).await.unwrap();
        let news: Vec<_> = entries.iter().filter_map(News::of).collect();
        assert_eq!(news, [News::Sync, News::Failures, News::Failures, News::Sync]);
    }
}
