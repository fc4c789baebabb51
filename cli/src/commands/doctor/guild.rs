//! What the bot can see and do in one guild.

use std::collections::BTreeSet;

use entities::RoleId;
use platforms::{CallContext, GuildOverview, Permissions, Platforms};

use super::platforms::problem;
use super::report::{Problem, Report};
use super::servers::KnownGuild;

pub(super) async fn check(platforms: &Platforms, known: &KnownGuild, report: &mut Report) {
    report.of_guild(Some(known.guild.guild_id));
    let (chat, call) = (&platforms.chat, CallContext::interactive(known.guild.guild_id));
    let overview = chat.guild_overview(call).await;
    let overview = overview.map(|overview| (overview, "the bot is a member".to_owned()));
    let Some(overview) = report.check("bot", overview.map_err(|error| problem(&error))) else { return };
    let listed = chat.members_page(call, None, 1).await;
    let listed = listed.map(|_| "the member list can be read".to_owned());
    report.record("members intent", listed.map_err(|error| problem(&error)));
    report.record("permissions", permissions(&overview));
    report.record("bound roles", bound_roles(&overview, known));
}

/// Whether members can use the ways to link that the guild has chosen.
pub(super) fn check_ways(platforms: &Platforms, has_url: bool, known: &KnownGuild, report: &mut Report) {
    report.of_guild(Some(known.guild.guild_id));
    let lacking: Vec<_> = (known.guild.link_ways.0.iter())
        .map(|way| (way.name(), platforms.lacking(*way, has_url)))
        .filter(|(_, lacking)| !lacking.is_empty())
        .map(|(way, lacking)| format!("`{way}` without {}", lacking.join(", ")))
        .collect();
    let cure = "register the application and set these variables (docs/linking.md), or take the way out of the guild's setting \
                `link_ways`";
    let chosen = known.guild.link_ways.0.len();
    let text = format!("members cannot link by {}", lacking.join(", by "));
    report.record(
        "link ways",
        match lacking.len() {
            0 => Ok("each has what it needs".to_owned()),
            // The pages do not offer a way that does not work.
            some if some < chosen => Ok(format!("{text}; other ways work")),
            _ => Err(Problem::new(text, cure)),
        },
    );
}

fn permissions(overview: &GuildOverview) -> Result<String, Problem> {
    let missing: Vec<&str> = Permissions::NEEDED
        .into_iter()
        .filter(|(needed, _)| !overview.bot_permissions.permits(*needed))
        .map(|(_, name)| name)
        .collect();
    if missing.is_empty() {
        return Ok("all that are needed".to_owned());
    }
    let missing = missing.join(", ");
    let cure = format!("give the bot's role these permissions in the server settings: {missing}");
    Err(Problem::new(format!("the bot lacks {missing}"), cure))
}

fn bound_roles(overview: &GuildOverview, known: &KnownGuild) -> Result<String, Problem> {
    let of_links = [known.guild.verified_role, known.guild.unverified_role];
    let bound = known.bindings.iter().map(|binding| binding.rule.role_id);
    let bound: BTreeSet<RoleId> = bound.chain(of_links.into_iter().flatten()).collect();
    let out_of_reach: Vec<String> = bound
        .iter()
        .filter_map(|role| Some((role, overview.grantable(*role, &known.grants).err()?)))
        .map(|(role, problem)| {
            let name = overview.role(*role).map(|role| format!(" ({})", role.name)).unwrap_or_default();
            format!("role {role}{name}: {problem}")
        })
        .collect();
    if out_of_reach.is_empty() {
        return Ok(format!("all {} may be granted", bound.len()));
    }
    let cure = "move the bot's role above them in the server settings, name privileged ones in the guild's setting \
                `allowed_privileged_roles`, and remove bindings and settings of roles that cannot be granted";
    Err(Problem::new(out_of_reach.join("; "), cure))
}
