//! POST /guilds/:guildId/application-panels/:panelId/publish (docs/rules.md 7).

use entities::{ChannelId, PanelId, application_panel};
use jobs::kinds::PublishPanel;

use crate::call::job::{self, Asked};
use crate::endpoints::guilds::log_channels::channel::check_channel;
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct PublishRequest {
        /// A text channel of the guild in which the bot may post.
        channel_id: ChannelId,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("publishApplicationPanel", "Post a panel in a channel")
        .about(
            "Posts a message with a button, which opens the form of the panel, or leads to its page if it has more questions \
             than the form takes.",
        )
        .body::<PublishRequest>()
        .message("panel posted")
        .job()
        .refuses(422, &["channel_refused", "no_page"])
}

const NO_PAGE: &str = "this panel has more questions than a form of the chat platform takes, and this service has no page where \
     members apply: it needs a public address, and an application with which people sign in";

/// Whether members can sign in where they apply.
fn has_page(call: &Call) -> bool {
    call.state.options.public_url.is_some() && call.state.platforms.sign_in.is_some()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: PanelId = call.path("panelId")?;
    let PublishRequest { channel_id: channel } = call.body()?;
    let panel = application_panel::find(call.read(), call.guild(), id).await?;
    let panel = panel.and_then(application_panel::Model::present).or_not_found("panel")?;
    if !panel.questions.fit_form() && !has_page(&call) {
        return Err(ApiError::rule("no_page", NO_PAGE));
    }
    check_channel(&call, "channel_id", channel).await?;
    let payload = PublishPanel { guild: call.guild(), panel: id, channel };
    let metadata = json!({ "channel_id": channel });
    let asked = Asked { action: "application_panels.publish_requested", target: id.to_string(), metadata };
    job::run(&call, &payload, asked, |_| Ok(Reply::message("panel posted"))).await
}
