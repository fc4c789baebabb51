//! A person with two accounts: one ban for a place, one item in a list, and one item for a client that
//! follows the changes.

use std::collections::BTreeMap;

use entities::moderation_revision::Standing;
use entities::sanction::change;
use entities::sanction::list::{self, List};
use entities::{Lifted, Page, Person, Places, SanctionId, SanctionKind, Subject, link};

use crate::bans::{all_bans, bans, new};
use crate::fixture::{Fixture, at, both_databases, by_chat, by_play, chat, guild, other_guild, place, play};

/// Keeps a list by identifier from its changes alone.
struct Follower {
    list: List,
    revision: i64,
    items: BTreeMap<String, SanctionId>,
}

impl Follower {
    fn of(places: Places) -> Self {
        let list = List { guild: guild(), kind: SanctionKind::Ban, places };
        Self { list, revision: 0, items: BTreeMap::new() }
    }

    async fn follow(&mut self, fixture: &Fixture, now: i64) {
        let revision = Standing::read(fixture.conn(), guild()).await.unwrap().revision;
        let changes = fixture.changes(self.list, self.revision, at(now)).await;
        self.items.retain(|_, id| !changes.gone.contains(id));
        for row in changes.shown {
            self.items.retain(|_, id| *id != row.sanction_id);
            // Only one of several places stays under an identifier, while the list of all places has one for
            // each.
            let of_place = row.place_id.filter(|_| self.list.places == Places::All);
            let place = of_place.map_or_else(String::new, |place| format!(" in {place}"));
            self.items.insert(format!("{}{place}", row.identifier().unwrap()), row.sanction_id);
        }
        self.revision = revision;
        let shown = fixture.range(self.list, now, None, 100).await;
        let shown: Vec<_> =
            shown.into_iter().filter(|row| !row.is_outlasted).map(|row| row.sanction_id).collect();
        let mut kept: Vec<_> = self.items.values().copied().collect();
        kept.sort_unstable();
        assert_eq!(kept, shown, "{:?}", self.list.places);
        for limit in [1, 2, 100] {
            let page = Page::first(limit);
            let page = list::page(fixture.conn(), self.list, at(now), page).await.unwrap();
            let newest: Vec<_> = shown.iter().rev().take(usize::try_from(limit).unwrap()).copied().collect();
            assert_eq!(page.iter().map(|row| row.sanction_id).collect::<Vec<_>>(), newest);
        }
    }
}

impl Fixture {
    /// Links chat user 1 as the command does.
    async fn relink(&self, to: Option<i64>, now: i64) {
        let change = self.change(at(now)).await;
        let old = link::find_by_chat(self.conn(), guild(), chat(1)).await.unwrap();
        let new = Person { chat: Some(chat(1)), play: to.map(play) };
        let accounts: Vec<_> = old.iter().map(Person::from).chain([new]).collect();
        change::relink(self.conn(), &change, &accounts).await.unwrap();
        if old.is_some() {
            link::delete(self.conn(), guild(), &[chat(1)]).await.unwrap();
        }
        if let Some(to) = to {
            self.link(chat(1), play(to)).await;
        }
    }
}

