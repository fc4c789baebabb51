//! Servers by their heartbeats, and the commands that wait for them.

use std::time::Duration;

use entities::erasure::PLACES;
use entities::game_server::{self, Heartbeat, present};
use entities::server_command::{self, Ack, AckStatus, Acknowledged, NewCommand, State};
use entities::{CommandId, GuildId, Page, PlayId, Subject, UniverseId, guild, registered_game};

use crate::fixture::{Fixture, at, both_databases, chat, guild, other_guild, place};

fn universe() -> UniverseId {
    UniverseId::try_from(77).unwrap()
}

fn heartbeat(guild: GuildId, server: &str, player_count: i32, second: i64) -> Heartbeat {
    Heartbeat {
        guild,
        server: server.to_owned(),
        place: place(5),
        universe: universe(),
        player_count,
        players: None,
        at: at(second),
    }
}

impl Fixture {
    async fn queue(&self, servers: &[&str], second: i64) -> Vec<CommandId> {
        let command = NewCommand {
            kind: "kick".to_owned(),
            target: "10001".to_owned(),
            reason: "rule 1".to_owned(),
            issued_by: chat(9),
        };
        let servers: Vec<_> =
            servers.iter().map(|server| (CommandId(uuid::Uuid::now_v7()), (*server).to_owned())).collect();
        let queued =
            server_command::queue(self.conn(), guild(), &command, servers, at(second)).await.unwrap();
        queued.into_iter().map(|(id, _)| id).collect()
    }
}

