//! POST /guilds/:guildId/links/:chatId/swap

use entities::link::{self, Source};
use entities::{ChatId, JobId};
use jobs::linking::Linking;

use crate::endpoints::guilds::links::record::Link;
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct SwapRequest {
        /// The other linked member.
        chat_id: ChatId,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct SwappedLinks {
    /// Both members, that of the path first.
    links: Vec<Link>,
    /// The jobs that give them the roles and the nicknames of their links, in the same order.
    job_ids: Vec<JobId>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("swapLinks", "Exchange the game accounts of two members")
        .about("Both must be linked. Bans and mutes stay with the accounts that they name.")
        .body::<SwapRequest>()
        .data::<SwappedLinks>()
        .message("swapped")
        .refuses(404, &["not_linked"])
        .refuses(422, &["same_member"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let chat: ChatId = call.path("chatId")?;
    let SwapRequest { chat_id: other } = call.body()?;
    call.caller.decides_about(chat)?;
    call.caller.decides_about(other)?;
    if chat == other {
        return Err(ApiError::rule("same_member", "`chat_id` must be another member than that of the path"));
    }
    let source = if call.caller.key().is_some() { Source::Api } else { Source::Staff };
    let mut work = UnitOfWork::begin(&call).await?;
    let mut linking = Linking::begin(&mut work, call.guild(), call.actor()).await?;
    let own = link::find_by_chat(linking.tx(), call.guild(), chat).await?.ok_or_else(ApiError::not_linked)?;
    let theirs =
        link::find_by_chat(linking.tx(), call.guild(), other).await?.ok_or_else(ApiError::not_linked)?;
    let swapped = linking.swap([&own, &theirs], source).await?;
    let links = swapped.iter().map(|(link, _)| Link::from(link)).collect();
    let job_ids = swapped.iter().map(|(_, job)| *job).collect();
    work.commit(Reply::data(&SwappedLinks { links, job_ids })?.with_message("swapped")).await
}
