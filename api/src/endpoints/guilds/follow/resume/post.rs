//! POST /guilds/:guildId/follow/resume (docs/rules.md 5)

use entities::follow::{self, Model};

use crate::endpoints::guilds::follow::record::Follow;
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("resumeFollow", "Let the next pass go on after one that stopped")
        .about("It starts at once, without the brake. A dry run of `/interactions/sync/all` shows what it changes.")
        .data::<Follow>()
        .message("the next pass goes on")
        .refuses(409, &["not_stopped"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let mut work = UnitOfWork::begin(&call).await?;
    let now = work.now();
    let before = follow::lock(work.tx(), call.guild(), now).await?;
    let Some(stopped) = before.stopped.clone() else {
        return Err(ApiError::conflict("not_stopped", "no pass stopped by its brake"));
    };
    let after = Model { stopped: None, unbraked: true, due_at: now, age_from: Some(now), ..before };
    let saved = follow::save(work.tx(), after).await?;
    work.audit("sync.follow_continued", call.guild(), json!({ "reason": stopped }));
    work.commit(Reply::data(&Follow::from(&saved))?.with_message("the next pass goes on")).await
}
