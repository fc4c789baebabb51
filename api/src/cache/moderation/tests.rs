use std::time::Duration;

use entities::sanction::change::{self, NewSanction};
use entities::{ChatId, SanctionKind, Subject, guild, link, moderation_revision};
use runtime::{Breaker, Clock, Event, Events, ModerationVerb};
use sea_orm::ConnectionTrait;
use testkit::{TestDatabase, guild_row, until};

use super::*;
use crate::cache::caches::Caches;

const CHAT: &str = "10000000000000001";
const PLAY: &str = "77";
const WAIT_LIMIT: Duration = Duration::from_secs(10);

/// A process whose caches follow the change log. Changes are those of another process unless published.
struct Fixture {
    database: Database,
    caches: Arc<Caches>,
    events: Events,
    shutdown: Shutdown,
    _file: TestDatabase,
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
    let change = moderation_revision::Change {
        guild: the_guild(),
        epoch: 0,
        revision: 1,
        now: at(0),
        numbers: moderation_revision::Numbers::default(),
    };
    Event::moderation(&change, ModerationVerb::Ban, person, "r", None).unwrap()
}

impl Fixture {
    /// Its caches are not fresh.
    async fn unread() -> Self {
        let file = TestDatabase::sqlite().await;
        let database = file.open().await;
        guild::upsert(database.write(), guild_row(the_guild(), at(0))).await.unwrap();
        let (events, shutdown) = (Events::in_process(Breaker::default()), Shutdown::new());
        let caches = Arc::new(Caches::new(&database, events.freshness(), &shutdown));
        let fed = caches.clone();
        events.on_event(move |event| fed.hear(event));
        Self { database, caches, events, shutdown, _file: file }
    }

    /// It follows the change log, and has read the guild.
    async fn new() -> Self {
        let fixture = Self::unread().await;
        fixture.events.follow(fixture.database.clone(), Clock::system(), &fixture.shutdown);
        until(|| fixture.events.freshness().is_fresh()).await;
        fixture.fill().await;
        fixture
    }

    async fn fill(&self) {
        self.reason(PLAY, None, 0).await;
        until(|| self.caches.moderation.is_filled(the_guild())).await;
    }

    /// Without `event` nothing announces the change.
    async fn ban(&self, whom: &str, (place, seconds): (Option<i64>, Option<i64>), event: Option<Event>) {
        let transaction = self.database.begin().await.unwrap();
        let mut begun = moderation_revision::begin(&transaction, the_guild(), at(0)).await.unwrap();
        let ban = NewSanction {
            kind: SanctionKind::Ban,
            subject: subject(whom),
            person: subject(whom).into(),
            place: place.map(|id| id.try_into().unwrap()),
            reason: format!("{whom} {place:?}"),
            moderator: ChatId::try_from(9).unwrap(),
            key: None,
            created_at: at(0),
            number: None,
            expires_at: seconds.map(at),
        };
        change::create(&transaction, &mut begun, vec![ban]).await.unwrap();
        Events::record(&transaction, event, at(0)).await.unwrap();
        transaction.commit().await.unwrap();
    }

    async fn link(&self) {
        let row = link::Model {
            guild_id: the_guild(),
            chat_id: CHAT.parse().unwrap(),
            play_id: PLAY.parse().unwrap(),
            play_username: "p".to_owned(),
            verified_at: at(0),
            source: link::Source::Import,
        };
        link::upsert_many(self.database.write(), vec![row]).await.unwrap();
    }

    async fn reason(&self, whom: &str, place: Option<i64>, now: i64) -> Option<String> {
        let place = place.map(|id| id.try_into().unwrap());
        let ask = Question { kind: SanctionKind::Ban, subject: subject(whom), place, now: at(now) };
        self.caches.moderation.find(the_guild(), ask).await.unwrap().found.map(|ban| ban.reason)
    }

    /// Another process bans a player, and this one gets the event.
    async fn ban_heard(&self, whom: &str, place: Option<i64>, seconds: Option<i64>) {
        let mut heard = self.events.subscribe();
        self.ban(whom, (place, seconds), Some(banned(whom))).await;
        let wait = async { while heard.recv().await.unwrap() != banned(whom) {} };
        tokio::time::timeout(WAIT_LIMIT, wait).await.expect("it is heard in time");
    }

    async fn end(self) {
        self.shutdown.cut();
        self.shutdown.wait().await;
    }
}

