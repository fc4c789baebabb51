//! The credentials of both platforms.

use std::collections::BTreeMap;

use entities::{GroupId, GuildId};
use platforms::{Application, CallContext, Missing, PlatformError, Platforms};
use runtime::{Clock, PlatformConfig};

use super::clock;
use super::report::{Problem, Report};
use super::servers::KnownGuild;

/// The pacing is not shared with a running deployment: these are a few calls only.
pub(super) fn clients(config: &PlatformConfig) -> Result<Platforms, Problem> {
    Platforms::new(config, None).map_err(|error| problem(&error))
}

/// Whether the chat platform accepts the token.
pub(super) async fn check_token(platforms: &Platforms, report: &mut Report) -> bool {
    let bot = platforms.check_chat_token().await;
    let bot = bot.map(|bot| (bot, format!("accepted, the bot is {bot}")));
    report.check("chat token", bot.map_err(|error| problem(&error))).is_some()
}

/// Whether the bot's application has the privileged intents that syncs need.
pub(super) fn check_intents(application: &Application, report: &mut Report) {
    report.record(
        "intents",
        if application.has_members_intent() {
            Ok("the application has the Server Members Intent".to_owned())
        } else {
            Err(problem(&PlatformError::MembersIntentOff))
        },
    );
}

/// Interactions that were signed minutes ago are refused.
pub(super) async fn check_clock(platforms: &Platforms, report: &mut Report) {
    let (clock, name) = (Clock::system(), "the chat platform");
    let asked = clock.now();
    let compared = match platforms.chat_time().await {
        Ok(Some(theirs)) => clock::compare(name, theirs, asked..clock.now()),
        Ok(None) => Ok("could not be read: the platform does not say its time".to_owned()),
        Err(error) => Err(problem(&error)),
    };
    report.record("chat clock", compared);
}

/// Checks the key, and that the groups of all bindings exist.
pub(super) async fn check_play_key(platforms: &Platforms, guilds: &[KnownGuild], report: &mut Report) {
    report.of_guild(None);
    report.record("play key", play_key(platforms, guilds).await);
}

async fn play_key(platforms: &Platforms, guilds: &[KnownGuild]) -> Result<String, Problem> {
    platforms.check_play_key().await.map_err(|error| problem(&error))?;
    let groups = guilds.iter().flat_map(|known| {
        let groups = known.bindings.iter().filter_map(|binding| binding.rule.condition.group());
        groups.map(|group| (group, known.guild.guild_id))
    });
    let bound: BTreeMap<GroupId, GuildId> = groups.collect();
    for (group, guild) in bound {
        match platforms.play.group_roles(CallContext::interactive(guild), group).await {
            Ok(_) => {}
            Err(PlatformError::NotFound(_)) => {
                let what = format!("a binding names the game group {group}, which does not exist");
                return Err(Problem::new(what, "remove the binding, or bind another group"));
            }
            Err(error) => return Err(problem(&error)),
        }
    }
    Ok("accepted".to_owned())
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
