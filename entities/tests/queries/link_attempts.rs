//! Attempts to link: one of each chat user at a time, ended by others, and deleted a month after they expired.

use entities::account::Way;
use entities::link_attempt::{self, LIFETIME, Model, NewAttempt, Outcome, State};
use entities::{AttemptId, GuildId};

use crate::fixture::{Fixture, at, both_databases, chat, guild, other_guild, play};

const MONTH: i64 = 30 * 86_400;

async fn begin(fixture: &Fixture, guild: GuildId, user: i64, second: i64) -> Model {
    let new = NewAttempt {
        id: AttemptId(uuid::Uuid::now_v7()),
        guild,
        chat: chat(user),
        chat_name: format!("user{user}"),
        code_hash: vec![u8::try_from(user).unwrap(); 32],
        words: "red green".to_owned(),
    };
    link_attempt::begin(fixture.conn(), new, at(second)).await.unwrap()
}

async fn proven(fixture: &Fixture, user: i64, way: Way, trusted: bool) -> Model {
    let row = begin(fixture, other_guild(), user, 0).await;
    let row = Model { state: State::Proven, play_id: Some(play(1)), way: Some(way), trusted, ..row };
    link_attempt::save(fixture.conn(), &row).await.unwrap()
}

async fn find(fixture: &Fixture, row: &Model) -> Option<Model> {
    link_attempt::find(fixture.conn(), row.guild_id, row.attempt_id).await.unwrap()
}

both_databases! {
    async fn a_new_attempt_replaces_the_user_s_own(fixture: &Fixture) {
        let first = begin(fixture, guild(), 1, 0).await;
        let others = [begin(fixture, guild(), 2, 0).await, begin(fixture, other_guild(), 1, 0).await];
        let second = begin(fixture, guild(), 1, 5).await;
        let replaced = find(fixture, &first).await.unwrap();
        assert_eq!((replaced.outcome, replaced.ended_at), (Some(Outcome::Replaced), Some(at(5))));
        assert!(!replaced.is_live(at(6)) && second.is_live(at(6)));
        for other in &others {
            assert_eq!(find(fixture, other).await.as_ref(), Some(other));
        }
        let live = link_attempt::of_chat(fixture.conn(), guild(), chat(1), at(6)).await.unwrap();
        assert_eq!(live.as_ref(), Some(&second));
        let mut ended = second;
        ended.end(Outcome::Cancelled, at(7));
        link_attempt::save(fixture.conn(), &ended).await.unwrap();
        assert_eq!((ended.state, ended.outcome, ended.ended_at), (State::Ended, Some(Outcome::Cancelled), Some(at(7))));
        assert_eq!(link_attempt::of_chat(fixture.conn(), guild(), chat(1), at(8)).await.unwrap(), None);
    }

    async fn a_newer_proof_ends_what_rests_on_an_older_one_that_counts_everywhere(fixture: &Fixture) {
        let winner = proven(fixture, 1, Way::Code, true).await;
        let trusted = proven(fixture, 2, Way::Code, true).await;
        let signed_in = proven(fixture, 3, Way::SignIn, false).await;
        let by_a_key = proven(fixture, 4, Way::Code, false).await;
        link_attempt::end_older(fixture.conn(), play(1), chat(1), at(9)).await.unwrap();
        let mut left = Vec::new();
        for row in [&winner, &trusted, &signed_in, &by_a_key] {
            left.push(find(fixture, row).await.unwrap().state);
        }
        assert_eq!(left, [State::Proven, State::Ended, State::Ended, State::Proven]);
    }

    async fn attempts_are_deleted_a_month_after_they_expired(fixture: &Fixture) {
        let row = begin(fixture, guild(), 1, 0).await;
        let expired = LIFETIME.num_seconds();
        for early in [0, expired, expired + MONTH - 1] {
            assert_eq!(link_attempt::prune(fixture.conn(), at(early)).await.unwrap(), 0, "{early}");
        }
        assert!(find(fixture, &row).await.is_some());
        assert_eq!(link_attempt::prune(fixture.conn(), at(expired + MONTH)).await.unwrap(), 1);
        assert_eq!(find(fixture, &row).await, None);
    }
}