#[tokio::test]
async fn guilds_that_wait_are_read_together_and_a_large_one_by_itself() {
    let fixture = Fixture::unread().await;
    let conn = fixture.database.write();
    let guilds: Vec<GuildId> = (5..45).map(|id| id.try_into().unwrap()).collect();
    for guild in &guilds {
        guild::upsert(conn, guild_row(*guild, at(0))).await.unwrap();
    }
    let banned = "INSERT INTO sanction (guild_id, kind, play_id, reason, moderator_id, created_at, mirror_state, revision)
        SELECT guild_id, 'ban', 77, 'in ' || guild_id, 9, created_at, 'none', 1 FROM guild";
    let many = "INSERT INTO link (guild_id, chat_id, play_id, play_username, verified_at)
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
        SELECT 5, 10000000000000001 + i, 77 + i, 'p', created_at FROM n, guild WHERE guild_id = 5";
    let many_bans = "INSERT INTO sanction (guild_id, kind, play_id, reason, moderator_id, created_at, mirror_state, revision)
        SELECT 5, 'ban', play_id, 'in 5', 9, verified_at, 'none', 1 FROM link WHERE play_id > 77";
    for sql in [banned, many, many_bans] {
        conn.execute_unprepared(sql).await.unwrap();
    }
    fixture.events.follow(fixture.database.clone(), Clock::system(), &fixture.shutdown);
    until(|| fixture.events.freshness().is_fresh()).await;
    let moderation = &fixture.caches.moderation;
    let check = async |guild: GuildId| {
        let ask = Question { kind: SanctionKind::Ban, subject: subject(PLAY), place: None, now: at(0) };
        let found = moderation.find(guild, ask).await.unwrap().found.map(|ban| ban.reason);
        assert_eq!(found, Some(format!("in {guild}")));
    };
    futures_util::future::join_all(guilds.iter().map(|guild| check(*guild))).await;
    until(|| guilds.iter().all(|guild| moderation.is_filled(*guild))).await;
    for guild in &guilds {
        check(*guild).await;
    }
    for account in [78, 2_076, 2_077, 2_078, 5_000, 10_077] {
        let found = fixture.reason(&account.to_string(), None, 0).await;
        let by_chat = fixture.reason(&(10_000_000_000_000_001_i64 + account - 77).to_string(), None, 0).await;
        assert_eq!((found.as_deref(), by_chat.as_deref()), (Some("in 5"), Some("in 5")), "{account}");
    }
    assert_eq!(fixture.reason("10078", None, 0).await, None);
    fixture.end().await;
}

#[tokio::test]
async fn a_guild_in_memory_needs_no_database_and_hears_of_changes_in_the_log() {
    let fixture = Fixture::new().await;
    fixture.ban(CHAT, (None, None), None).await;
    assert_eq!(fixture.reason(CHAT, None, 0).await, None, "the database was asked");
    fixture.ban_heard(PLAY, None, None).await;
    assert_eq!(fixture.reason(PLAY, None, 0).await.as_deref(), Some("77 None"));
    assert_eq!(fixture.reason(CHAT, None, 0).await, None, "only what the event names is read again");
    fixture.events.publish(Events::record(fixture.database.write(), [Event::Resync], at(0)).await.unwrap());
    assert_eq!(fixture.reason(CHAT, None, 0).await.as_deref(), Some("10000000000000001 None"));
    fixture.end().await;
}

#[tokio::test]
async fn without_the_change_log_every_check_asks_the_database() {
    let fixture = Fixture::unread().await;
    assert_eq!(fixture.reason(PLAY, None, 0).await, None);
    fixture.ban(PLAY, (None, None), None).await;
    assert_eq!(fixture.reason(PLAY, None, 0).await.as_deref(), Some("77 None"));
    assert!(!fixture.caches.moderation.is_filled(the_guild()));
}

#[tokio::test]
async fn a_first_check_waits_for_its_guild_instead_of_asking_the_database_for_its_person() {
    let fixture = Fixture::unread().await;
    fixture.events.follow(fixture.database.clone(), Clock::system(), &fixture.shutdown);
    until(|| fixture.events.freshness().is_fresh()).await;
    fixture.ban(PLAY, (None, None), None).await;
    // It is being read, since before the ban.
    let state = Arc::new(GuildState::default());
    let guilds = &fixture.caches.moderation.0.guilds;
    guilds.write().unwrap().states.insert(the_guild(), state.clone());
    let is_read = async { state.fill(Base::new(Vec::new(), Vec::new())) };
    assert_eq!(tokio::join!(fixture.reason(PLAY, None, 0), is_read).0, None, "the database was asked");
    fixture.end().await;
}

