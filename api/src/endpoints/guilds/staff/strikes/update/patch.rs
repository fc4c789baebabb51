//! PATCH /guilds/:guildId/staff/strikes/:strikeId/update

use entities::strike::{self, Ended, Model};
use entities::{StrikeId, Timestamp};

use crate::endpoints::audit;
use crate::endpoints::guilds::staff::strikes::record::{Severity, Strike, check_expiry};
use crate::endpoints::prelude::*;
use crate::request::moment::End;

request! {
    pub(crate) struct StrikePatch {
        #[example("abuse of commands")]
        reason: Patch<Text>,
        #[example(3)]
        severity: Patch<Severity>,
        /// Must be in the future, unless it is the present value.
        expires_at: Patch<End>,
    }
}

impl StrikePatch {
    /// The current expiry is always accepted.
    fn check(&self, strike: &Model, now: Timestamp) -> Result<(), ApiError> {
        let Some(End(expires_at)) = self.expires_at.0.filter(|end| end.0 != strike.expires_at) else {
            return Ok(());
        };
        if strike.ended_how == Some(Ended::Removed) {
            let message = "the strike was removed: its `expires_at` can no longer be changed";
            return Err(ApiError::conflict("strike_removed", message));
        }
        check_expiry(expires_at, now)
    }

    fn applied_to(self, strike: Model) -> Model {
        let expires_at = self.expires_at.0.map_or(strike.expires_at, |end| end.0);
        let revived = strike.ended_how == Some(Ended::Expired) && expires_at != strike.expires_at;
        Model {
            reason: self.reason.0.map_or(strike.reason, |text| text.0),
            severity: self.severity.0.map_or(strike.severity, |severity| severity.0),
            expires_at,
            ended_at: strike.ended_at.filter(|_| !revived),
            ended_how: strike.ended_how.filter(|_| !revived),
            ..strike
        }
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("updateStrike", "Change a strike")
        .about(
            "At least one field; the others stay. An expired strike that is given a later expiry becomes active again; \
             the expiry of a removed strike can no longer be changed.",
        )
        .body::<StrikePatch>()
        .message("strike updated")
        .refuses(409, &["strike_removed"])
        .refuses(422, &["expires_in_the_past"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: StrikeId = call.path("strikeId")?;
    let patch: StrikePatch = call.patch()?;
    let mut work = UnitOfWork::begin(&call).await?;
    let now = work.now();
    let before = strike::find_for_update(work.tx(), call.guild(), id).await?.or_not_found("strike")?;
    call.caller.decides_about(before.staff_id)?;
    patch.check(&before, now)?;
    let after = patch.applied_to(before.clone());
    let Some(changes) =
        audit::changes_about(before.staff_id, &Strike::new(&before, now), &Strike::new(&after, now))?
    else {
        return Ok(Reply::message("nothing to change: the strike is like that already"));
    };
    strike::save(work.tx(), &after).await?;
    work.audit("strikes.update", id, changes);
    work.commit(Reply::message("strike updated")).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strike(ended_how: Option<Ended>) -> Model {
        let at: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        Model {
            strike_id: 1.try_into().unwrap(),
            guild_id: 7.try_into().unwrap(),
            staff_id: 17.try_into().unwrap(),
            reason: "late".to_owned(),
            severity: 3,
            issued_by: 17.try_into().unwrap(),
            created_at: at,
            expires_at: at,
            ended_at: ended_how.map(|_| at),
            ended_how,
        }
    }

    #[test]
    fn only_a_future_expiry_reactivates_an_expired_strike() {
        let now = "2026-11-21T12:00:00Z".parse().unwrap();
        let later = |at: &str| StrikePatch {
            reason: Patch(None),
            severity: Patch(None),
            expires_at: Patch(Some(End(at.parse().unwrap()))),
        };
        let (past, future, same) = ("2026-11-21T12:00:00Z", "2026-11-22T00:00:00Z", "2026-11-20T12:00:00Z");
        for (how, expiry, active) in [
            (Some(Ended::Expired), future, Some(true)),
            (Some(Ended::Expired), past, None),
            (Some(Ended::Expired), same, Some(false)),
            (Some(Ended::Removed), future, None),
            (Some(Ended::Removed), same, Some(false)),
            (None, future, Some(true)),
            (None, past, None),
        ] {
            let (patch, before) = (later(expiry), strike(how));
            let taken = patch.check(&before, now).is_ok();
            assert_eq!(taken, active.is_some(), "{how:?} {expiry}");
            let after = patch.applied_to(before);
            assert!(!taken || Some(after.is_active(now)) == active, "{how:?} {expiry}");
            assert_eq!(after.ended_at.is_some(), after.ended_how.is_some());
        }
    }
}
