//! Members by a part of their name.

use entities::link_search::{self, Key};
use entities::{Sorted, link};

use crate::fixture::{Fixture, at, both_databases, chat, guild, other_guild, play};

impl Fixture {
    async fn name(&self, number: i64, name: &str) {
        let row = link::Model {
            guild_id: guild(),
            chat_id: chat(number),
            play_id: play(number),
            play_username: name.to_owned(),
            // Two of each minute.
            verified_at: at(number / 2 * 60),
            source: link::Source::Import,
        };
        link::upsert_many(self.conn(), vec![row]).await.unwrap();
    }

    async fn named(&self, prefix: &str) -> Vec<link::Model> {
        link_search::by_name(self.conn(), guild(), prefix, 10).await.unwrap()
    }

    /// All links, one page each.
    async fn one_by_one(&self, sorted: Sorted<Key>) -> Vec<link::Model> {
        let mut seen: Vec<link::Model> = Vec::new();
        loop {
            let part = (seen.last(), 1);
            let page = link_search::containing(self.conn(), guild(), "", sorted, part).await.unwrap();
            let Some(next) = page.into_iter().next() else { return seen };
            seen.push(next);
        }
    }
}

fn names(links: &[link::Model]) -> Vec<&str> {
    links.iter().map(|link| link.play_username.as_str()).collect()
}

both_databases! {
    async fn names_are_found_by_their_first_letters_in_their_order(fixture: &Fixture) {
        for (number, name) in [(1, "ada_b"), (2, "Ada"), (3, "adaZ"), (4, "Bob"), (5, "a%a"), (6, "bob")] {
            fixture.name(number, name).await;
        }
        assert_eq!(names(&fixture.named("aDa").await), ["Ada", "ada_b", "adaZ"]);
        assert_eq!(names(&fixture.named("ada_").await), ["ada_b"]);
        assert_eq!(names(&fixture.named("a%").await), ["a%a"]);
        assert!(fixture.named("c").await.is_empty());
        let containing = async |part: &str, after: Option<&link::Model>| {
            link_search::containing(fixture.conn(), guild(), part, Sorted::ascending(Key::Name), (after, 10)).await.unwrap()
        };
        let found = containing("DA", None).await;
        assert_eq!(names(&found), ["Ada", "ada_b", "adaZ"]);
        assert_eq!(names(&containing("a_", None).await), ["ada_b"]);
        assert_eq!(names(&containing("%", None).await), ["a%a"]);
        assert_eq!(names(&containing("b", Some(&found[1])).await), ["Bob", "bob"]);
        assert_eq!(containing("", None).await.len(), 6);
        assert!(link_search::by_name(fixture.conn(), other_guild(), "", 10).await.unwrap().is_empty());
    }

    async fn every_order_shows_each_member_once(fixture: &Fixture) {
        for (number, name) in [(1, "ada_b"), (2, "Ada"), (3, "adaZ"), (4, "Bob"), (5, "a%a"), (6, "bob")] {
            fixture.name(number, name).await;
        }
        let by_name = ["a%a", "Ada", "ada_b", "adaZ", "Bob", "bob"];
        let by_time = ["ada_b", "Ada", "adaZ", "Bob", "a%a", "bob"];
        for (by, order) in [(Key::Name, by_name), (Key::Linked, by_time)] {
            let backwards: Vec<&str> = order.into_iter().rev().collect();
            assert_eq!(names(&fixture.one_by_one(Sorted { by, descending: false }).await), order);
            assert_eq!(names(&fixture.one_by_one(Sorted { by, descending: true }).await), backwards);
        }
        let newest = Sorted { by: Key::Linked, descending: true };
        let found = link_search::containing(fixture.conn(), guild(), "AD", newest, (None, 2)).await.unwrap();
        assert_eq!(names(&found), ["adaZ", "Ada"]);
    }
}
