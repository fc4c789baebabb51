//! The event stream: who writes the place of a shard, the states in which syncs leave members, and members who are screened.

use chrono::TimeDelta;
use entities::gateway_shard::{self, Model};
use entities::synced_member::{self, States};
use entities::{follow, link, screened_member};
use serde_json::json;

use crate::fixture::{Fixture, at, both_databases, chat, guild, other_guild, play};

both_databases! {
    async fn only_the_process_that_took_a_shard_writes_its_place(fixture: &Fixture) {
        let conn = fixture.conn();
        let first = gateway_shard::take(conn, 0, 1, "a", at(1)).await.unwrap();
        assert_eq!((first.session.as_deref(), first.sequence, first.seen_at), (None, 0, at(1)));
        let place = Model { session: Some("s".to_owned()), sequence: 7, seen_at: at(2), ..first };
        assert!(gateway_shard::write(conn, place.clone()).await.unwrap());
        let taken = gateway_shard::take(conn, 0, 1, "b", at(3)).await.unwrap();
        assert_eq!(taken, Model { holder: "b".to_owned(), ..place.clone() }, "where the last one stopped");
        assert!(!gateway_shard::write(conn, Model { sequence: 8, ..place }).await.unwrap());
        // With another number of shards the session is of no use.
        let other = gateway_shard::take(conn, 0, 2, "b", at(4)).await.unwrap();
        assert_eq!((other.session, other.sequence, other.shards), (None, 7, 2));
    }

    async fn states_are_of_linked_members_and_end_with_their_link(fixture: &Fixture) {
        let conn = fixture.conn();
        fixture.link(chat(1), play(1)).await;
        let states = |end: i64| States { end: Some(end), ..States::default() };
        for end in [5, 6] {
            synced_member::note(conn, guild(), vec![(chat(1), states(end))]).await.unwrap();
        }
        synced_member::note(conn, guild(), vec![(chat(2), states(5)), (chat(1), states(6))]).await.unwrap();
        synced_member::note_due(conn, guild(), vec![(chat(2), json!({ "a": 1 }))], at(1)).await.unwrap();
        let pause = TimeDelta::seconds(60);
        assert!(!synced_member::may_repair(conn, guild(), chat(2), at(1), pause).await.unwrap(), "not linked");
        let found = synced_member::find_many(conn, guild(), &[chat(1), chat(2)]).await.unwrap();
        assert_eq!(found.iter().map(|row| row.states.clone()).collect::<Vec<_>>(), [states(6)]);
        let may = async |seconds| {
            synced_member::may_repair(conn, guild(), chat(1), at(seconds), TimeDelta::seconds(60)).await.unwrap()
        };
        assert_eq!((may(100).await, may(159).await, may(160).await, may(161).await), (true, false, true, false));
        // A repair keeps the states, and they keep its time.
        let row = synced_member::find_many(conn, guild(), &[chat(1)]).await.unwrap().remove(0);
        assert_eq!((row.states, row.repaired_at), (states(6), Some(at(160))));
        synced_member::forget(conn, guild(), &[chat(1), chat(2)]).await.unwrap();
        assert!(synced_member::find_many(conn, guild(), &[chat(1)]).await.unwrap().is_empty());
    }

    async fn a_link_that_ends_meanwhile_leaves_no_state(fixture: &Fixture) {
        fixture.link(chat(1), play(1)).await;
        let unlinking = fixture.begin().await;
        link::delete(&unlinking, guild(), &[chat(1)]).await.unwrap();
        let noting = synced_member::note(fixture.conn(), guild(), vec![(chat(1), States::default())]);
        let (noted, unlinked) = tokio::join!(noting, unlinking.commit());
        assert_eq!((noted, unlinked), (Ok(()), Ok(())));
        assert_eq!(synced_member::find(fixture.conn(), guild(), chat(1)).await.unwrap(), None);
    }

    async fn members_are_screened_until_they_pass_or_leave(fixture: &Fixture) {
        let conn = fixture.conn();
        for joined_at in [at(1), at(2)] {
            let row = screened_member::Model { guild_id: guild(), chat_id: chat(1), joined_at };
            let other = screened_member::Model { chat_id: chat(3), ..row.clone() };
            screened_member::add(conn, vec![row, other]).await.unwrap();
        }
        let among = async |guild| screened_member::among(conn, guild, &[chat(1), chat(2)]).await.unwrap();
        assert_eq!((among(guild()).await, among(other_guild()).await), (vec![chat(1)], vec![]));
        let remove = async |users: &[_]| screened_member::remove(conn, guild(), users).await.unwrap();
        assert_eq!(remove(&[chat(1), chat(2)]).await, 1);
        assert_eq!(remove(&[chat(1), chat(2)]).await, 0);
        assert_eq!(remove(&[]).await, 0);
        assert_eq!(remove(&[chat(3)]).await, 1);
    }

    async fn a_pass_is_hastened_never_delayed(fixture: &Fixture) {
        let conn = fixture.conn();
        fixture.link(chat(1), play(1)).await;
        let row = follow::lock(conn, guild(), at(50)).await.unwrap();
        let due_at = async || follow::read(conn, guild(), at(0)).await.unwrap().due_at;
        follow::hasten(conn, guild(), at(60)).await.unwrap();
        assert_eq!(due_at().await, at(50));
        follow::hasten_failed(conn, &[guild(), other_guild()], at(40)).await.unwrap();
        assert_eq!(due_at().await, at(50), "the last pass did not fail");
        follow::save(conn, follow::Model { failures: 1, ..row }).await.unwrap();
        follow::hasten_failed(conn, &[guild(), other_guild()], at(40)).await.unwrap();
        assert_eq!(due_at().await, at(40));
        follow::hasten(conn, guild(), at(30)).await.unwrap();
        assert_eq!(due_at().await, at(30));
    }
}
