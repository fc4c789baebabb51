//! A ban and the game servers that are live (docs/rules.md 7).

use entities::audit_entry::Actor;
use entities::game_server::{self, Heartbeat};
use entities::{ChatId, PlayId, SanctionKind, Subject, moderation_revision};
use jobs::moderation::{Done, LiveServers, Order, Wanted, execute};
use runtime::{Context, UnitOfWork};

use crate::fixture::{Fixture, guild_id};
use crate::people::Person;

/// Bans the player, with the servers that were read before; returns how many are told to remove them.
async fn ban(context: &Context, player: i64, servers: &LiveServers) -> usize {
    let subject = Subject::Play(PlayId::try_from(player).unwrap());
    let order = Order {
        kind: SanctionKind::Ban,
        subject,
        person: subject.into(),
        moderator: ChatId::SYSTEM,
        sender: Actor::service(),
        done_on_chat: false,
        imported: None,
        wanted: Wanted::Imposed { place: None, reason: "spam".to_owned(), expires_at: None, kick: true },
    };
    let mut work = UnitOfWork::begin(context).await.unwrap();
    let mut change = moderation_revision::begin(work.tx(), guild_id(), work.now()).await.unwrap();
    let done = execute(&mut work, &mut change, servers, &[order]).await.unwrap();
    work.commit().await.unwrap();
    let [Done::Imposed { kicks, .. }] = done.as_slice() else { panic!("{done:?}") };
    *kicks
}

#[tokio::test]
async fn a_ban_stands_though_a_server_closes_meanwhile() {
    let people = [Person::right(0)];
    for fixture in [Fixture::new(&people).await, Fixture::on_postgres(&people).await] {
        let context = fixture.context().await;
        let (conn, now) = (context.database.write(), context.clock.now());
        let heartbeat = |server: &str| Heartbeat {
            guild: guild_id(),
            server: server.to_owned(),
            place: 5.try_into().unwrap(),
            universe: 77.try_into().unwrap(),
            player_count: 1,
            players: None,
            at: now,
        };
        game_server::heartbeat(conn, &["a", "b"].map(heartbeat)).await.unwrap();
        let servers = LiveServers::read(conn, guild_id(), now).await.unwrap();
        assert!(game_server::remove(conn, guild_id(), "a").await.unwrap());
        assert_eq!(ban(&context, 601, &servers).await, 1);
        assert!(game_server::remove(conn, guild_id(), "b").await.unwrap());
        assert_eq!(ban(&context, 602, &servers).await, 0);
    }
}
