//! A small fixture in the form of `guildhall seed` and `guildhall simulate`: guilds whose members differ from
//! their bindings in every way a sync has to correct.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Value, json};

const RANKS: [(i64, &str); 5] =
    [(1, "Member"), (50, "Trainee"), (100, "Officer"), (200, "Captain"), (255, "Owner")];
/// Ranks that are bound to a role.
const BOUND_RANKS: usize = 4;
const ALL_SCOPES: [&str; 8] = ["read", "moderation", "staff", "play", "sync", "shield", "links", "admin"];

/// An existing chat user without a guild.
pub const OUTSIDER: &str = "1999999999999999001";

pub struct Fixture {
    pub guilds: Vec<Guild>,
}

pub struct Guild {
    pub id: String,
    pub group: i64,
    /// Default scopes.
    pub game_key: String,
    /// All scopes.
    pub admin_key: String,
    /// Role of rank 1, 50, 100, 200.
    pub roles: [String; BOUND_RANKS],
    pub bot_role: String,
    /// Above the bot.
    pub high_role: String,
    /// Below the bot, with Manage Server; in no binding.
    pub privileged_role: String,
    pub members: Vec<Member>,
}

/// Of ten members six are correct, two lack their role, one holds a surplus role, one has an old nickname.
pub struct Member {
    pub chat: String,
    pub play: i64,
    pub name: String,
    pub rank: i64,
    /// The role that the rank demands.
    pub wanted: String,
    /// Before any sync.
    pub held: Vec<String>,
    pub nick: String,
}

impl Member {
    pub fn needs_change(&self) -> bool {
        self.held != [self.wanted.clone()] || self.nick != self.name
    }
}

impl Guild {
    /// The first member without the wanted role.
    pub fn lacking(&self) -> &Member {
        self.members.iter().find(|member| member.held.is_empty()).unwrap()
    }

    pub fn with_extra(&self) -> &Member {
        self.members.iter().find(|member| member.held.len() == 2).unwrap()
    }

    pub fn misnamed(&self) -> &Member {
        self.members.iter().find(|member| member.nick != member.name).unwrap()
    }

    pub fn right(&self) -> &Member {
        self.members.iter().find(|member| !member.needs_change()).unwrap()
    }

    pub fn changes(&self) -> usize {
        self.members.iter().filter(|member| member.needs_change()).count()
    }

    fn new(index: usize, members: usize) -> Self {
        let id = 7_000_000_000_000_000_000_u64 + index as u64 * 10_000;
        let roles = [0, 1, 2, 3].map(|n| (id + 1_000 + n).to_string());
        Self {
            id: id.to_string(),
            group: 5_000 + i64::try_from(index).unwrap(),
            game_key: key_text(index, "game"),
            admin_key: key_text(index, "admin"),
            members: (0..members).map(|n| member(index, n, &roles)).collect(),
            bot_role: (id + 2_000).to_string(),
            high_role: (id + 3_000).to_string(),
            privileged_role: (id + 4_000).to_string(),
            roles,
        }
    }

    fn record(&self, index: usize) -> Value {
        let owner = &self.members[0].chat;
        let links = self.members.iter().map(|member| {
            json!({ "chat_id": member.chat, "play_id": member.play, "play_username": member.name,
                    "verified_at": "2026-04-12T18:33:21Z" })
        });
        let bindings = self.roles.iter().zip(RANKS).map(|(role, (rank, _))| {
            json!({ "type": "group_rank", "group_id": self.group, "rank": rank, "role_id": role })
        });
        json!({
            "guild_id": self.id, "name": format!("Guild {index}"), "shield_writer": index.is_multiple_of(2),
            "settings": { "mirror_bans": true, "nickname_template": "{play_username}", "time_zone": "UTC" },
            "keys": [{ "name": "game servers", "text": self.game_key, "owner_id": owner },
                     { "name": "dashboard", "text": self.admin_key, "owner_id": owner, "scopes": ALL_SCOPES }],
            "links": links.collect::<Vec<_>>(), "bindings": bindings.collect::<Vec<_>>(),
            "staff_roles": self.staff_roles(), "staff": self.staff(), "bans": [], "panels": [], "submissions": [],
        })
    }

    /// Admin (the high role) and Moderator (the role of rank 200).
    fn staff_roles(&self) -> Value {
        json!([
            { "role_id": self.high_role, "role_name": "Admin", "play_permissions": ["kick", "ban", "warn"],
              "permissions": ["moderation.read", "moderation.write", "lookup.read"] },
            { "role_id": self.roles[3], "role_name": "Moderator", "play_permissions": ["kick", "warn"],
              "permissions": ["moderation.read", "lookup.read"] },
        ])
    }

    /// The first member as Admin, the next three as Moderators.
    fn staff(&self) -> Value {
        let member = |(n, member): (usize, &Member)| {
            let role = if n == 0 { &self.high_role } else { &self.roles[3] };
            json!({ "chat_id": member.chat, "role_id": role, "joined_at": "2026-01-05T09:00:00Z" })
        };
        self.members.iter().take(4).enumerate().map(member).collect()
    }

