//! Bindings of every type, and the roles that syncs manage.

use entities::binding::{self, Condition, Rule};
use entities::{GroupId, GuildId, RoleId, guild as guilds};
use testkit::guild_row;

use crate::fixture::{Fixture, at, both_databases, guild, other_guild};

fn role(id: i64) -> RoleId {
    RoleId::try_from(id).unwrap()
}

async fn bind(fixture: &Fixture, guild: GuildId, rank: i32, id: i64) {
    let rule = Rule::new(Condition::GroupRank { group: group(), rank }, role(id));
    binding::add(fixture.conn(), guild, rule, at(0)).await.unwrap().unwrap();
}

fn group() -> GroupId {
    GroupId::try_from(5).unwrap()
}

fn conditions() -> [Condition; 7] {
    let group = group();
    [
        Condition::GroupRank { group, rank: 0 },
        Condition::GroupRankRange { group, min: 1, max: 255 },
        Condition::GroupRankRange { group, min: 1, max: 254 },
        Condition::GroupMember { group },
        Condition::GroupRole { group, role: "99513316".parse().unwrap() },
        Condition::Verified,
        Condition::Unverified,
    ]
}

both_databases! {
    async fn each_type_is_kept_once_for_a_role(fixture: &Fixture) {
        let (conn, template) = (fixture.conn(), Some("[{rank}] {play_username}".to_owned()));
        let rules = conditions().map(|condition| Rule::new(condition, role(1)));
        for rule in rules.clone() {
            let added = binding::add(conn, guild(), rule.clone(), at(0)).await.unwrap().unwrap();
            assert_eq!(binding::find(conn, guild(), added.id).await.unwrap(), Some(added.clone()));
            assert_eq!(binding::find(conn, other_guild(), added.id).await.unwrap(), None);
            let named = Rule { priority: 7, nickname_template: template.clone(), ..rule.clone() };
            assert_eq!(binding::add(conn, guild(), named.clone(), at(0)).await.unwrap(), None, "{named:?}");
            assert_eq!(binding::find_same(conn, guild(), &named).await.unwrap(), Some(added));
            let other = Rule { role_id: role(2), ..rule };
            assert_eq!(binding::find_same(conn, guild(), &other).await.unwrap(), None);
        }
        let listed = binding::list(conn, guild()).await.unwrap();
        assert_eq!(listed.iter().map(|binding| &binding.rule).collect::<Vec<_>>(), rules.iter().collect::<Vec<_>>());
        assert!(listed.is_sorted_by_key(|binding| binding.id));
    }

    async fn a_binding_becomes_another_type(fixture: &Fixture) {
        let conn = fixture.conn();
        let added = binding::add(conn, guild(), Rule::new(conditions()[0], role(1)), at(0)).await.unwrap().unwrap();
        for condition in conditions() {
            let named = Rule { priority: 9, nickname_template: Some(String::new()), ..Rule::new(condition, role(1)) };
            for rule in [named, Rule::new(condition, role(2))] {
                binding::replace(conn, guild(), added.id, rule.clone()).await.unwrap();
                assert_eq!(binding::find(conn, guild(), added.id).await.unwrap().unwrap().rule, rule);
            }
        }
        binding::add(conn, guild(), Rule::new(Condition::Verified, role(2)), at(0)).await.unwrap().unwrap();
        binding::replace(conn, guild(), added.id, Rule::new(Condition::Verified, role(2))).await.unwrap_err();
    }

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
