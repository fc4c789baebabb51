//! Members by a part of their name.

use entities::{link, link_search};

use crate::fixture::{Fixture, at, both_databases, chat, guild, other_guild, play};

impl Fixture {
    async fn name(&self, number: i64, name: &str) {
        let row = link::Model {
            guild_id: guild(),
            chat_id: chat(number),
            play_id: play(number),
            play_username: name.to_owned(),
            verified_at: at(0),
        };
        link::upsert_many(self.conn(), vec![row]).await.unwrap();
    }

    async fn named(&self, prefix: &str, after: Option<&link::Model>, limit: u64) -> Vec<link::Model> {
        link_search::by_name(self.conn(), guild(), prefix, after, limit).await.unwrap()
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
        assert_eq!(names(&fixture.named("aDa", None, 10).await), ["Ada", "ada_b", "adaZ"]);
        assert_eq!(names(&fixture.named("ada_", None, 10).await), ["ada_b"]);
        assert_eq!(names(&fixture.named("a%", None, 10).await), ["a%a"]);
        assert!(fixture.named("c", None, 10).await.is_empty());
        let containing = async |part: &str, after: Option<&link::Model>| {
            link_search::containing(fixture.conn(), guild(), part, after, 10).await.unwrap()
        };
        let found = containing("DA", None).await;
        assert_eq!(names(&found), ["Ada", "ada_b", "adaZ"]);
        assert_eq!(names(&containing("a_", None).await), ["ada_b"]);
        assert_eq!(names(&containing("%", None).await), ["a%a"]);
        assert_eq!(names(&containing("b", Some(&found[1])).await), ["Bob", "bob"]);
        assert_eq!(containing("", None).await.len(), 6);
        assert!(link_search::by_name(fixture.conn(), other_guild(), "", None, 10).await.unwrap().is_empty());
        let mut seen: Vec<link::Model> = Vec::new();
        loop {
            let page = fixture.named("", seen.last(), 1).await;
            let Some(next) = page.into_iter().next() else { break };
            seen.push(next);
        }
        assert_eq!(names(&seen), ["a%a", "Ada", "ada_b", "adaZ", "Bob", "bob"]);
    }
}
