//! Reads a fixture's `chat` and `play` parts; the rest of the file is skipped.
//!
//! Every error is one sentence with the file and either line and column (syntax) or the object (content).

mod own;

use std::path::{Path, PathBuf};

use entities::{ChatId, GroupId, GuildId, PlaceId, PlayId, RoleId, UniverseId};
use serde::Deserialize;

use crate::load::own::OwnPart;
use crate::permissions::ADMINISTRATOR;
use crate::state::{
    BOT_USER, Channel, Group, GroupRole, Guild, Member, OWNER, Role, SimulatorState, Universe,
};

#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("cannot read the simulator's state from {}: {cause}", path.display())]
    Read { path: PathBuf, cause: std::io::Error },
    /// Names the field, line and column.
    #[error("{name} is not a fixture: {cause}")]
    Form { name: String, cause: serde_json::Error },
    #[error("{name} contradicts itself: {what}")]
    Content { name: String, what: String },
}

#[derive(Deserialize)]
struct Fixture {
    /// Guildhall's part: its linked users have an account here, and its roles are not other bots'.
    #[serde(default)]
    guilds: Vec<OwnPart>,
    chat: ChatPart,
    play: PlayPart,
}

#[derive(Deserialize)]
struct ChatPart {
    guilds: Vec<GuildPart>,
    /// Users who are neither members nor linked.
    #[serde(default)]
    users: Vec<ChatId>,
    /// Whether the bot's application has the privileged intent `GUILD_MEMBERS`.
    #[serde(default = "yes")]
    guild_members_intent: bool,
}

const fn yes() -> bool {
    true
}

#[derive(Deserialize)]
struct GuildPart {
    guild_id: GuildId,
    #[serde(default)]
    name: String,
    roles: Vec<RolePart>,
    members: Vec<MemberPart>,
    bot_role_id: RoleId,
    /// Default: the human member with the lowest id.
    owner_id: Option<ChatId>,
}

#[derive(Deserialize)]
struct RolePart {
    id: RoleId,
    name: String,
    #[serde(default)]
    color: u32,
    position: i64,
    #[serde(default)]
    managed: bool,
    #[serde(default)]
    bot: bool,
    /// Digits, as the platform writes them. Default: none, and ADMINISTRATOR for a bot's role.
    permissions: Option<String>,
}

#[derive(Deserialize)]
struct MemberPart {
    chat_id: ChatId,
    #[serde(default)]
    nick: Option<Box<str>>,
    roles: Box<[RoleId]>,
    #[serde(default)]
    bot: bool,
}

#[derive(Deserialize)]
struct PlayPart {
    groups: Vec<GroupPart>,
    users: Vec<UserPart>,
    #[serde(default)]
    universes: Vec<UniversePart>,
}

#[derive(Deserialize)]
struct UniversePart {
    universe_id: UniverseId,
    root_place_id: PlaceId,
    name: Box<str>,
}

#[derive(Deserialize)]
struct GroupPart {
    group_id: GroupId,
    #[serde(default)]
    name: Box<str>,
    roles: Vec<GroupRole>,
    members: Vec<GroupMemberPart>,
}

/// A user listed twice holds both ranks.
#[derive(Deserialize)]
struct GroupMemberPart {
    play_id: PlayId,
    rank: i16,
}

#[derive(Deserialize)]
struct UserPart {
    play_id: PlayId,
    username: Box<str>,
}

impl SimulatorState {
    /// Blocks while it reads: a file of 100,000 members takes about a second.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let text = std::fs::read(path).map_err(|cause| LoadError::Read { path: path.to_owned(), cause })?;
        Self::parse(&text, &path.display().to_string())
    }

    /// The same from a text that errors call `name`.
    pub fn parse(text: &[u8], name: &str) -> Result<Self, LoadError> {
        let fixture: Fixture =
            serde_json::from_slice(text).map_err(|cause| LoadError::Form { name: name.to_owned(), cause })?;
        Self::build(fixture).map_err(|what| LoadError::Content { name: name.to_owned(), what })
    }

    fn build(fixture: Fixture) -> Result<Self, String> {
        let mut state = Self { last_channel: 5_000_000_000_000_000_000, ..Self::default() };
        state.members_intent = fixture.chat.guild_members_intent;
        state.users.extend(fixture.chat.users);
        let links = fixture.guilds.iter().flat_map(|guild| &guild.links);
        state.users.extend(links.map(|link| link.chat_id));
        state.users.extend([BOT_USER, OWNER].into_iter().filter_map(|user| ChatId::try_from(user).ok()));
        for part in fixture.chat.guilds {
            let id = part.guild_id;
            let guild = guild(part).map_err(|what| format!("chat guild {id}: {what}"))?;
            state.users.extend(guild.members.keys());
            if state.guilds.insert(id, guild).is_some() {
                return Err(format!("chat guild {id} is listed twice"));
            }
        }
        for part in fixture.guilds {
            if let Some(guild) = part.guild_id.and_then(|id| state.guilds.get_mut(&id)) {
                part.note(guild);
            }
        }
        for part in fixture.play.groups {
            let id = part.group_id;
            let group = group(part).map_err(|what| format!("play group {id}: {what}"))?;
            if state.groups.insert(id, group).is_some() {
                return Err(format!("play group {id} is listed twice"));
            }
        }
        let universes = fixture.play.universes.into_iter();
        state.universes = universes
            .map(|part| (part.universe_id, Universe { name: part.name, root_place: part.root_place_id }))
            .collect();
        state.names = fixture.play.users.into_iter().map(|user| (user.play_id, user.username)).collect();
        Ok(state)
    }
}