    fn chat(&self, index: usize) -> Value {
        let role = |id: &str, name: &str, position: usize, managed: bool| {
            json!({ "id": id, "name": name, "color": 0x33_66_CC, "position": position, "managed": managed,
                    "bot": managed })
        };
        let mut roles = vec![role(&self.id, "@everyone", 0, false), role(&self.bot_role, "Bot", 10, true)];
        roles.push(role(&self.high_role, "Admin", 20, false));
        let mut privileged = role(&self.privileged_role, "Steward", 5, false);
        privileged["permissions"] = json!((1 << 5).to_string());
        roles.push(privileged);
        roles.extend(
            self.roles.iter().zip(RANKS).zip(1..).map(|((id, (_, name)), n)| role(id, name, n, false)),
        );
        let members = self
            .members
            .iter()
            .map(|member| json!({ "chat_id": member.chat, "nick": member.nick, "roles": member.held }));
        json!({ "guild_id": self.id, "name": format!("Guild {index}"), "roles": roles,
                "members": members.collect::<Vec<_>>(), "bot_role_id": self.bot_role })
    }

    fn play(&self, index: usize) -> Value {
        let roles = RANKS
            .iter()
            .zip(0..)
            .map(|((rank, name), n)| json!({ "id": self.group * 1_000 + n, "name": name, "rank": rank }));
        let members =
            self.members.iter().map(|member| json!({ "play_id": member.play, "rank": member.rank }));
        json!({ "group_id": self.group, "name": format!("Group {index}"), "roles": roles.collect::<Vec<_>>(),
                "members": members.collect::<Vec<_>>() })
    }
}

impl Fixture {
    pub fn new(guilds: usize, members: usize) -> Self {
        Self { guilds: (0..guilds).map(|index| Guild::new(index, members)).collect() }
    }

    /// The two guilds of this number in a larger fixture.
    pub fn pair(number: usize, members: usize) -> Self {
        Self { guilds: (2 * number..2 * number + 2).map(|index| Guild::new(index, members)).collect() }
    }

    /// Guilds of these sizes in which every member lacks their role.
    pub fn differing(sizes: &[usize]) -> Self {
        let guild = |(index, size): (usize, &usize)| {
            let mut guild = Guild::new(index, *size);
            for member in &mut guild.members {
                (member.held, member.nick) = (Vec::new(), member.name.clone());
            }
            guild
        };
        Self { guilds: sizes.iter().enumerate().map(guild).collect() }
    }

    /// The second half of each guild holds its role and has an old nickname.
    #[must_use]
    pub fn renamed_half(mut self) -> Self {
        for guild in &mut self.guilds {
            let half = guild.members.len() / 2;
            for member in &mut guild.members[half..] {
                (member.held, member.nick) = (vec![member.wanted.clone()], format!("old {}", member.name));
            }
        }
        self
    }

    pub fn json(&self) -> Value {
        let guilds = || self.guilds.iter().enumerate();
        let users = self.guilds.iter().flat_map(|guild| &guild.members);
        json!({
            "guilds": guilds().map(|(index, guild)| guild.record(index)).collect::<Vec<_>>(),
            "shield": [],
            "chat": { "guilds": guilds().map(|(index, guild)| guild.chat(index)).collect::<Vec<_>>(),
                      "users": [OUTSIDER] },
            "play": {
                "groups": guilds().map(|(index, guild)| guild.play(index)).collect::<Vec<_>>(),
                "users": users.map(|user| json!({ "play_id": user.play, "username": user.name })).collect::<Vec<_>>(),
                "universes": [{ "universe_id": 13_058, "root_place_id": 1_818, "name": "Crossroads" }],
            },
        })
    }
}

fn member(guild: usize, n: usize, roles: &[String; BOUND_RANKS]) -> Member {
    let (guild_part, index) = (u64::try_from(guild).unwrap(), u64::try_from(n).unwrap());
    let name = format!("player_{guild}_{n}");
    let rank = n % 7 % BOUND_RANKS;
    let wanted = roles[rank].clone();
    let (held, nick) = match n % 10 {
        6 | 7 => (Vec::new(), name.clone()),
        8 => (vec![wanted.clone(), roles[(rank + 1) % BOUND_RANKS].clone()], name.clone()),
        9 => (vec![wanted.clone()], format!("old {name}")),
        _ => (vec![wanted.clone()], name.clone()),
    };
    Member {
        chat: (1_000_000_000_000_000_000 + guild_part * 1_000_000_000 + index).to_string(),
        play: i64::try_from(10_000 + guild_part * 10_000_000 + index).unwrap(),
        name,
        rank: RANKS[rank].0,
        wanted,
        held,
        nick,
    }
}

/// A key that is well-formed by docs/rules.md 1: `gh_<8>_<40><CRC-32 of both>`. Fixed for each guild and name.
pub fn key_text(guild: usize, name: &str) -> String {
    let public = digits((guild, name, 1), 8);
    key_with(&public, guild, name)
}

/// With this public id, eight hexadecimal digits.
pub fn key_with(public: &str, guild: usize, name: &str) -> String {
    let secret = digits((guild, name, 2), 40);
    format!("gh_{public}_{secret}{:08x}", crc32(format!("{public}{secret}").as_bytes()))
}

/// This many hexadecimal digits of the hash.
fn digits(of: (usize, &str, u32), len: usize) -> String {
    let hash = |part: usize| {
        let mut hasher = DefaultHasher::new();
        (of, part).hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    };
    (0..3).map(hash).collect::<String>()[..len].to_owned()
}

/// A separate implementation, so that the product's checksum is not checked against itself.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0_u32, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

#[test]
fn the_checksum_is_crc_32() {
    assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
}
