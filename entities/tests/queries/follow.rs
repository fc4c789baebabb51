//! Following: which guilds are due, and the turns of passes in their part of the budget.

use chrono::TimeDelta;
use entities::follow::{self, Model};
use entities::follow_budget;

use crate::fixture::{Fixture, at, both_databases, chat, guild, other_guild, play};

both_databases! {
    async fn a_guild_with_links_is_due_until_it_is_off_stopped_or_under_way(fixture: &Fixture) {
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
        let usual = follow::read(conn, other_guild(), at(8)).await.unwrap();
        assert_eq!((usual.due_at, usual.every_minutes, usual.job_id), (at(8), None, None));
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
}