fn guild(part: GuildPart) -> Result<Guild, String> {
    let mut guild = Guild { name: part.name, ..Guild::default() };
    for role in part.roles {
        let RolePart { id, name, color, position, managed, bot, permissions } = role;
        let permissions = match permissions {
            Some(digits) => digits.parse().map_err(|_| format!("role {id}: permissions must be digits"))?,
            None if bot => ADMINISTRATOR,
            None => 0,
        };
        guild.roles.insert(id, Role { name, color, position, managed, permissions, bot });
    }
    if !guild.roles.contains_key(&part.bot_role_id) {
        return Err(format!("bot_role_id {} is not among the roles", part.bot_role_id));
    }
    for member in part.members {
        if let Some(unknown) = member.roles.iter().find(|role| !guild.roles.contains_key(role)) {
            return Err(format!("member {} holds the unknown role {unknown}", member.chat_id));
        }
        let MemberPart { chat_id, nick, roles, bot } = member;
        if guild.members.insert(chat_id, Member { nick, roles, bot, ..Member::default() }).is_some() {
            return Err(format!("member {chat_id} is listed twice"));
        }
    }
    guild.channels.extend(Guild::general(part.guild_id).map(|id| (id, Channel::text("general"))));
    let human = guild.members.iter().find(|(_, member)| !member.bot).map(|(id, _)| *id);
    guild.owner = part.owner_id.or(human);
    let bot = ChatId::try_from(BOT_USER).map_err(|error| error.to_string())?;
    guild.members.insert(bot, Member { roles: Box::new([part.bot_role_id]), bot: true, ..Member::default() });
    Ok(guild)
}

fn group(part: GroupPart) -> Result<Group, String> {
    if let Some(GroupRole { id, rank, .. }) = part.roles.iter().find(|role| !(0..=255).contains(&role.rank)) {
        return Err(format!("role {id} has the rank {rank}, allowed are 0 to 255"));
    }
    let mut group = Group { name: part.name, roles: part.roles, ..Group::default() };
    for GroupMemberPart { play_id, rank } in part.members {
        if !group.roles.iter().any(|role| role.rank == rank) {
            return Err(format!("member {play_id} has the rank {rank}, which no role has"));
        }
        let held = group.members.entry(play_id).or_default();
        let mut ranks = std::mem::take(held).into_vec();
        ranks.push(rank);
        ranks.sort_unstable_by(|a, b| b.cmp(a));
        ranks.dedup();
        *held = ranks.into();
    }
    Ok(group)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<SimulatorState, String> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
        SimulatorState::load(file.path()).map_err(|error| error.to_string())
    }

    fn fixture(members: &str, group_members: &str) -> String {
        format!(
            r#"{{"guilds":[{{"anything":[1],"links":[{{"chat_id":"12"}}]}}],"chat":{{"guilds":[{{"guild_id":"7","bot_role_id":"8","members":[{members}],
            "roles":[{{"id":"7","name":"@everyone","position":0}},{{"id":"8","name":"Bot","position":5}}]}}]}},
            "play":{{"users":[],"groups":[{{"group_id":5,"name":"g","roles":[{{"id":1,"name":"m","rank":1}},
            {{"id":2,"name":"n","rank":2}}],"members":[{group_members}]}}]}}}}"#
        )
    }

    #[test]
    fn a_fixture_is_read_and_the_rest_skipped() {
        let text =
            fixture(r#"{"chat_id":"11","roles":["7"]}"#, r#"{"play_id":3,"rank":1},{"play_id":3,"rank":2}"#);
        let state = load(&text).unwrap();
        assert_eq!(state.size(), (1, 1, 1));
        assert!(["11", "12"].iter().all(|id| state.users.contains(&id.parse().unwrap())));
        let guild = state.guilds.values().next().unwrap();
        assert_eq!(guild.owner, Some("11".parse().unwrap()));
        let own = r#"[{"guild_id":"7","bindings":[{"role_id":"8","group_id":5}],"settings":{"verified_role":"7"},
            "links":[{"chat_id":"12","play_id":3}]}]"#;
        let own = load(&text.replace(r#"[{"anything":[1],"links":[{"chat_id":"12"}]}]"#, own)).unwrap();
        let own = own.guilds.values().next().unwrap();
        assert_eq!((own.managed.len(), own.linked.len(), own.groups.len()), (2, 1, 1));
        let owned = text.replace(r#""bot_role_id""#, r#""owner_id":"12","bot_role_id""#);
        let owned = load(&owned).unwrap();
        assert_eq!(owned.guilds.values().next().unwrap().owner, Some("12".parse().unwrap()));
        let group = state.groups.values().next().unwrap();
        assert_eq!(group.members.values().next().unwrap().as_ref(), [2, 1]);
    }

    #[test]
    fn errors_name_their_position() {
        let form = load("{\n\"chat\": {\"guilds\": [{\"guild_id\": 7}]}}").map(|_| ()).unwrap_err();
        assert!(form.contains("line 2") && form.contains("column"), "{form}");
        let missing = load("{}").map(|_| ()).unwrap_err();
        assert!(missing.contains("missing field `chat`"), "{missing}");
        let role = load(&fixture(r#"{"chat_id":"11","roles":["9"]}"#, "")).map(|_| ()).unwrap_err();
        assert!(role.contains("member 11 holds the unknown role 9"), "{role}");
        let rank = load(&fixture("", r#"{"play_id":3,"rank":9}"#)).map(|_| ()).unwrap_err();
        assert!(rank.contains("member 3 has the rank 9"), "{rank}");
        let file = SimulatorState::load(Path::new("/nowhere/x.json")).map(|_| ()).unwrap_err().to_string();
        assert!(file.contains("/nowhere/x.json"), "{file}");
    }
}