both_databases! {
    async fn heartbeats_in_a_batch_keep_the_newest_and_never_go_back(fixture: &Fixture) {
        let batch = [
            heartbeat(guild(), "a", 3, 10),
            heartbeat(guild(), "a", 4, 20),
            heartbeat(guild(), "a", 1, 5),
            heartbeat(other_guild(), "a", 9, 10),
        ];
        game_server::heartbeat(fixture.conn(), &batch).await.unwrap();
        game_server::heartbeat(fixture.conn(), &[heartbeat(guild(), "a", 7, 15)]).await.unwrap();
        let server = game_server::find(fixture.conn(), guild(), "a").await.unwrap().unwrap();
        assert_eq!((server.player_count, server.last_heartbeat_at), (4, at(20)));
        assert_eq!(game_server::find(fixture.conn(), other_guild(), "a").await.unwrap().unwrap().player_count, 9);
    }

    async fn heartbeats_of_a_removed_guild_are_dropped_and_others_written(fixture: &Fixture) {
        let batch = |second| [heartbeat(guild(), "a", 1, second), heartbeat(other_guild(), "a", 1, second)];
        game_server::heartbeat(fixture.conn(), &batch(0)).await.unwrap();
        let heard = async |guild| {
            let found = game_server::find(fixture.conn(), guild, "a").await.unwrap();
            found.map(|server| server.last_heartbeat_at)
        };
        // SQLite has one writer at a time.
        if fixture.database.is_postgres() {
            // A change of the guild does not block its heartbeats, a removal does not block those of others.
            let change = fixture.begin().await;
            guild::find_for_update(&change, guild()).await.unwrap();
            game_server::heartbeat(fixture.conn(), &batch(5)).await.unwrap();
            change.rollback().await.unwrap();
            let removal = fixture.begin().await;
            guild::removal::finish(&removal, guild(), at(0)).await.unwrap();
            let batch = batch(10);
            let written = game_server::heartbeat(fixture.conn(), &batch);
            tokio::time::timeout(Duration::from_secs(5), written).await.unwrap().unwrap();
            removal.rollback().await.unwrap();
            assert_eq!((heard(guild()).await, heard(other_guild()).await), (Some(at(5)), Some(at(10))));
        }
        guild::removal::finish(fixture.conn(), guild(), at(0)).await.unwrap();
        game_server::heartbeat(fixture.conn(), &batch(20)).await.unwrap();
        assert_eq!((heard(guild()).await, heard(other_guild()).await), (None, Some(at(20))));
    }

    async fn a_server_is_offline_after_90_seconds_and_comes_back(fixture: &Fixture) {
        game_server::heartbeat(fixture.conn(), &[heartbeat(guild(), "a", 1, 0), heartbeat(guild(), "b", 1, 50)]).await.unwrap();
        let live = game_server::Filter { live: Some(true), ..Default::default() };
        let count = async |now| game_server::list(fixture.conn(), guild(), live, Page::first(10), at(now)).await.unwrap().len();
        assert_eq!((count(89).await, count(90).await), (2, 1));
        assert_eq!(game_server::sweep_offline(fixture.conn(), at(100), 10).await.unwrap()[0].server_id, "a");
        assert!(game_server::sweep_offline(fixture.conn(), at(100), 10).await.unwrap().is_empty());
        game_server::heartbeat(fixture.conn(), &[heartbeat(guild(), "a", 1, 120)]).await.unwrap();
        assert!(game_server::find(fixture.conn(), guild(), "a").await.unwrap().unwrap().offline_at.is_none());
        game_server::sweep_offline(fixture.conn(), at(1_000), 10).await.unwrap();
        assert_eq!(game_server::forget(fixture.conn(), at(1_001), 10).await.unwrap(), 2);
    }

    async fn the_last_list_of_players_counts_for_90_seconds(fixture: &Fixture) {
        let conn = fixture.conn();
        let with = |server: &str, players: &[i64], second| Heartbeat {
            players: Some(players.iter().map(|id| PlayId::try_from(*id).unwrap()).collect()),
            ..heartbeat(guild(), server, 2, second)
        };
        let batch = [with("a", &[11, 110], 0), with("b", &[], 0), heartbeat(guild(), "c", 5, 0)];
        game_server::heartbeat(conn, &batch).await.unwrap();
        let listed = async |server, second| {
            let found = present::find(conn, guild(), server).await.unwrap().unwrap();
            found.list(at(second)).map(|(list, at)| (list.iter().map(|id| id.get()).collect::<Vec<_>>(), at))
        };
        assert_eq!(listed("a", 10).await, Some((vec![11, 110], at(0))));
        assert_eq!((listed("b", 10).await, listed("c", 10).await), (Some((vec![], at(0))), None));
        assert!(present::find(conn, other_guild(), "a").await.unwrap().is_none());
        let found = async |play: i64, second| {
            let found = present::with_player(conn, guild(), PlayId::try_from(play).unwrap(), at(second)).await;
            found.unwrap().map(|server| server.server_id)
        };
        assert_eq!((found(11, 10).await.as_deref(), found(1, 10).await), (Some("a"), None));
        // A heartbeat says nothing about the players, and an older tick neither.
        game_server::heartbeat(conn, &[heartbeat(guild(), "a", 3, 60), with("b", &[7], -10)]).await.unwrap();
        assert_eq!(listed("a", 89).await, Some((vec![11, 110], at(0))));
        assert_eq!((listed("a", 90).await, found(11, 90).await, found(7, 10).await), (None, None, None));
        game_server::heartbeat(conn, &[with("a", &[12], 100)]).await.unwrap();
        assert_eq!((listed("a", 101).await, found(11, 101).await), (Some((vec![12], at(100))), None));
        assert_eq!(present::list(conn, guild(), at(101), 10).await.unwrap().len(), 1);
        // Nobody is on a server that is gone.
        game_server::sweep_offline(conn, at(300), 10).await.unwrap();
        game_server::heartbeat(conn, &[heartbeat(guild(), "a", 3, 130)]).await.unwrap();
        assert_eq!(listed("a", 131).await, None);
    }

    async fn an_erased_player_goes_from_the_lists_of_servers(fixture: &Fixture) {
        let conn = fixture.conn();
        let with = |server: &str, players: &[i64]| Heartbeat {
            players: Some(players.iter().map(|id| PlayId::try_from(*id).unwrap()).collect()),
            ..heartbeat(guild(), server, 2, 0)
        };
        let batch = [with("a", &[11, 110]), with("b", &[11]), with("c", &[110]), heartbeat(guild(), "d", 1, 0)];
        game_server::heartbeat(conn, &batch).await.unwrap();
        let (account, pseudonym): (Subject, Subject) = ("11".parse().unwrap(), "9".parse().unwrap());
        let lists = PLACES.iter().find(|place| place.table == "game_server").unwrap();
        assert_eq!(lists.count(conn, account).await.unwrap(), 2);
        assert_eq!(lists.erase(conn, account, pseudonym, 1).await.unwrap(), 1);
        assert_eq!(lists.erase(conn, account, pseudonym, 10).await.unwrap(), 1);
        assert_eq!(lists.count(conn, account).await.unwrap(), 0);
        for (server, left) in [("a", vec![110]), ("b", vec![]), ("c", vec![110])] {
            let found = present::find(conn, guild(), server).await.unwrap().unwrap();
            let left: Vec<_> = left.into_iter().map(|id| PlayId::try_from(id).unwrap()).collect();
            assert_eq!(found.list(at(1)).unwrap().0, left);
        }
        assert_eq!(lists.count(conn, "712345678901234567".parse().unwrap()).await.unwrap(), 0);
    }

    async fn a_command_waits_until_acknowledged_or_ten_minutes_old(fixture: &Fixture) {
        game_server::heartbeat(fixture.conn(), &[heartbeat(guild(), "a", 1, 0), heartbeat(guild(), "b", 1, 0)]).await.unwrap();
        let first = fixture.queue(&["a", "b"], 0).await[0];
        let second = fixture.queue(&["a"], 30).await[0];
        let waiting = async |now| {
            let rows = server_command::waiting(fixture.conn(), guild(), "a", at(now), 100).await.unwrap();
            rows.iter().map(|command| command.command_id).collect::<Vec<_>>()
        };
        assert_eq!(waiting(599).await, [first, second]);
        assert_eq!(waiting(600).await, [second]);
        let expired = server_command::sweep(fixture.conn(), at(600), 10).await.unwrap();
        assert_eq!((expired.len(), expired[0].state), (2, State::Expired));
        assert!(server_command::sweep(fixture.conn(), at(600), 10).await.unwrap().is_empty());
        let ack = |server, status| Ack { server, command: second, status, message: None };
        let acknowledge = async |guild, ack| server_command::acknowledge(fixture.conn(), guild, ack, at(610)).await.unwrap();
        assert_eq!(acknowledge(other_guild(), ack("a", AckStatus::Ok)).await, Acknowledged::Unknown);
        assert_eq!(acknowledge(guild(), ack("b", AckStatus::Ok)).await, Acknowledged::Unknown);
        assert!(matches!(acknowledge(guild(), ack("a", AckStatus::Error)).await, Acknowledged::Now(_)));
        let again = acknowledge(guild(), ack("a", AckStatus::Ok)).await;
        assert!(matches!(again, Acknowledged::Before(one) if one.ack_status == Some(AckStatus::Error)));
        assert!(waiting(610).await.is_empty());
        assert_eq!(server_command::list(fixture.conn(), guild(), Some("a"), Page::first(10)).await.unwrap().len(), 2);
    }

    async fn a_server_that_is_gone_gets_no_command(fixture: &Fixture) {
        game_server::heartbeat(fixture.conn(), &[heartbeat(guild(), "a", 1, 0), heartbeat(other_guild(), "b", 1, 0)]).await.unwrap();
        let queued = fixture.queue(&["gone", "a", "b"], 0).await;
        let waiting = server_command::waiting(fixture.conn(), guild(), "a", at(1), 100).await.unwrap();
        assert_eq!(queued, waiting.iter().map(|command| command.command_id).collect::<Vec<_>>());
        assert_eq!(queued.len(), 1);
    }

    async fn a_universe_is_registered_once(fixture: &Fixture) {
        let game = registered_game::Model {
            guild_id: guild(),
            universe_id: universe(),
            place_id: place(5),
            name: "Obby".to_owned(),
            registered_at: at(0),
        };
        assert!(registered_game::register(fixture.conn(), game.clone()).await.unwrap());
        assert!(!registered_game::register(fixture.conn(), game.clone()).await.unwrap());
        assert_eq!(registered_game::list(fixture.conn(), guild()).await.unwrap(), vec![game]);
    }
}
