//! A migrated database of one's own for each test, with two guilds.

use chrono::Duration;
use entities::{
    ChatId, GuildId, PlaceId, PlayId, RoleId, Subject, Timestamp, link, staff_member, staff_role,
};
use futures_util::FutureExt;
use runtime::{Database, DatabaseOptions};
use sea_orm::{ConnectionTrait, DatabaseConnection, DatabaseTransaction};
use std::panic::AssertUnwindSafe;

/// Runs a test body on both databases, as two tests.
macro_rules! both_databases {
    ($(async fn $name:ident($hall:ident: &$type:ident) $body:block)+) => { $(
        mod $name {
            use super::*;

            async fn body($hall: &$type) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                $crate::support::on_sqlite(async |hall| body(hall).await).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                $crate::support::on_postgres(async |hall| body(hall).await).await;
            }
        }
    )+ };
}
pub(crate) use both_databases;

pub(crate) struct Hall {
    pub(crate) database: Database,
}

impl Hall {
    pub(crate) fn conn(&self) -> &DatabaseConnection {
        self.database.write()
    }

    pub(crate) async fn begin(&self) -> DatabaseTransaction {
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
        };
        link::upsert_many(self.conn(), vec![row]).await.unwrap();
    }

    /// Makes somebody staff, by a role that is called `Mod <role>`.
    pub(crate) async fn hire(&self, chat: ChatId, role: i64) {
        let new = staff_role::NewRole {
            role: RoleId::try_from(role).unwrap(),
            role_name: format!("Mod {role}"),
            permissions: vec!["lookup.read".to_owned()],
            play_permissions: vec!["kick".to_owned(), "warn".to_owned()],
        };
        let role = staff_role::upsert(self.conn(), guild(), new, at(0)).await.unwrap().role_id;
        let member =
            staff_member::Model { guild_id: guild(), chat_id: chat, role_id: role, joined_at: at(0) };
        staff_member::upsert(self.conn(), member).await.unwrap();
    }

    async fn furnish(&self) {
        migrations::apply(self.conn()).await.unwrap();
        for guild_id in [guild(), other_guild()] {
            let guild = entities::guild::Model {
                guild_id,
                name: "Guild".to_owned(),
                shield_writer: false,
                mirror_bans: true,
                nickname_template: String::new(),
                time_zone: "UTC".to_owned(),
                week_start: 1,
                strike_days: 90,
                score_weights: sea_orm::JsonValue::Null,
                created_at: at(0),
            };
            entities::guild::upsert(self.conn(), guild).await.unwrap();
        }
    }
}

pub(crate) async fn on_sqlite(test: impl AsyncFnOnce(&Hall)) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/hall.db", folder.path().display());
    let hall = Hall { database: Database::connect(&url, &DatabaseOptions::default()).await.unwrap() };
    hall.furnish().await;
    test(&hall).await;
    hall.database.close().await;
}

pub(crate) async fn on_postgres(test: impl AsyncFnOnce(&Hall)) {
    let Ok(server) = std::env::var("GUILDHALL_TEST_DATABASE_URL") else {
        eprintln!("skipped: GUILDHALL_TEST_DATABASE_URL is not set");
        return;
    };
    let options = DatabaseOptions { max_connections: 4, ..DatabaseOptions::default() };
    let admin = sea_orm::Database::connect(&server).await.unwrap();
    let schema = format!("queries_{}", uuid::Uuid::now_v7().simple());
    admin.execute_unprepared(&format!("CREATE SCHEMA {schema}")).await.unwrap();
    let url = format!("{server}?options[search_path]={schema}");
    let hall = Hall { database: Database::connect(&url, &options).await.unwrap() };
    let outcome = AssertUnwindSafe(async {
        hall.furnish().await;
        test(&hall).await;
    })
    .catch_unwind()
    .await;
    hall.database.close().await;
    admin.execute_unprepared(&format!("DROP SCHEMA {schema} CASCADE")).await.unwrap();
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
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

/// Seconds after the tests' beginning of time.
pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_timestamp(1_800_000_000, 0).unwrap() + Duration::seconds(seconds)
}
