use std::time::Duration;

use entities::sanction::change::{self, NewSanction};
use entities::{ChatId, guild, link, moderation_revision};
use runtime::{Database, DatabaseOptions};

use super::*;

const CHAT: &str = "10000000000000001";
const PLAY: &str = "77";

struct Hall {
    database: Database,
    cache: StatusCache,
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

impl Hall {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}/guildhall.db", folder.path().display());
        let database = Database::connect(&url, &DatabaseOptions::default()).await.unwrap();
        migrations::apply(database.write()).await.unwrap();
        let row = guild::Model {
            guild_id: the_guild(),
            name: "g".to_owned(),
            shield_writer: false,
            mirror_bans: true,
            nickname_template: String::new(),
            time_zone: "UTC".to_owned(),
            week_start: 1,
            strike_days: 90,
            score_weights: serde_json::json!({}),
            created_at: at(0),
        };
        guild::upsert(database.write(), row).await.unwrap();
        Self { database, cache: StatusCache::new(&Events::in_process()), _folder: folder }
    }

    /// In the database alone: the cache is not told.
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
        let ask = Question { guild: the_guild(), subject: subject(whom), place, now: at(now) };
        self.cache.find(self.database.read(), SanctionKind::Ban, ask).await.unwrap().map(|ban| ban.reason)
    }

    async fn told(&self, whom: &str) {
        self.cache.changed(the_guild(), subject(whom).into()).await;
    }
}

#[tokio::test]
async fn a_change_told_is_seen_at_once_also_where_nothing_was_before() {
    let hall = Hall::new().await;
    assert_eq!(hall.reason(PLAY, None, 0).await, None);
    hall.ban(PLAY, None, None).await;
    hall.told(PLAY).await;
    assert_eq!(hall.reason(PLAY, None, 0).await.as_deref(), Some("77 None"));
}

#[tokio::test]
async fn a_cached_ban_lapses_by_the_clock() {
    let hall = Hall::new().await;
    hall.ban(PLAY, None, Some(5)).await;
    assert!(hall.reason(PLAY, None, 4).await.is_some());
    assert!(hall.reason(PLAY, None, 5).await.is_none());
    assert!(hall.reason(PLAY, None, 4).await.is_some(), "it is still cached");
}

#[tokio::test]
async fn of_several_the_one_that_ends_last_is_told_and_places_narrow() {
    let hall = Hall::new().await;
    hall.ban(PLAY, Some(1), None).await;
    hall.ban(PLAY, None, Some(50)).await;
    assert_eq!(hall.reason(PLAY, None, 0).await.as_deref(), Some("77 Some(1)"));
    assert_eq!(hall.reason(PLAY, Some(1), 0).await.as_deref(), Some("77 Some(1)"));
    assert_eq!(hall.reason(PLAY, Some(2), 0).await.as_deref(), Some("77 None"));
    assert_eq!(hall.reason(PLAY, Some(2), 50).await, None);
}

#[tokio::test]
async fn a_ban_of_either_account_is_found_through_the_other_once_linked() {
    let hall = Hall::new().await;
    hall.ban(CHAT, None, Some(5)).await;
    hall.ban(PLAY, Some(3), None).await;
    assert_eq!(hall.reason(PLAY, Some(9), 0).await, None);
    hall.link().await;
    hall.cache.hear(Ok(Event::LinksChanged { guild: the_guild() })).await;
    assert!(hall.reason(PLAY, Some(9), 0).await.is_some());
    assert_eq!(hall.reason(CHAT, Some(3), 9).await.as_deref(), Some("77 Some(3)"));
}

#[tokio::test]
async fn news_of_others_and_gaps_in_the_news_are_heard() {
    let hall = Hall::new().await;
    assert_eq!((hall.reason(CHAT, None, 0).await, hall.reason(PLAY, None, 0).await), (None, None));
    hall.ban(CHAT, None, None).await;
    let person = Person { chat: CHAT.parse().ok(), play: None };
    let of = (the_guild(), 1);
    let event = Event::moderation(of, runtime::ModerationVerb::Ban, person, ("r", None)).unwrap();
    hall.cache.hear(Ok(event)).await;
    assert!(hall.reason(CHAT, None, 0).await.is_some());
    hall.ban(PLAY, None, None).await;
    hall.cache.hear(Err(RecvError::Lagged(1))).await;
    assert!(hall.reason(PLAY, None, 0).await.is_some());
}

#[tokio::test]
async fn untold_changes_are_seen_after_a_second_while_events_are_not_trusted() {
    let hall = Hall::new().await;
    assert_eq!(hall.reason(PLAY, None, 0).await, None);
    hall.ban(PLAY, None, None).await;
    tokio::time::sleep(Duration::from_millis(1_001)).await;
    assert!(hall.reason(PLAY, None, 0).await.is_some());
}
