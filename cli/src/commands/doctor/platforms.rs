//! The credentials of both platforms.

use std::collections::BTreeSet;

use entities::{GroupId, GuildId};
use platforms::{CallContext, Missing, PlatformError, Platforms};
use runtime::PlatformArgs;

use super::report::{Problem, Report};
use super::servers::KnownGuild;

/// The guild of calls that concern no guild; any id will do.
const NO_GUILD: i64 = 1;
/// The group requested when no binding names one. Either response, found or not, shows that the key was accepted.
const ANY_GROUP: i64 = 7;

pub(super) struct Clients {
    pub(super) platforms: Platforms,
    no_guild: CallContext,
}

impl Clients {
    /// The pacing is not shared with a running deployment: these are a few calls only.
    pub(super) fn new(args: &PlatformArgs) -> Result<Self, Problem> {
        let platforms = Platforms::new(&args.checked()?, None).map_err(|error| problem(&error))?;
        let guild = GuildId::try_from(NO_GUILD)
            .map_err(|error| Problem::new(error.to_string(), "report this bug"))?;
        Ok(Self { platforms, no_guild: CallContext::interactive(guild) })
    }

    /// Whether the chat platform accepts the token.
    pub(super) async fn check_token(&self, report: &mut Report) -> bool {
        let bot = self.platforms.chat.bot_user(self.no_guild).await;
        let bot = bot.map(|bot| (bot, format!("accepted, the bot is {bot}")));
        report.check("chat token", bot.map_err(|error| problem(&error))).is_some()
    }

    /// Whether the bot's application has the privileged intents that syncs need.
    pub(super) async fn check_intents(&self, report: &mut Report) {
        let intent = match self.platforms.chat.has_members_intent(self.no_guild).await {
            Ok(true) => Ok("the application has the Server Members Intent".to_owned()),
            Ok(false) => Err(problem(&PlatformError::MembersIntentOff)),
            Err(error) => Err(problem(&error)),
        };
        report.record("intents", intent);
    }

    /// Checks the key, and that the groups of all bindings exist.
    pub(super) async fn check_play_key(&self, guilds: &[KnownGuild], report: &mut Report) {
        report.of_guild(None);
        let bindings = guilds.iter().flat_map(|known| &known.bindings);
        let bound: BTreeSet<GroupId> = bindings.map(|binding| binding.group_id).collect();
        let groups: Vec<GroupId> = if bound.is_empty() {
            GroupId::try_from(ANY_GROUP).into_iter().collect()
        } else {
            bound.iter().copied().collect()
        };
        for group in groups {
            match self.platforms.play.group_roles(self.no_guild, group).await {
                Ok(_) => {}
                Err(PlatformError::NotFound(_)) if bound.is_empty() => {}
                Err(PlatformError::NotFound(_)) => {
                    let what = format!("a binding names the game group {group}, which does not exist");
                    let cure = "remove the binding, or bind another group";
                    report.record("play key", Err(Problem::new(what, cure)));
                    return;
                }
                Err(error) => return report.record("play key", Err(problem(&error))),
            }
        }
        report.record("play key", Ok("accepted".to_owned()));
    }
}

/// The cure of each platform error.
pub(super) fn problem(error: &PlatformError) -> Problem {
    let cure = match error {
        PlatformError::NotConfigured(variable) => format!("set {variable}"),
        PlatformError::Unauthorized(variable) => format!("copy the credential again into {variable}"),
        PlatformError::MembersIntentOff => {
            "turn the Server Members Intent on in the developer portal, under Bot, Privileged Gateway Intents"
                .to_owned()
        }
        PlatformError::NotFound(Missing::Guild) | PlatformError::Forbidden { .. } => {
            "invite the bot to the guild, and give its role the permissions it needs".to_owned()
        }
        PlatformError::Unavailable { .. }
        | PlatformError::RateLimited { .. }
        | PlatformError::Stopped { .. } => {
            "check that this machine can reach the platform, and try again later".to_owned()
        }
        PlatformError::NotFound(_) | PlatformError::Invalid { .. } => {
            "check the ids in the configuration".to_owned()
        }
    };
    Problem::new(error.to_string(), cure)
}
