//! Who plays the chat client, and what is open.

use entities::{ChatId, GuildId, PlayId};
use percent_encoding::{NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};

use crate::endpoints::game as playing;
use crate::game::Screen;
use crate::objects;
use crate::route::Input;
use crate::snowflake::Snowflake;
use crate::state::{Guild, Member, SimulatorState};

/// Who plays, and what is open.
pub(super) struct Visit<'s> {
    pub(super) state: &'s SimulatorState,
    pub(super) guild_id: GuildId,
    pub(super) guild: &'s Guild,
    pub(super) user: ChatId,
    pub(super) member: &'s Member,
    /// The command whose form is open.
    pub(super) command: Option<String>,
    /// The last interaction: its failure or modal is shown.
    pub(super) last: Option<Snowflake>,
    /// Whom the person plays in the game.
    pub(super) player: Option<(PlayId, String)>,
    pub(super) screen: Screen,
}

impl<'s> Visit<'s> {
    /// By default the first guild, and its first member without a role.
    pub(super) fn read(state: &'s SimulatorState, input: &Input) -> Option<Self> {
        let guild_id =
            input.query("guild").map_or_else(|| state.guilds.keys().next().copied(), |id| id.parse().ok())?;
        let guild = state.guilds.get(&guild_id)?;
        let user = input
            .query("user")
            .map_or_else(|| people(guild).first().map(|(id, _)| *id), |id| id.parse().ok())?;
        let member = guild.members.get(&user)?;
        let command = input.query("command").map(str::to_owned).filter(|command| !command.is_empty());
        let last = input.query("last").and_then(|id| id.parse().ok());
        let (player, screen) = (playing::player(state, input), Screen::default());
        Some(Self { state, guild_id, guild, user, member, command, last, player, screen })
    }

    pub(super) fn address(&self) -> String {
        let player = self.player.as_ref().map(|(_, name)| format!("&amp;player={}", encoded(name)));
        format!("/client?guild={}&amp;user={}{}", self.guild_id, self.user, player.unwrap_or_default())
    }
}

/// Members of the guild, those without a role first.
pub(super) fn people(guild: &Guild) -> Vec<(ChatId, &Member)> {
    let humans = guild.members.iter().filter(|(_, member)| !member.bot);
    let mut people: Vec<(ChatId, &Member)> = humans.map(|(id, member)| (*id, member)).collect();
    people.sort_by_key(|(_, member)| !member.roles.is_empty());
    people
}

pub(super) fn name(id: ChatId, member: &Member) -> String {
    member.nick.as_deref().map_or_else(|| objects::user_name(id), str::to_owned)
}

pub(super) fn encoded(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, NON_ALPHANUMERIC)
}
