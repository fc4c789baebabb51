//! /unlink: a member takes back their link in this server.

use entities::link;
use http::Method;
use serde_json::Map;

use crate::call::{Call, Problem};
use crate::command::{Command, Outcome};
use crate::definition::Definition;
use crate::interaction::Options;
use crate::message::{Message, Style, plain};

pub(super) struct Unlink;

impl Command for Unlink {
    fn definition(&self) -> Definition {
        Definition::new("unlink", "End the link of your Roblox account in this server")
    }

    async fn run(&self, call: &Call, _subcommand: &str, _options: &Options) -> Outcome {
        let found = link::find_by_chat(call.read(), call.guild.guild_id, call.me()).await?;
        let Some(link) = found else { return Err(Problem::refused("You are not linked in this server.")) };
        let text = format!(
            "End your link with **{}** here? The roles and the nickname that came from it go. Bans stay.",
            plain(&link.play_username)
        );
        Ok(Message::new(text).button(Style::Danger, "Unlink", "unlink:yes").into())
    }

    async fn press(&self, call: &Call, about: &str) -> Outcome {
        if about != "yes" {
            return Err(Problem::outdated());
        }
        call.api(Method::DELETE, &format!("/guilds/{{g}}/links/{}", call.me()), Map::new()).await?;
        let text = "Unlinked. The roles and the nickname that came from the link go in a moment.";
        Ok(Message::new(text).into())
    }
}
