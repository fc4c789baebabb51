//! Bans imported from a file, swept with their audit entries, and the bans that remain after one has ended.

use entities::moderation_revision::{self, Change};
use entities::sanction::change::{self, Lift, NewSanction, Target};
use entities::sanction::import::{self, Existing};
use entities::sanction::list::{self, List};
use entities::sanction::{active, expiry, history};
use entities::{Lifted, Page, PlaceId, Places, SanctionKind, Subject, Timestamp};

use crate::fixture::{Fixture, at, both_databases, by_chat, by_play, chat, guild, place, play};

fn new(subject: Subject, place: Option<PlaceId>, expires_at: Option<Timestamp>) -> NewSanction {
    NewSanction {
        kind: SanctionKind::Ban,
        subject,
        person: subject.into(),
        place,
        reason: "r".to_owned(),
        moderator: chat(99),
        key: None,
        created_at: at(0),
        number: None,
        expires_at,
    }
}

impl Fixture {
    async fn begun(&self, now: Timestamp) -> Change {
        moderation_revision::begin(self.conn(), guild(), now).await.unwrap()
    }

    /// How many of the bans were new.
    async fn import(&self, bans: Vec<NewSanction>) -> usize {
        let existing = Existing::read(self.conn(), guild()).await.unwrap();
        let bans = existing.leave_new(bans);
        let (count, transaction) = (bans.len(), self.begin().await);
        let mut change = moderation_revision::begin(&transaction, guild(), at(0)).await.unwrap();
        import::create_many(&transaction, &mut change, bans).await.unwrap();
        transaction.commit().await.unwrap();
        count
    }

    async fn in_force(&self, now: Timestamp) -> u64 {
        let bans = List { guild: guild(), kind: SanctionKind::Ban, places: Places::All };
        list::count(self.conn(), bans, now).await.unwrap()
    }
}

both_databases! {
    async fn an_import_adds_what_is_new_and_leaves_the_rest(fixture: &Fixture) {
        let later = NewSanction { created_at: at(5), ..new(by_play(1), None, Some(at(50))) };
        let file: Vec<_> = (1..=1_200).map(|n| new(by_play(n), None, None)).chain([later]).collect();
        assert_eq!(fixture.import(file.clone()).await, 1_201);
        assert_eq!(fixture.in_force(at(10)).await, 1_200);
        assert_eq!(fixture.in_force(at(50)).await, 1_199, "the later one of a player counts");
        assert_eq!(fixture.import(file.clone()).await, 0);
        // A ban that a moderator has lifted is not restored.
        let change = fixture.begun(at(20)).await;
        let target = Target { kind: SanctionKind::Ban, person: by_play(7).into(), place: None };
        change::lift(fixture.conn(), &change, &[Lift { target, only: None, by: chat(99), reason: None }]).await.unwrap();
        assert_eq!(fixture.import(file).await, 0);
        assert_eq!(fixture.in_force(at(20)).await, 1_199);
        // One that conflicts with another time is superseded.
        let again = NewSanction { created_at: at(9), ..new(by_play(9), None, None) };
        assert_eq!(fixture.import(vec![again.clone(), again]).await, 1);
        assert_eq!(fixture.in_force(at(20)).await, 1_199);
    }

    async fn each_ban_that_a_sweep_closes_has_an_entry(fixture: &Fixture) {
        fixture.import(vec![new(by_play(1), None, Some(at(5))), new(by_chat(2), Some(place(3)), Some(at(9)))]).await;
        let change = fixture.begun(at(5)).await;
        let mut closed = expiry::sweep(fixture.conn(), &change, 10).await.unwrap();
        let change = fixture.begun(at(9)).await;
        closed.extend(expiry::sweep(fixture.conn(), &change, 10).await.unwrap());
        assert!(expiry::sweep(fixture.conn(), &change, 10).await.unwrap().is_empty());
        let entries: Vec<_> = expiry::entries(&closed).collect();
        let targets: Vec<_> = entries.iter().map(|entry| entry.target.clone()).collect();
        assert_eq!(targets, [by_play(1).to_string(), by_chat(2).to_string()]);
        assert!(entries.iter().all(|entry| entry.action == "moderation.ban_expired"));
        assert_eq!(entries[1].metadata["place_id"], place(3).get());
        let bans = history::list(fixture.conn(), guild(), history::Filter::of(SanctionKind::Ban), Page::first(10), at(9)).await;
        assert!(bans.unwrap().iter().all(|ban| ban.lifted_how == Some(Lifted::Expired)));
    }

    async fn what_remains_covers_the_place_where_a_ban_ended(fixture: &Fixture) {
        fixture.link(chat(1), play(1)).await;
        fixture.import(vec![new(by_play(1), Some(place(3)), None), new(by_chat(1), None, Some(at(50)))]).await;
        let person = entities::Person { chat: Some(chat(1)), play: Some(play(1)) };
        let remaining = async |place: Option<PlaceId>, now| {
            let target = Target { kind: SanctionKind::Ban, person, place };
            let bans = active::covering(fixture.conn(), guild(), target, now).await.unwrap();
            bans.first().map(|ban| ban.place_id)
        };
        assert_eq!(remaining(None, at(10)).await, Some(None));
        assert_eq!(remaining(Some(place(4)), at(10)).await, Some(None));
        assert_eq!(remaining(Some(place(3)), at(10)).await, Some(Some(place(3))));
        // A ban of one place does not stand in for one of every game.
        assert_eq!(remaining(None, at(50)).await, None);
    }
}
