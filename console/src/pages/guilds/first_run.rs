//! /console/guilds/:guild/first-run: five steps from nothing to a first synced member.

use askama::Template;
use entities::job::{Status, listing};
use entities::{ChatId, Page as RowPage, RoleId, binding};
use platforms::{GuildOverview, Permissions, PlatformError, Platforms};

use crate::html::shell::{Place, Shell};
use crate::pages::guilds::bindings::rows::named_role;
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

#[derive(Template)]
#[template(path = "guilds/first_run.html")]
struct Page {
    shell: Shell,
    steps: Vec<Step>,
    done: usize,
}

struct Step {
    title: &'static str,
    done: bool,
    /// The finding, or what to do.
    text: String,
    /// Label and address of what to do next.
    action: Option<(&'static str, String)>,
}

/// Whether roles follow ranks: there are bindings, and a sync has run with them.
pub(super) async fn is_done(visit: &GuildVisit) -> Result<bool, PageError> {
    let bindings = binding::list(visit.read(), visit.guild.guild_id).await?;
    Ok(!bindings.is_empty() && has_synced(visit).await?)
}

async fn has_synced(visit: &GuildVisit) -> Result<bool, PageError> {
    let runs = listing::Filter {
        guild: Some(visit.guild.guild_id),
        kind: Some("sync_all"),
        status: Some(Status::Succeeded),
        ..listing::Filter::default()
    };
    Ok(!listing::list(visit.read(), runs, RowPage::first(1), visit.now()).await?.is_empty())
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let bot = visit.platforms().check_chat_token().await;
    let overview = visit.platforms().chat.guild_overview(visit.call_context()).await;
    let bound = binding::list(visit.read(), visit.guild.guild_id).await?;
    let bindings = bound.len();
    let steps = vec![
        token(bot.as_ref().err()),
        invitation(&visit, bot.as_ref().ok().copied(), overview.as_ref()),
        role_order(&visit, overview.as_ref().ok(), &bound),
        Step {
            title: "Bind a rank to a role",
            done: bindings > 0,
            text: match bindings {
                0 => "Choose which rank in your Roblox group gives which Discord role.".to_owned(),
                count => format!("{count} set."),
            },
            action: Some(("Open bindings", visit.url("/bindings"))),
        },
        Step {
            title: "Preview the first sync",
            done: has_synced(&visit).await?,
            text: "See what each member would get and lose, before anything changes. Members link themselves, as the settings \
                   allow; staff link single ones, and many at once from the file of another bot, on the page Members."
                .to_owned(),
            action: Some(("Open sync", visit.url("/sync"))),
        },
    ];
    let done = steps.iter().filter(|step| step.done).count();
    Response::page(&Page { shell: visit.shell("Set up", Place::Overview), steps, done })
}

fn token(problem: Option<&PlatformError>) -> Step {
    let text = match problem {
        None => "Discord accepts the bot's token.".to_owned(),
        Some(PlatformError::NotConfigured(variable)) => format!(
            "The operator of this service sets {variable}: the token of a bot from Discord's developer portal, with the \
             Server Members Intent turned on."
        ),
        Some(error) => format!("Discord does not accept the bot's token: {error}."),
    };
    Step { title: "Give Guildhall a bot", done: problem.is_none(), text, action: None }
}

fn invitation(
    visit: &GuildVisit,
    bot: Option<ChatId>,
    overview: Result<&GuildOverview, &PlatformError>,
) -> Step {
    let (done, text) = match overview {
        Ok(_) => (true, "The bot is in your server.".to_owned()),
        Err(PlatformError::NotFound(_) | PlatformError::Forbidden { .. }) => (
            false,
            "The bot is not in your server yet. The link asks only for the permissions that it needs."
                .to_owned(),
        ),
        Err(error) => (false, format!("Discord does not say whether the bot is in your server: {error}.")),
    };
    let link = bot.filter(|_| !done).map(|bot| Platforms::invitation(bot, visit.guild.guild_id));
    Step { title: "Invite the bot", done, text, action: link.map(|link| ("Invite the bot", link)) }
}

fn role_order(visit: &GuildVisit, overview: Option<&GuildOverview>, bound: &[binding::Binding]) -> Step {
    let title = "Put the bot's role above the roles it gives";
    let Some(overview) = overview else {
        let text = "Guildhall checks this once the bot is in your server.".to_owned();
        return Step { title, done: false, text, action: None };
    };
    let lacks = |(needed, name): (Permissions, &'static str)| {
        (!overview.bot_permissions.permits(needed)).then_some(name)
    };
    let missing: Vec<_> = Permissions::NEEDED.into_iter().filter_map(lacks).collect();
    let mut refused: Vec<_> =
        bound.iter().filter_map(|row| refused(visit, overview, row.rule.role_id)).collect();
    refused.dedup();
    if missing.is_empty() && !refused.is_empty() {
        let text = format!("The bot cannot give every role that a binding names. {}.", refused.join(". "));
        return Step { title, done: false, text, action: Some(("Open bindings", visit.url("/bindings"))) };
    }
    let below = overview.roles.iter().filter(|role| overview.removable(role.id).is_ok()).count();
    let (done, text) = match (missing.as_slice(), below) {
        ([], 0) => (
            false,
            "No role is below the bot's. Open your server's settings, Roles, and drag the bot's role above those it should give."
                .to_owned(),
        ),
        ([], 1) => (true, "The bot can give the one role below its own.".to_owned()),
        ([], below) => (true, format!("The bot can give the {below} roles below its own.")),
        (missing, _) => (false, format!("The bot's role lacks {}. Turn these on in your server's settings.", missing.join(", "))),
    };
    Step { title, done, text, action: None }
}

/// A bound role that the bot may not give, with the reason.
fn refused(visit: &GuildVisit, overview: &GuildOverview, role: RoleId) -> Option<String> {
    let (name, problem) = named_role(visit, overview, role);
    (!problem.is_empty()).then(|| format!("{name}: {problem}"))
}