both_databases! {
    async fn a_link_of_another_guild_connects_nothing(fixture: &Fixture) {
        for (banned, asked) in [(by_play(1), by_chat(1)), (by_chat(2), by_play(2))] {
            let n = i64::from(banned == by_chat(2)) + 1;
            let elsewhere = link::Model {
                guild_id: other_guild(),
                chat_id: chat(n),
                play_id: play(n),
                play_username: "one".to_owned(),
                verified_at: at(0),
                source: link::Source::Import,
            };
            link::upsert_many(fixture.conn(), vec![elsewhere]).await.unwrap();
            fixture.ban(new(banned, None, None), at(0)).await;
            assert!(fixture.bans_of(asked, None, at(1)).await.is_empty(), "{asked:?}");
            assert_eq!(fixture.bans_of(banned, None, at(1)).await.len(), 1);
        }
    }

    async fn a_ban_of_either_account_takes_the_place_of_both(fixture: &Fixture) {
        fixture.link(chat(1), play(1)).await;
        let mut last = fixture.ban(new(by_chat(1), None, None), at(0)).await.sanction;
        for subject in [by_play(1), by_chat(1), by_chat(1), by_play(1)] {
            let made = fixture.ban(new(subject, None, Some(at(60))), at(0)).await;
            let closed: Vec<_> = made.closed.iter().map(|row| (row.sanction_id, row.lifted_how)).collect();
            assert_eq!(closed, [(last.sanction_id, Some(Lifted::Superseded))], "{subject}");
            last = made.sanction;
        }
        // Other places, other kinds and other people are not touched.
        let there = fixture.ban(new(by_chat(1), Some(place(0)), None), at(0)).await;
        let mute = change::NewSanction { kind: SanctionKind::Mute, ..new(by_chat(1), None, None) };
        let other = fixture.ban(new(by_play(2), None, None), at(0)).await;
        assert!(there.closed.is_empty() && fixture.ban(mute, at(0)).await.closed.is_empty() && other.closed.is_empty());
        // One that had expired unnoticed is closed as that.
        let next = fixture.ban(new(by_chat(1), None, None), at(60)).await;
        assert_eq!(next.closed[0].lifted_how, Some(Lifted::Expired));
    }

    async fn of_bans_of_one_person_together_the_last_stays(fixture: &Fixture) {
        fixture.link(chat(1), play(1)).await;
        let before = fixture.ban(new(by_chat(1), None, None), at(0)).await.sanction;
        let mut change = fixture.change(at(1)).await;
        let person = Person { chat: Some(chat(1)), play: Some(play(1)) };
        let one = |subject: Subject| change::NewSanction { person, ..new(subject, None, None) };
        let all = vec![one(by_play(1)), new(by_play(7), None, None), one(by_chat(1)), one(by_play(1))];
        let made = change::create(fixture.conn(), &mut change, all).await.unwrap();
        let ids: Vec<_> = made.iter().map(|made| made.sanction.sanction_id).collect();
        let closed: Vec<Vec<_>> = made.iter().map(|made| made.closed.iter().map(|row| row.sanction_id).collect()).collect();
        assert_eq!(closed, [vec![before.sanction_id], vec![], vec![ids[0]], vec![ids[2]]]);
        assert_eq!(fixture.bans_of(by_chat(1), None, at(2)).await.len(), 1);
    }

    async fn a_person_linked_later_is_listed_once_with_what_ends_last(fixture: &Fixture) {
        let mut followers = [Places::Everywhere, Places::In(place(0)), Places::All].map(Follower::of);
        let mut now = 1;
        for step in 0..14 {
            now += 1;
            match step {
                0 => drop(fixture.ban(new(by_chat(1), None, None), at(now)).await),
                1 => drop(fixture.ban(new(by_play(1), None, Some(at(500))), at(now)).await),
                // The ban of the chat user ends last, and is listed by the game id.
                // Linked again later, twice.
                2 | 6 | 11 => fixture.relink(Some(1), now).await,
                // What it hid is listed again for its own.
                3 => fixture.relink(Some(2), now).await,
                4 => drop(fixture.ban(new(by_play(2), Some(place(0)), Some(at(600))), at(now)).await),
                5 => drop(fixture.ban(new(by_chat(1), Some(place(5)), None), at(now)).await),
                7 => drop(fixture.ban(new(by_play(1), Some(place(0)), None), at(now)).await),
                // The one that ends last is lifted, and another one is shown again without a change of its
                // own.
                8 => {
                    let person = Person { chat: Some(chat(1)), play: Some(play(1)) };
                    let change = fixture.change(at(now)).await;
                    let lift = change::Lift { target: bans(person, Some(place(0))), only: None, by: chat(9), reason: None };
                    change::lift(fixture.conn(), &change, &[lift]).await.unwrap();
                }
                9 => drop(fixture.ban(new(by_play(1), None, Some(at(900))), at(now)).await),
                10 => fixture.relink(None, now).await,
                12 => drop(fixture.ban(new(by_chat(1), None, Some(at(700))), at(now)).await),
                _ => now = 700,
            }
            for (n, follower) in followers.iter_mut().enumerate() {
                // Some read every change, some several at once.
                if step < 13 && (n == 0 || step % (n + 1) == 0 || step > 11) {
                    follower.follow(fixture, now).await;
                }
            }
        }
        let people = |follower: &Follower| follower.items.keys().cloned().collect::<Vec<_>>();
        assert_eq!(people(&followers[0]), ["10001"]);
        assert_eq!(people(&followers[1]), ["10001", "10002"]);
        assert_eq!(people(&followers[2]), ["10001", "10001 in 5", "10002 in 0"]);
        let count = list::count(fixture.conn(), all_bans(), at(700)).await.unwrap();
        let rows = fixture.range(all_bans(), 700, None, 100).await;
        assert_eq!(rows.len() as u64, count, "who counts rows counts the outlasted too");
    }
}