#[tokio::test]
async fn a_ban_in_memory_expires_by_the_clock() {
    let fixture = Fixture::unread().await;
    fixture.ban(PLAY, (None, Some(5)), None).await;
    fixture.events.follow(fixture.database.clone(), Clock::system(), &fixture.shutdown);
    until(|| fixture.events.freshness().is_fresh()).await;
    for _ in ["from the database", "from memory"] {
        assert!(fixture.reason(PLAY, None, 4).await.is_some());
        assert!(fixture.reason(PLAY, None, 5).await.is_none());
        fixture.fill().await;
    }
    fixture.end().await;
}

#[tokio::test]
async fn the_sanction_that_ends_last_is_found_and_places_filter() {
    let fixture = Fixture::unread().await;
    fixture.ban(PLAY, (Some(1), None), None).await;
    fixture.ban(PLAY, (None, Some(50)), None).await;
    fixture.events.follow(fixture.database.clone(), Clock::system(), &fixture.shutdown);
    until(|| fixture.events.freshness().is_fresh()).await;
    for _ in ["from the database", "from memory"] {
        assert_eq!(fixture.reason(PLAY, None, 0).await.as_deref(), Some("77 Some(1)"));
        assert_eq!(fixture.reason(PLAY, Some(1), 0).await.as_deref(), Some("77 Some(1)"));
        assert_eq!(fixture.reason(PLAY, Some(2), 0).await.as_deref(), Some("77 None"));
        assert_eq!(fixture.reason(PLAY, Some(2), 50).await, None);
        fixture.fill().await;
    }
    fixture.end().await;
}

#[tokio::test]
async fn a_ban_of_either_account_is_found_through_the_other_once_linked() {
    let fixture = Fixture::new().await;
    let changed = Event::LinksChanged { guild: the_guild() };
    fixture.ban_heard(CHAT, None, Some(5)).await;
    fixture.ban_heard(PLAY, Some(3), None).await;
    assert_eq!(fixture.reason(PLAY, Some(9), 0).await, None);
    fixture.link().await;
    fixture.events.publish(Events::record(fixture.database.write(), [changed], at(0)).await.unwrap());
    for _ in ["from the database", "from memory"] {
        assert!(fixture.reason(PLAY, Some(9), 0).await.is_some());
        assert_eq!(fixture.reason(CHAT, Some(3), 9).await.as_deref(), Some("77 Some(3)"));
        fixture.fill().await;
    }
    fixture.end().await;
}

#[test]
fn a_row_that_changed_while_it_was_read_is_read_again() {
    let (state, person) = (GuildState::default(), subject(PLAY));
    state.fill(Base::new(Vec::new(), Vec::new()));
    let ask = Question { kind: SanctionKind::Ban, subject: person, place: None, now: at(0) };
    assert!(matches!(state.look(ask), Look::Found(None)));
    state.invalidate(person);
    let Look::Missing(missing) = state.look(ask) else { panic!("it is known to have changed") };
    state.invalidate(person);
    state.put(missing[0], Vec::new());
    let Look::Missing(missing) = state.look(ask) else { panic!("the rows were read before the change") };
    state.put(missing[0], Vec::new());
    assert!(matches!(state.look(ask), Look::Found(None)));
}

#[test]
fn changes_during_the_read_of_a_guild_do_not_begin_it_anew() {
    let state = GuildState::default();
    let change = |accounts: std::ops::Range<i64>| {
        accounts.for_each(|id| state.invalidate(Subject::Play(id.try_into().unwrap())));
    };
    change(1..5_001);
    assert!(!state.needs_reload(), "it is being read");
    state.fill(Base::new(Vec::new(), Vec::new()));
    change(5_001..6_001);
    assert!(!state.needs_reload());
    change(6_001..6_002);
    assert!(state.needs_reload());
}

#[tokio::test]
async fn accounts_that_changed_count_as_memory_of_their_guild() {
    let fixture = Fixture::new().await;
    let bytes = || fixture.caches.moderation.held().0.1;
    let filled = bytes();
    for _ in 0..2 {
        fixture.ban_heard(PLAY, None, None).await;
        fixture.ban_heard(CHAT, None, None).await;
    }
    let changed = bytes();
    assert!(changed > filled, "{changed} bytes after the changes, {filled} before");
    fixture.ban_heard(CHAT, None, None).await;
    assert_eq!(bytes(), changed, "each account counts once");
    fixture.caches.moderation.forget(the_guild());
    assert_eq!(bytes(), 0);
    fixture.end().await;
}

#[tokio::test]
async fn what_was_read_of_a_guild_that_was_dropped_meanwhile_is_not_kept() {
    let fixture = Fixture::unread().await;
    let moderation = &fixture.caches.moderation;
    let dropped = ToRead { guild: the_guild(), state: Arc::default(), now: at(0) };
    moderation.fill(dropped, Base::new(Vec::new(), Vec::new()));
    assert_eq!(moderation.guilds().bytes, 0);
}
