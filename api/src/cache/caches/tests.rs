use entities::sanction::change::{self, NewSanction};
use entities::{ChatId, GuildId, Person, SanctionKind, Subject, Timestamp, guild, link, moderation_revision};
use runtime::{Database, DatabaseOptions, Events, ModerationVerb};
use testkit::guild_row;

use super::*;
use crate::cache::sanctions::Question;

const CHAT: &str = "10000000000000001";
const PLAY: &str = "77";

struct Fixture {
    database: Database,
    caches: Caches,
    _folder: tempfile::TempDir,
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_timestamp(1_800_000_000 + seconds, 0).unwrap()
}

fn the_guild() -> GuildId {
    "5".parse().unwrap()
}

fn subject(text: &str) -> Subject {
    text.parse().unwrap()
}

fn banned(whom: &str) -> Event {
    let person = Person::from(subject(whom));
    Event::moderation((the_guild(), 1), ModerationVerb::Ban, person, ("r", None)).unwrap()
}

impl Fixture {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}/guildhall.db", folder.path().display());
        let database = Database::connect(&url, &DatabaseOptions::default()).await.unwrap();
        migrations::apply(database.write()).await.unwrap();
        let row = guild_row(the_guild(), at(0));
        guild::upsert(database.write(), row).await.unwrap();
        Self { database, caches: Caches::new(Events::in_process().freshness()), _folder: folder }
    }

    /// Changes the database without an event.
    async fn ban(&self, whom: &str, place: Option<i64>, seconds: Option<i64>) {
        let transaction = self.database.begin().await.unwrap();
        let begun = moderation_revision::begin(&transaction, the_guild(), at(0)).await.unwrap();
        let ban = NewSanction {
            kind: SanctionKind::Ban,
            subject: subject(whom),
            place: place.map(|id| id.try_into().unwrap()),
            reason: format!("{whom} {place:?}"),
            moderator: ChatId::try_from(9).unwrap(),
            created_at: at(0),
            expires_at: seconds.map(at),
        };
        change::create(&transaction, &begun, ban).await.unwrap();
        transaction.commit().await.unwrap();
    }

    async fn link(&self) {
        let row = link::Model {
            guild_id: the_guild(),
            chat_id: CHAT.parse().unwrap(),
            play_id: PLAY.parse().unwrap(),
            play_username: "p".to_owned(),
            verified_at: at(0),
        };
        link::upsert_many(self.database.write(), vec![row]).await.unwrap();
    }

    async fn reason(&self, whom: &str, place: Option<i64>, now: i64) -> Option<String> {
        let place = place.map(|id| id.try_into().unwrap());
        let ask = Question {
            guild: the_guild(),
            kind: SanctionKind::Ban,
            subject: subject(whom),
            place,
            now: at(now),
        };
        self.caches.sanctions.find(self.database.read(), ask).await.unwrap().map(|ban| ban.reason)
    }

    fn announce(&self, whom: &str) {
        self.caches.hear(&banned(whom));
    }
}

#[tokio::test]
async fn an_announced_change_is_seen_at_once_also_where_nothing_was_before() {
    let fixture = Fixture::new().await;
    assert_eq!(fixture.reason(PLAY, None, 0).await, None);
    fixture.ban(PLAY, None, None).await;
    fixture.announce(PLAY);
    assert_eq!(fixture.reason(PLAY, None, 0).await.as_deref(), Some("77 None"));
}

#[tokio::test]
async fn a_cached_ban_expires_by_the_clock() {
    let fixture = Fixture::new().await;
    fixture.ban(PLAY, None, Some(5)).await;
    assert!(fixture.reason(PLAY, None, 4).await.is_some());
    assert!(fixture.reason(PLAY, None, 5).await.is_none());
    assert!(fixture.reason(PLAY, None, 4).await.is_some(), "it is still cached");
}

#[tokio::test]
async fn the_sanction_that_ends_last_is_returned_and_places_filter() {
    let fixture = Fixture::new().await;
    fixture.ban(PLAY, Some(1), None).await;
    fixture.ban(PLAY, None, Some(50)).await;
    assert_eq!(fixture.reason(PLAY, None, 0).await.as_deref(), Some("77 Some(1)"));
    assert_eq!(fixture.reason(PLAY, Some(1), 0).await.as_deref(), Some("77 Some(1)"));
    assert_eq!(fixture.reason(PLAY, Some(2), 0).await.as_deref(), Some("77 None"));
    assert_eq!(fixture.reason(PLAY, Some(2), 50).await, None);
}

#[tokio::test]
async fn a_ban_of_either_account_is_found_through_the_other_once_linked() {
    let fixture = Fixture::new().await;
    fixture.ban(CHAT, None, Some(5)).await;
    fixture.ban(PLAY, Some(3), None).await;
    assert_eq!(fixture.reason(PLAY, Some(9), 0).await, None);
    fixture.link().await;
    fixture.caches.hear(&Event::LinksChanged { guild: the_guild() });
    assert!(fixture.reason(PLAY, Some(9), 0).await.is_some());
    assert_eq!(fixture.reason(CHAT, Some(3), 9).await.as_deref(), Some("77 Some(3)"));
}

#[tokio::test]
async fn an_event_drops_what_it_names_and_a_gap_drops_everything() {
    let fixture = Fixture::new().await;
    assert_eq!((fixture.reason(CHAT, None, 0).await, fixture.reason(PLAY, None, 0).await), (None, None));
    fixture.ban(CHAT, None, None).await;
    fixture.ban(PLAY, None, None).await;
    fixture.caches.hear(&banned(CHAT));
    assert!(fixture.reason(CHAT, None, 0).await.is_some());
    assert!(fixture.reason(PLAY, None, 0).await.is_none(), "it is still cached");
    fixture.caches.hear(&Event::Resync);
    assert!(fixture.reason(PLAY, None, 0).await.is_some());
}

#[tokio::test]
async fn a_changed_key_is_read_again() {
    let fixture = Fixture::new().await;
    let (keys, conn) = (&fixture.caches.keys, fixture.database.read());
    assert!(keys.load(conn, "abcdefgh").await.unwrap().is_none());
    assert!(matches!(keys.get("abcdefgh"), Some(None)), "an unknown id is cached too");
    fixture.caches.hear(&Event::KeyChanged { public_id: "abcdefgh".to_owned() });
    assert!(keys.get("abcdefgh").is_none());
    keys.load(conn, "abcdefgh").await.unwrap();
    fixture.caches.hear(&Event::Resync);
    assert!(keys.get("abcdefgh").is_none());
}
