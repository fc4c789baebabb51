//! Bans and lifts that share a transaction.

use entities::Person;
use entities::sanction::change::{self, Lift};

use crate::bans::{bans, new};
use crate::fixture::{Fixture, at, both_databases, by_chat, by_play, chat, place, play};

both_databases! {
    async fn many_bans_at_once_do_the_same_as_one_after_the_other(fixture: &Fixture) {
        let old = fixture.ban(new(by_play(2), None, None), at(0)).await.sanction;
        let by = |moderator, ban| change::NewSanction { moderator: chat(moderator), ..ban };
        let bans = vec![
            by(7, new(by_play(1), None, None)),
            by(8, new(by_play(2), None, None)),
            by(9, new(by_play(1), None, Some(at(60)))),
            by(7, new(by_play(1), Some(place(5)), None)),
            by(7, new(by_chat(1), None, None)),
            by(6, new(by_play(1), None, None)),
        ];
        let mut change = fixture.change(at(1)).await;
        let added = change::create(fixture.conn(), &mut change, bans).await.unwrap();
        let subjects: Vec<_> = added.iter().map(|one| (one.sanction.subject().unwrap(), one.sanction.moderator_id)).collect();
        assert_eq!(subjects, [(by_play(1), chat(7)), (by_play(2), chat(8)), (by_play(1), chat(9)), (by_play(1), chat(7)), (by_chat(1), chat(7)), (by_play(1), chat(6))]);
        let closed: Vec<_> = added.iter().map(|one| one.closed.iter().map(|row| (row.sanction_id, row.lifted_by)).collect::<Vec<_>>()).collect();
        let [first, second] = [0, 2].map(|place: usize| added[place].sanction.sanction_id);
        assert_eq!(closed, [vec![], vec![(old.sanction_id, Some(chat(8)))], vec![(first, Some(chat(9)))], vec![], vec![], vec![(second, Some(chat(6)))]]);
        assert!(added.iter().all(|one| one.sanction.lifted_at.is_none()));
        assert_eq!(added[5].sanction.number, added[0].sanction.number);
        assert_eq!(fixture.bans_of(by_play(1), Some(place(5)), at(1)).await.len(), 2);
    }

    async fn many_lifts_at_once_take_each_row_once(fixture: &Fixture) {
        fixture.link(chat(1), play(1)).await;
        let mut ids = Vec::new();
        for ban in [new(by_chat(1), None, None), new(by_play(1), Some(place(5)), None), new(by_play(2), None, None), new(by_play(3), None, None)] {
            ids.push(fixture.ban(ban, at(0)).await.sanction.sanction_id);
        }
        let person = Person { chat: Some(chat(1)), play: Some(play(1)) };
        let nobody = Lift { target: bans(Person::default(), None), only: None, by: chat(9), reason: None };
        let lifts = [
            nobody.clone(),
            Lift { target: bans(person, None), only: Some(ids[0]), by: chat(8), reason: None },
            Lift { target: bans(person, None), only: None, by: chat(9), reason: None },
            Lift { target: bans(by_play(2), None), only: None, by: chat(9), reason: None },
            Lift { target: bans(by_play(2), None), only: None, by: chat(7), reason: None },
        ];
        let change = fixture.change(at(1)).await;
        let lifted = change::lift(fixture.conn(), &change, &lifts).await.unwrap();
        let ids_of: Vec<Vec<_>> = lifted.iter().map(|rows| rows.iter().map(|row| row.sanction_id).collect()).collect();
        assert_eq!(ids_of, [vec![], vec![ids[0]], vec![ids[1]], vec![ids[2]], vec![]]);
        assert_eq!(change::lift(fixture.conn(), &change, &[nobody]).await.unwrap(), [vec![]]);
        assert_eq!(fixture.bans_of(by_play(3), None, at(1)).await.len(), 1);
    }
}
