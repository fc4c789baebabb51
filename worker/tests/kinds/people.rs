//! The people of a test's guild, for the platforms and the database.

use serde_json::{Value, json};

pub(crate) const GUILD: i64 = 7_000_000_000_000_000_000;
pub(crate) const GROUP: i64 = 5000;
/// Roles bound to the ranks 1, 50 and 100.
pub(crate) const MEMBER: i64 = GUILD + 1000;
pub(crate) const TRAINEE: i64 = GUILD + 1001;
pub(crate) const OFFICER: i64 = GUILD + 1002;
/// Below the bot and in no binding.
pub(crate) const DECORATION: i64 = GUILD + 1500;
pub(crate) const INTEGRATION: i64 = GUILD + 1600;
/// Below the bot and in no binding, with Manage Roles.
pub(crate) const MODERATOR: i64 = GUILD + 1700;
/// Below the bot and in no binding: of linked and of unlinked members.
pub(crate) const VERIFIED: i64 = GUILD + 1800;
pub(crate) const NEWCOMER: i64 = GUILD + 1900;
pub(crate) const BOT: i64 = GUILD + 2000;
pub(crate) const ADMIN: i64 = GUILD + 3000;
pub(crate) const RANKS: [(i16, i64); 3] = [(1, MEMBER), (50, TRAINEE), (100, OFFICER)];

#[derive(Debug, Clone)]
pub(crate) struct Person {
    pub(crate) chat: i64,
    pub(crate) play: i64,
    /// The name on the game platform.
    pub(crate) name: String,
    /// The name in the link; `None`: not linked.
    pub(crate) linked_as: Option<String>,
    /// `None`: not in the group.
    pub(crate) rank: Option<i16>,
    pub(crate) held: Vec<i64>,
    pub(crate) nick: Option<String>,
    pub(crate) in_guild: bool,
}

impl Person {
    /// Person `n`: linked, in the guild, of rank 1 in the group, with the right role and nickname.
    pub(crate) fn right(n: i64) -> Self {
        let name = format!("player_{n}");
        Self {
            chat: 1_000_000_000_000_000_000 + n,
            play: 10_000 + n,
            linked_as: Some(name.clone()),
            nick: Some(name.clone()),
            name,
            rank: Some(1),
            held: vec![MEMBER],
            in_guild: true,
        }
    }
}

/// Of every 100 people, 25 lack their role, 10 hold one too many, 5 have a wrong nickname.
pub(crate) fn crowd(count: i64) -> Vec<Person> {
    let person = |n| {
        let mut person = Person::right(n);
        match n % 100 {
            60..85 => person.held = vec![],
            85..95 => person.held = vec![MEMBER, TRAINEE],
            95.. => person.nick = Some(format!("old {}", person.name)),
            _ => {}
        }
        person
    };
    (0..count).map(person).collect()
}

/// The simulator's state.
pub(crate) fn platforms(people: &[Person]) -> Value {
    let role = |id: i64, position: i64, managed: bool| {
        let mut role = json!({ "id": id.to_string(), "name": format!("role {position}"), "position": position,
                               "managed": managed, "bot": id == BOT });
        if id == MODERATOR {
            role["permissions"] = json!((1 << 28).to_string());
        }
        role
    };
    let members = people.iter().filter(|person| person.in_guild).map(|person| {
        let roles: Vec<String> = person.held.iter().map(ToString::to_string).collect();
        json!({ "chat_id": person.chat.to_string(), "nick": person.nick, "roles": roles })
    });
    let in_group =
        people.iter().filter_map(|person| Some(json!({ "play_id": person.play, "rank": person.rank? })));
    let group_roles =
        [1, 50, 100, 255].map(|rank| json!({ "id": GROUP * 1000 + rank, "name": "r", "rank": rank }));
    let guild = json!({
        "guild_id": GUILD.to_string(), "bot_role_id": BOT.to_string(), "members": members.collect::<Vec<_>>(),
        "roles": [role(GUILD, 0, false), role(MEMBER, 1, false), role(TRAINEE, 2, false), role(OFFICER, 3, false),
            role(DECORATION, 4, false), role(INTEGRATION, 5, true), role(MODERATOR, 6, false),
            role(VERIFIED, 7, false), role(NEWCOMER, 8, false), role(BOT, 10, true), role(ADMIN, 20, false)],
    });
    let users = people.iter().map(|person| json!({ "play_id": person.play, "username": person.name }));
    json!({
        "chat": { "guilds": [guild] },
        "play": {
            "groups": [{ "group_id": GROUP, "name": "g", "roles": group_roles, "members": in_group.collect::<Vec<_>>() }],
            "users": users.collect::<Vec<_>>(),
        },
    })
}
