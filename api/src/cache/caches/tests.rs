use bytes::Bytes;
use entities::moderation_revision::{Change, Numbers};
use entities::{ChatId, CommandId, GuildId, Person, SessionId};
use runtime::{Breaker, Clock, Events, ModerationVerb};
use sea_orm::DbErr;
use testkit::{TestDatabase, until};
use uuid::Uuid;

use super::*;
use crate::response::ready::Ready;

const KEY: &str = "abcdefgh";

fn guild() -> GuildId {
    "5".parse().unwrap()
}

fn other_guild() -> GuildId {
    "6".parse().unwrap()
}

fn session() -> SessionId {
    SessionId(Uuid::from_u128(1))
}

/// Asks every cache for one entry of each of two guilds. Returns those that had to be read.
async fn read(caches: &Caches, clock: &Clock) -> Vec<String> {
    let read = std::cell::RefCell::new(Vec::new());
    let note = |what: &str| read.borrow_mut().push(what.to_owned());
    for (guild, of) in [(guild(), ""), (other_guild(), " of the other")] {
        let list = |what: &'static str| async move {
            note(&format!("{what}{of}"));
            Ok::<_, DbErr>(Arc::new(Ready::new(Bytes::from_static(b"x").into(), None, None)))
        };
        let bans = (SanctionKind::Ban, Places::All);
        caches.active_lists.get_or_build(guild, bans, clock, || list("bans")).await.unwrap();
        caches.members.get_or_build(guild, MemberList::Members, clock, || list("members")).await.unwrap();
        let subject = Subject::Play(7.try_into().unwrap());
        let links = || async {
            note(&format!("links{of}"));
            Ok::<_, DbErr>(None)
        };
        caches.links.get_or_load(guild, subject, links).await.unwrap();
        let staff = || async {
            note(&format!("staff{of}"));
            Ok::<_, DbErr>(Arc::default())
        };
        caches.staff.get_or_load(guild, (), staff).await.unwrap();
        let known = || async {
            note(&format!("session{of}"));
            Ok(None)
        };
        caches.sessions.entries.get_or_load(&(guild, session()), known).await.unwrap();
        let commands = || async {
            note(&format!("commands{of}"));
            Ok(Arc::default())
        };
        caches.commands.entries.get_or_load(&(guild, "s1".to_owned()), commands).await.unwrap();
    }
    let key = || async {
        note("key");
        Ok(None)
    };
    caches.keys.rows.get_or_load(&KEY.into(), key).await.unwrap();
    read.into_inner()
}

#[tokio::test]
async fn a_changed_key_is_read_again() {
    let file = TestDatabase::sqlite().await;
    let database = file.open().await;
    let caches = Caches::new(&database, Events::in_process(Breaker::default()).freshness(), &Shutdown::new());
    let (keys, conn) = (&caches.keys, database.read());
    assert!(keys.load(conn, KEY).await.unwrap().is_none());
    assert!(matches!(keys.rows.get(KEY), Some(None)), "an unknown id is cached too");
    caches.hear(&Event::KeyChanged { public_id: KEY.to_owned() });
    assert!(keys.rows.get(KEY).is_none());
    keys.load(conn, KEY).await.unwrap();
    caches.hear(&Event::Resync);
    assert!(keys.rows.get(KEY).is_none());
}

#[tokio::test]
async fn each_event_drops_what_it_changed_and_nothing_else() {
    let file = TestDatabase::sqlite().await;
    let database = file.open().await;
    let (events, shutdown, clock) =
        (Events::in_process(Breaker::default()), Shutdown::new(), Clock::system());
    let caches = Caches::new(&database, events.freshness(), &shutdown);
    events.follow(database.clone(), clock.clone(), &shutdown);
    until(|| events.freshness().is_fresh()).await;
    let all = ["bans", "members", "links", "staff", "session", "commands"];
    let of_both: Vec<_> =
        all.map(str::to_owned).into_iter().chain(all.map(|one| format!("{one} of the other"))).collect();
    let everything: Vec<_> = of_both.iter().map(String::as_str).chain(["key"]).collect();
    assert_eq!(read(&caches, &clock).await, everything);
    assert!(read(&caches, &clock).await.is_empty(), "they are kept");

    let guild = guild();
    let change = Change { guild, epoch: 0, revision: 1, now: clock.now(), numbers: Numbers::default() };
    let person = Person { chat: Some(ChatId::try_from(9).unwrap()), play: None };
    let ban = Event::moderation(&change, ModerationVerb::Ban, person, "r", None).unwrap();
    let queued = Event::CommandQueued {
        guild,
        kind: "kick".to_owned(),
        target_id: "7".to_owned(),
        reason: "r".to_owned(),
        issued_at: clock.now(),
        servers: vec![(CommandId(Uuid::nil()), "s1".to_owned())],
    };
    let acknowledged = |server: &str| Event::CommandAcknowledged { guild, server_id: server.to_owned() };
    let nothing: &[&str] = &[];
    for (event, dropped) in [
        (Event::KeyChanged { public_id: KEY.to_owned() }, &["key"][..]),
        (Event::KeyChanged { public_id: "another1".to_owned() }, nothing),
        (ban, &["bans"]),
        (Event::LinksChanged { guild }, &["bans", "members", "links", "staff"]),
        (Event::NamesChanged { guild }, &["members", "links"]),
        (Event::StaffChanged { guild }, &["staff"]),
        (Event::SessionEnded { guild, session: session() }, &["session"]),
        (Event::SessionEnded { guild, session: SessionId(Uuid::from_u128(2)) }, nothing),
        (queued, &["commands"]),
        (acknowledged("s1"), &["commands"]),
        (acknowledged("s2"), nothing),
        (Event::ShieldChanged { plays: Vec::new() }, nothing),
        (Event::JobsCancelled { jobs: Vec::new() }, nothing),
        (Event::Resync, &everything),
    ] {
        caches.hear(&event);
        assert_eq!(read(&caches, &clock).await, dropped, "{event:?}");
    }
    shutdown.cut();
    shutdown.wait().await;
}
