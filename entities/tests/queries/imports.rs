//! Imports that can be undone.

use chrono::TimeDelta;
use entities::import::{self, Kind, Made, UNDONE_WITHIN};
use entities::{ChatId, PlayId, SanctionId};

use crate::fixture::{Fixture, at, both_databases, guild, other_guild};

both_databases! {
    async fn an_import_is_there_for_a_day_and_what_it_made_with_it(fixture: &Fixture) {
        let (conn, by) = (fixture.conn(), ChatId::try_from(7).unwrap());
        let bans = Made::Bans([4, 5].map(|id| SanctionId::try_from(id).unwrap()).to_vec());
        let links = Made::Links(vec![(by, PlayId::try_from(8).unwrap())]);
        let first = import::add(conn, guild(), by, bans.clone(), at(1)).await.unwrap();
        let second = import::add(conn, guild(), by, links.clone(), at(2)).await.unwrap();
        assert_eq!((first.kind, second.kind), (Kind::Bans, Kind::Links));
        let recent = import::recent(conn, guild(), at(3)).await.unwrap();
        assert_eq!(recent, [second.clone(), first.clone()]);
        assert_eq!((&recent[1].made, &recent[0].made), (&bans, &links));
        assert_eq!(import::recent(conn, other_guild(), at(3)).await.unwrap(), []);
        let found = import::find_for_update(conn, other_guild(), first.import_id).await.unwrap();
        assert!(found.is_none());
        let day = TimeDelta::from_std(UNDONE_WITHIN).unwrap();
        assert_eq!(import::recent(conn, guild(), at(1) + day).await.unwrap(), [second]);
        assert_eq!(import::prune(conn, at(1) + day).await.unwrap(), 1);
        assert_eq!(import::recent(conn, guild(), at(3)).await.unwrap().len(), 1);
    }
}
