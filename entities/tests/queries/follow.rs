//! Following: which guilds are due, and the turns of passes in their part of the budget.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use entities::follow::{self, Model};
use entities::job_pause::{self, Note, Scope};
use entities::{Timestamp, follow_budget};

use crate::fixture::{Fixture, at, both_databases, chat, guild, other_guild, play};

both_databases! {
    async fn a_guild_with_links_is_due_until_it_is_off_stopped_paused_or_under_way(fixture: &Fixture) {
        let conn = fixture.conn();
        assert_eq!(follow::add_missing(conn, at(5)).await.unwrap(), 0, "nobody is linked");
        fixture.link(chat(1), play(1)).await;
        assert_eq!(follow::add_missing(conn, at(5)).await.unwrap(), 1);
        assert_eq!(follow::add_missing(conn, at(6)).await.unwrap(), 0, "it is there");
        let due = async |seconds| follow::due(conn, at(seconds), 9).await.unwrap();
        assert_eq!((due(4).await, due(5).await), (vec![], vec![guild()]));
        let row = follow::lock(conn, guild(), at(7)).await.unwrap();
        assert_eq!((row.due_at, row.brake()), (at(5), Some(10)));
        let job = Some(entities::JobId(uuid::Uuid::from_u128(9)));
        for (changed, is_due) in [
            (Model { every_minutes: Some(0), ..row.clone() }, false),
            (Model { every_minutes: Some(60), ..row.clone() }, true),
            (Model { stopped: Some("too many".to_owned()), ..row.clone() }, false),
            (Model { job_id: job, ..row.clone() }, false),
            (row.clone(), true),
        ] {
            follow::save(conn, changed.clone()).await.unwrap();
            assert_eq!(!due(9).await.is_empty(), is_due, "{changed:?}");
        }
        job_pause::create(conn, Scope::Guild(other_guild()), Note::default(), at(8)).await.unwrap();
        assert_eq!(due(9).await, [guild()]);
        job_pause::create(conn, Scope::Guild(guild()), Note::default(), at(8)).await.unwrap();
        assert!(due(9).await.is_empty(), "its jobs are paused");
        let usual = follow::read(conn, other_guild(), at(8)).await.unwrap();
        assert_eq!((usual.due_at, usual.every_minutes, usual.job_id), (at(8), None, None));
    }

    async fn a_guild_ages_from_its_last_success_unless_it_is_off_or_stopped(fixture: &Fixture) {
        let conn = fixture.conn();
        fixture.link(chat(1), play(1)).await;
        follow::add_missing(conn, at(5)).await.unwrap();
        let ages = async || follow::ages_from(conn).await.unwrap();
        assert_eq!(ages().await, [at(5)], "no pass has ended");
        let row = follow::lock(conn, guild(), at(7)).await.unwrap();
        for (changed, from) in [
            (Model { ended_at: Some(at(9)), ..row.clone() }, vec![at(5)]),
            (Model { age_from: Some(at(9)), ..row.clone() }, vec![at(9)]),
            (Model { every_minutes: Some(0), ..row.clone() }, vec![]),
            (Model { stopped: Some("too many".to_owned()), ..row.clone() }, vec![]),
            (Model { age_from: None, ended_at: Some(at(8)), ..row.clone() }, vec![at(8)]),
            (Model { age_from: None, ..row.clone() }, vec![]),
        ] {
            follow::save(conn, changed.clone()).await.unwrap();
            assert_eq!(ages().await, from, "{changed:?}");
        }
    }

    async fn calls_of_passes_come_one_after_another(fixture: &Fixture) {
        let plan = async |seconds: i64, now: i64| {
            follow_budget::plan(fixture.conn(), TimeDelta::seconds(seconds), at(now)).await.unwrap()
        };
        assert_eq!(plan(10, 0).await, at(0));
        assert_eq!(plan(5, 1).await, at(10));
        assert_eq!(plan(5, 2).await, at(15));
        assert_eq!(plan(1, 60).await, at(60), "what was not used is lost");
        assert_eq!(plan(1, 59).await, at(61), "another clock changes nothing");
    }

    async fn small_guilds_do_not_wait_for_a_large_one(fixture: &Fixture) {
        // 500 guilds of 200 members beside one of 100,000, all in passes one after another: 4 calls for ranks and 2 for names
        // of 200 members, 20 and 10 for each page of 1,000; 150 calls a minute are for passes.
        let length = |calls: i32| TimeDelta::minutes(1) * calls / 150;
        let (small, large) = ((1, 6), (100, 30));
        let guilds: Vec<(i32, i32)> = std::iter::repeat_n(small, 500).chain([large]).collect();
        let mut asks: BTreeSet<(Timestamp, usize)> = (0..guilds.len()).map(|guild| (at(0), guild)).collect();
        let mut passes: Vec<(i32, Timestamp, Vec<TimeDelta>)> = vec![(0, at(0), Vec::new()); guilds.len()];
        let mut used = vec![0.0; guilds.len()];
        // Five rounds of turns.
        for _ in 0..5 * guilds.len() {
            let (now, guild) = asks.pop_first().unwrap();
            let (pages, calls) = guilds[guild];
            let turn = follow_budget::plan(fixture.conn(), length(calls), now).await.unwrap();
            let (done, began, lengths) = &mut passes[guild];
            let end = turn + length(calls);
            used[guild] += f64::from(calls);
            *done += 1;
            if *done % pages == 0 {
                lengths.push(end - *began);
                *began = end;
            }
            asks.insert((end, guild));
        }
        // All share equally: what one guild's calls take if each of the others gets as many at the same time.
        let ideal = length(small.1) * i32::try_from(guilds.len()).unwrap();
        let longest = passes.iter().flat_map(|(_, _, lengths)| lengths).max().unwrap();
        assert!(*longest <= ideal * 2, "{longest} instead of {ideal}");
        // Jain's index of the calls that each got.
        let squares: f64 = used.iter().map(|calls| calls * calls).sum();
        let jain = used.iter().sum::<f64>().powi(2) / (501.0 * squares);
        assert!(jain >= 0.95, "{jain}");
        println!("longest pass {longest}, ideal {ideal}, Jain's index {jain:.3}");
    }
}
