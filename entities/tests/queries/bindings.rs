//! The roles that syncs manage.

use entities::binding::{self, Kind, Rule};
use entities::{GroupId, GuildId, RoleId, guild as guilds};
use testkit::guild_row;

use crate::fixture::{Fixture, at, both_databases, guild, other_guild};

fn role(id: i64) -> RoleId {
    RoleId::try_from(id).unwrap()
}

async fn bind(fixture: &Fixture, guild: GuildId, rank: i32, id: i64) {
    let rule =
        Rule { kind: Kind::GroupRank, group_id: GroupId::try_from(5).unwrap(), rank, role_id: role(id) };
    binding::add(fixture.conn(), guild, rule, at(0)).await.unwrap().unwrap();
}

both_databases! {
    async fn roles_of_bindings_and_of_links_are_managed(fixture: &Fixture) {
        let managed = async |of, asked: &[i64]| {
            let asked: Vec<_> = asked.iter().copied().map(role).collect();
            let mut found = binding::managed_roles(fixture.conn(), of, &asked).await.unwrap();
            found.sort_unstable();
            found.into_iter().map(RoleId::get).collect::<Vec<_>>()
        };
        assert!(managed(guild(), &[1, 2]).await.is_empty());
        bind(fixture, guild(), 1, 1).await;
        bind(fixture, guild(), 2, 1).await;
        bind(fixture, other_guild(), 1, 4).await;
        let row = guilds::Model {
            verified_role: Some(role(1)),
            unverified_role: Some(role(3)),
            ..guild_row(guild(), at(0))
        };
        guilds::upsert(fixture.conn(), row).await.unwrap();
        assert_eq!(managed(guild(), &[1, 2, 3, 4]).await, [1, 3]);
        assert_eq!(managed(guild(), &[3]).await, [3]);
        assert!(managed(guild(), &[]).await.is_empty());
        assert_eq!(managed(other_guild(), &[1, 2, 3, 4]).await, [4]);
    }
}
