//! A migrated database for each test, with two guilds.

use chrono::Duration;
use entities::{
    ChatId, GuildId, PlaceId, PlayId, RoleId, Subject, Timestamp, link, staff_member, staff_role,
};
use runtime::{Database, Pool, Transaction};
use sea_orm::ConnectionTrait;
use testkit::{TestDatabase, guild_row};

/// Runs a test body on both databases, as two tests.
macro_rules! both_databases {
    ($(async fn $name:ident($fixture:ident: &$type:ident) $body:block)+) => { $(
        mod $name {
            use super::*;

            async fn body($fixture: &$type) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                $crate::fixture::on_sqlite(async |fixture| body(fixture).await).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                $crate::fixture::on_postgres(async |fixture| body(fixture).await).await;
            }
        }
    )+ };
}
pub(crate) use both_databases;

pub(crate) struct Fixture {
    pub(crate) database: Database,
}

impl Fixture {
    pub(crate) fn conn(&self) -> &Pool {
        self.database.write()
    }

    pub(crate) async fn begin(&self) -> Transaction {
        self.database.begin().await.unwrap()
    }

    pub(crate) async fn execute(&self, sql: &str) {
        self.conn().execute_unprepared(sql).await.unwrap();
    }

    pub(crate) async fn link(&self, chat: ChatId, play: PlayId) {
        let row = link::Model {
            guild_id: guild(),
            chat_id: chat,
            play_id: play,
            play_username: format!("player_{play}"),
            verified_at: at(0),
            source: link::Source::Import,
        };
        link::upsert_many(self.conn(), vec![row]).await.unwrap();
    }

    /// Makes a user staff, by a role that is called `Mod <role>`.
    pub(crate) async fn hire(&self, chat: ChatId, role: i64) {
        let new = staff_role::NewRole {
            role: RoleId::try_from(role).unwrap(),
            role_name: format!("Mod {role}"),
            permissions: vec!["lookup.read".to_owned()],
            play_permissions: vec!["kick".to_owned(), "warn".to_owned()],
        };
        let role = staff_role::upsert(self.conn(), guild(), new, at(0)).await.unwrap().role_id;
        let member = staff_member::Model {
            guild_id: guild(),
            chat_id: chat,
            role_id: role,
            joined_at: at(0),
            by_role: false,
        };
        staff_member::put(self.conn(), member).await.unwrap();
    }

    async fn open(database: &TestDatabase) -> Self {
        let fixture = Self { database: database.open().await };
        for guild in [guild(), other_guild()] {
            entities::guild::upsert(fixture.conn(), guild_row(guild, at(0))).await.unwrap();
        }
        fixture
    }
}

pub(crate) async fn on_sqlite(test: impl AsyncFnOnce(&Fixture)) {
    run(TestDatabase::sqlite().await, test).await;
}

pub(crate) async fn on_postgres(test: impl AsyncFnOnce(&Fixture)) {
    run(TestDatabase::postgres().await, test).await;
}

async fn run(database: TestDatabase, test: impl AsyncFnOnce(&Fixture)) {
    let fixture = Fixture::open(&database).await;
    test(&fixture).await;
    fixture.database.close().await;
}

pub(crate) fn guild() -> GuildId {
    GuildId::try_from(7_000_000_000_000_000_000).unwrap()
}

pub(crate) fn other_guild() -> GuildId {
    GuildId::try_from(7_000_000_000_000_010_000).unwrap()
}

pub(crate) fn chat(n: i64) -> ChatId {
    ChatId::try_from(1_000_000_000_000_000_000 + n).unwrap()
}

pub(crate) fn play(n: i64) -> PlayId {
    PlayId::try_from(10_000 + n).unwrap()
}

pub(crate) fn place(n: i64) -> PlaceId {
    PlaceId::try_from(n).unwrap()
}

pub(crate) fn by_chat(n: i64) -> Subject {
    Subject::Chat(chat(n))
}

pub(crate) fn by_play(n: i64) -> Subject {
    Subject::Play(play(n))
}

/// The settings of a new guild.
pub(crate) fn settings() -> entities::guild::Settings {
    guild_row(guild(), at(0)).settings()
}

/// Seconds after the tests' beginning of time.
pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_timestamp(1_800_000_000, 0).unwrap() + Duration::seconds(seconds)
}
