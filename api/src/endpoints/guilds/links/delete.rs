//! DELETE /guilds/:guildId/links/:chatId: the game account's bans stay, and so do the chat account's.

use entities::{ChatId, JobId, link};
use jobs::linking::Linking;

use crate::endpoints::guilds::links::record::Link;
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct RemovedLink {
    link: Link,
    /// The job that takes away the roles and the nickname that came from the link.
    job_id: JobId,
}

pub(crate) fn operation() -> Operation {
    Operation::new("removeLink", "Unlink a chat user")
        .about(
            "A job takes away the roles that bindings name, and the nickname if it is that of the guild's template. Bans and \
             mutes stay with the account that they name.",
        )
        .data::<RemovedLink>()
        .message("unlinked")
        .refuses(404, &["not_linked"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let chat: ChatId = call.path("chatId")?;
    // Members may always take back their own.
    call.caller.acts_for(chat, people::Needs::Permission("links.write"))?;
    let mut work = UnitOfWork::begin(&call).await?;
    let mut linking = Linking::begin(&mut work, call.guild(), call.actor()).await?;
    let found =
        link::find_by_chat(linking.tx(), call.guild(), chat).await?.ok_or_else(ApiError::not_linked)?;
    let job_id = linking.unlink(&found).await?;
    let data = RemovedLink { link: Link::from(&found), job_id };
    work.commit(Reply::data(&data)?.with_message("unlinked")).await
}
