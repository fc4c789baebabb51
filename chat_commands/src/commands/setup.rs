//! /setup: what is missing until members have their roles, and the button with which they link themselves.

use entities::binding;
use entities::guild::grants::Grants;
use people::Needs;
use platforms::{GuildOverview, Permissions, PlatformError, Platforms};

use super::link::START;
use crate::call::{Call, Problem};
use crate::command::{Command, Outcome};
use crate::definition::{Definition, Kind, MANAGE_SERVER, Parameter};
use crate::interaction::Options;
use crate::message::{Message, Style, count, plain};

pub(super) struct Setup;

impl Command for Setup {
    fn definition(&self) -> Definition {
        Definition::new("setup", "Set this server up, for its admins")
            .shown_to(MANAGE_SERVER)
            .option(Parameter::new(Kind::Subcommand, "check", "What is missing, and where to do it"))
            .option(Parameter::new(
                Kind::Subcommand,
                "button",
                "Post the button with which members link themselves",
            ))
    }

    async fn run(&self, call: &Call, subcommand: &str, _options: &Options) -> Outcome {
        call.require(Needs::Admin)?;
        match subcommand {
            "button" => Ok(button(call).into()),
            _ => check(call).await,
        }
    }
}

fn button(call: &Call) -> Message {
    if call.guild.link_ways.0.is_empty() {
        let text =
            "Members of this server do not link themselves: choose the ways to link in the settings first.";
        return Message::new(text).link("Settings", call.page("/settings"));
    }
    let text = format!(
        "**Link your Roblox account** to get your roles in {}. Nothing is linked before you have seen both accounts.",
        plain(&call.guild.name)
    );
    Message::new(text).button(Style::Primary, "Link my Roblox account", START).public()
}

/// A finding, and whether it is as it should be.
type Finding = (bool, String);

async fn check(call: &Call) -> Outcome {
    let overview = call.platforms().chat.guild_overview(call.platform()).await;
    let application = call.platforms().application().await;
    let mut findings = vec![bot(overview.as_ref())];
    if let Ok(overview) = &overview {
        findings.push(permissions(overview));
    }
    if let Ok(application) = &application {
        let text = "the bot's application has the Server Members Intent";
        findings.push((application.has_members_intent(), text.to_owned()));
    }
    findings.push(bindings(call, overview.as_ref().ok()).await?);
    findings.push(linking(call));
    let is_done = findings.iter().all(|(done, _)| *done);
    let lines = findings.iter().map(|(done, text)| format!("{} {text}", if *done { "✅" } else { "❌" }));
    let end =
        if is_done { "Nothing is missing. Post the button for members with /setup button." } else { "" };
    let text = format!("{}\n{end}", lines.collect::<Vec<_>>().join("\n"));
    let invitation = application.ok().filter(|_| overview.is_err());
    let invitation = invitation.map(|application| Platforms::invitation(application.id, call.guild.guild_id));
    Ok(Message::new(text)
        .link("Invite the bot", invitation)
        .link("Bindings", call.page("/bindings"))
        .link("Settings", call.page("/settings"))
        .link("Console", call.page(""))
        .into())
}

fn bot(overview: Result<&GuildOverview, &PlatformError>) -> Finding {
    match overview {
        Ok(_) => (true, "the bot is in this server".to_owned()),
        Err(PlatformError::NotFound(_) | PlatformError::Forbidden { .. }) => {
            (false, "the bot is not in this server: invite it".to_owned())
        }
        Err(error) => (false, format!("Discord does not say whether the bot is in this server: {error}")),
    }
}

fn permissions(overview: &GuildOverview) -> Finding {
    let lacks = |(needed, _): &(Permissions, &str)| !overview.bot_permissions.permits(*needed);
    let missing: Vec<_> = Permissions::NEEDED.into_iter().filter(lacks).map(|(_, name)| name).collect();
    if missing.is_empty() {
        (true, "the bot's role has all permissions that it needs".to_owned())
    } else {
        (false, format!("the bot's role lacks {}: turn them on in the server's settings", missing.join(", ")))
    }
}

/// Whether ranks lead to roles, and the bot may give these.
async fn bindings(call: &Call, overview: Option<&GuildOverview>) -> Result<Finding, Problem> {
    let bound = binding::list(call.read(), call.guild.guild_id).await?;
    if bound.is_empty() {
        return Ok((false, "no rank leads to a role yet: bind them in the console".to_owned()));
    }
    let Some(overview) = overview else {
        return Ok((true, count(i64::try_from(bound.len()).unwrap_or(i64::MAX), "binding")));
    };
    let grants = Grants::of(call.read(), &call.guild).await?;
    let mut refused: Vec<_> = bound
        .iter()
        .filter_map(|row| {
            let problem = overview.grantable(row.rule.role_id, &grants).err()?;
            let name = overview.role(row.rule.role_id).map_or("a role that is gone", |role| &role.name);
            Some(format!("{}: {problem}", plain(name)))
        })
        .collect();
    refused.sort_unstable();
    refused.dedup();
    Ok(if refused.is_empty() {
        (true, format!("the bot may give all roles of the {} bindings", bound.len()))
    } else {
        (false, format!("the bot cannot give every bound role: {}", refused.join("; ")))
    })
}

/// Whether there is a way to link for members that works here.
fn linking(call: &Call) -> Finding {
    let chosen = &call.guild.link_ways.0;
    let (done, text) = if chosen.is_empty() {
        (false, "members do not link themselves: choose ways to link in the settings")
    } else if chosen.iter().any(|way| call.offers(*way)) {
        (true, "members link themselves with /link")
    } else {
        (false, "the ways to link that were chosen need an application, which the operator registers")
    };
    (done, text.to_owned())
}
