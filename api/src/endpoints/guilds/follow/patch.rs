//! PATCH /guilds/:guildId/follow (docs/rules.md 5)

use entities::follow::{self, Model};

use crate::endpoints::audit;
use crate::endpoints::guilds::follow::record::{Follow, Noted};
use crate::endpoints::prelude::*;
use crate::request::values::{Nullable, Whole};

request! {
    pub(crate) struct FollowPatch {
        /// 0: no pass starts; null: as often as the budget allows.
        #[example(60)]
        every_minutes: Patch<Nullable<Whole<0, 10_080>>>,
        #[example(10)]
        brake_percent: Patch<Whole<1, 100>>,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("updateFollow", "Change how the guild follows the game platform")
        .about("At least one field; the others stay. Another pace counts at once.")
        .body::<FollowPatch>()
        .data::<Follow>()
        .message("following updated")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let FollowPatch { every_minutes, brake_percent } = call.patch()?;
    let mut work = UnitOfWork::begin(&call).await?;
    let now = work.now();
    let before = follow::lock(work.tx(), call.guild(), now).await?;
    let every = every_minutes.0.map_or(before.every_minutes, |sent| sent.0.map(|Whole(minutes)| minutes));
    let due_at = if every == before.every_minutes { before.due_at } else { now };
    let after = Model {
        every_minutes: every,
        brake_percent: brake_percent.0.map_or(before.brake_percent, |Whole(percent)| percent),
        due_at,
        // While it was off nothing could succeed.
        age_from: if before.is_off() { Some(now) } else { before.age_from },
        ..before.clone()
    };
    let Some(changes) = audit::changes(&Noted::from(&before), &Noted::from(&after))? else {
        let reply = Reply::data(&Follow::from(&before))?;
        return Ok(reply.with_message("nothing to change: it is like that already"));
    };
    let saved = follow::save(work.tx(), after).await?;
    work.audit("sync.follow_updated", call.guild(), changes);
    work.commit(Reply::data(&Follow::from(&saved))?.with_message("following updated")).await
}
