//! The numbers of bans and mutes: which each gets, and what a number stands for.

use entities::sanction::change::{self, NewSanction};
use entities::sanction::{Model, history};
use entities::{SanctionKind, moderation_revision};

use crate::bans::new;
use crate::fixture::{Fixture, at, both_databases, by_play, guild, other_guild, place};

fn mute(player: i64) -> NewSanction {
    NewSanction { kind: SanctionKind::Mute, ..new(by_play(player), None, None) }
}

fn ban(player: i64) -> NewSanction {
    new(by_play(player), None, None)
}

impl Fixture {
    /// The numbers that these get together.
    async fn numbers(&self, new: Vec<NewSanction>) -> Vec<i64> {
        let transaction = self.begin().await;
        let mut change = moderation_revision::begin(&transaction, guild(), at(0)).await.unwrap();
        let added = change::create(&transaction, &mut change, new).await.unwrap();
        transaction.commit().await.unwrap();
        added.iter().map(|one| one.sanction.number).collect()
    }

    async fn numbered(&self, number: i64) -> Vec<Model> {
        history::numbered(self.conn(), guild(), number).await.unwrap()
    }
}

both_databases! {
    async fn each_kind_counts_by_itself(fixture: &Fixture) {
        assert_eq!(fixture.numbers(vec![ban(1), mute(1), ban(2)]).await, [1, 1, 2]);
        assert_eq!(fixture.numbers(vec![mute(3), mute(2)]).await, [2, 3]);
        // What replaces an open one keeps its number.
        assert_eq!(fixture.numbers(vec![ban(2)]).await, [2]);
        assert_eq!(fixture.numbers(vec![ban(3)]).await, [3]);
        // Of one player twice: the later replaces the earlier.
        assert_eq!(fixture.numbers(vec![ban(4), ban(4), ban(5)]).await, [4, 4, 5]);
        assert_eq!(fixture.numbers(vec![NewSanction { number: Some(1), ..ban(6) }]).await, [1], "a restored one");
        assert_eq!(fixture.numbers(vec![ban(7)]).await, [6]);
        // Beside new ones, too; then a number may be left out.
        let mixed = fixture.numbers(vec![ban(7), ban(8)]).await;
        assert!(mixed[0] == 6 && mixed[1] > 6, "{mixed:?}");
    }

    async fn one_transaction_counts_on(fixture: &Fixture) {
        let transaction = fixture.begin().await;
        let mut change = moderation_revision::begin(&transaction, guild(), at(0)).await.unwrap();
        let mut numbers = Vec::new();
        for player in 1..=3 {
            let made = change::create(&transaction, &mut change, vec![ban(player)]).await.unwrap();
            numbers.extend(made.iter().map(|one| one.sanction.number));
        }
        transaction.rollback().await.unwrap();
        assert_eq!(numbers, [1, 2, 3]);
        assert_eq!(fixture.numbers(vec![ban(9)]).await, [1], "nothing was kept of it");
    }

    async fn a_number_stands_for_the_newest_of_each_kind_in_its_guild(fixture: &Fixture) {
        let first = fixture.ban(ban(1), at(0)).await.sanction;
        let second = fixture.ban(ban(2), at(0)).await.sanction;
        let muted = fixture.ban(mute(1), at(0)).await.sanction;
        let again = fixture.ban(new(by_play(1), None, Some(at(90))), at(0)).await.sanction;
        fixture.ban(new(by_play(1), Some(place(4)), None), at(0)).await;
        let transaction = fixture.begin().await;
        let mut change = moderation_revision::begin(&transaction, other_guild(), at(0)).await.unwrap();
        change::create(&transaction, &mut change, vec![ban(1)]).await.unwrap();
        transaction.commit().await.unwrap();
        let ids = async |number| fixture.numbered(number).await.iter().map(|row| row.sanction_id).collect::<Vec<_>>();
        assert_eq!((first.number, again.number), (1, 1));
        assert_eq!(ids(1).await, [again.sanction_id, muted.sanction_id]);
        assert_eq!(ids(2).await, [second.sanction_id]);
        assert_eq!(ids(9).await, []);
    }
}
