//! /whois: who a member is on Roblox, or a player on Discord.

use entities::{link, shield_flag, staff_directory};
use people::Needs;

use super::banned::standing;
use crate::call::{Call, Problem};
use crate::command::{Command, Outcome};
use crate::definition::Definition;
use crate::interaction::Options;
use crate::message::{Message, moment, plain};
use crate::person::{Target, member, player};

pub(super) struct Whois;

impl Command for Whois {
    fn definition(&self) -> Definition {
        Definition::new("whois", "Who a member is on Roblox, or a player on Discord")
            .option(member("A member of this server"))
            .option(player())
    }

    async fn run(&self, call: &Call, _subcommand: &str, options: &Options) -> Outcome {
        call.require(Needs::Permission("lookup.read"))?;
        let target = Target::required(call, options).await?;
        let person = target.person(call).await?;
        let mut lines = Vec::new();
        let link = match person.chat {
            Some(chat) => link::find_by_chat(call.read(), call.guild.guild_id, chat).await?,
            None => None,
        };
        lines.push(match &link {
            Some(link) => format!(
                "{} is **[{}](https://www.roblox.com/users/{}/profile)** on Roblox, linked {}.",
                call.mention(link.chat_id),
                plain(&link.play_username),
                link.play_id,
                moment(link.verified_at)
            ),
            None => format!("{} is not linked in this server.", target.name),
        });
        lines.extend(facts(call, &target, link.as_ref()).await?);
        let page = link.and_then(|link| call.page(&format!("/members/{}", link.chat_id)));
        Ok(Message::new(lines.join("\n")).link("Member's page", page).into())
    }
}

/// What else the person who asks may know.
async fn facts(call: &Call, target: &Target, link: Option<&link::Model>) -> Result<Vec<String>, Problem> {
    let (conn, guild, mut lines) = (call.read(), call.guild.guild_id, Vec::new());
    let person = target.person(call).await?;
    if let Some(chat) = person.chat
        && let Some(staff) = staff_directory::find(conn, guild, chat, call.now()).await?
    {
        lines.push(format!("Staff: {}.", plain(&staff.role_name)));
    }
    if call.may("moderation.read") {
        lines.extend(standing(call, target).await?.into_iter().map(|line| format!("Is {line}")));
    }
    let play = link.map(|link| link.play_id).or(person.play);
    if let Some(play) = play.filter(|_| call.may("shield.read")) {
        let flags = shield_flag::find_many(conn, &[play]).await?;
        lines.extend(
            flags.first().map(|flag| format!("On the Shield list since {}.", moment(flag.flagged_at))),
        );
    }
    Ok(lines)
}
