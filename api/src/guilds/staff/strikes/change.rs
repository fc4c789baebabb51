//! PATCH /guilds/:guildId/staff/strikes/:strikeId/update
//!
//! A strike that had expired and is given a later expiry is active again, whether or not the sweep had seen it. Of a
//! removed one the expiry can no longer be changed.

use entities::strike::{self, Ended, Model};
use entities::{StrikeId, Timestamp};

use crate::audit;
use crate::call::Call;
use crate::fields::{End, Fields, Text};
use crate::guilds::staff::strikes::{Severity, Strike, check_expiry, unknown};
use crate::guilds::staff::{ID, nothing_given};
use crate::http::error::ApiError;
use crate::http::reply::Reply;

pub(crate) async fn change(call: Call) -> Result<Reply, ApiError> {
    let id: StrikeId = call.path("strikeId", ID)?;
    let change = Change::read(&call.fields)?;
    let now = call.now();
    let transaction = call.begin().await?;
    let found = strike::find_for_update(&transaction, call.guild(), id).await?;
    let before = found.ok_or_else(unknown)?;
    change.check(&before, now)?;
    let after = change.applied_to(before.clone());
    let Some(changes) = audit::changes(&Strike::new(&before, now), &Strike::new(&after, now))? else {
        return Ok(Reply::message("nothing to change: the strike is like that already"));
    };
    strike::save(&transaction, &after).await?;
    call.audit(&transaction, "strikes.update", id, changes).await?;
    call.commit(transaction, Reply::message("strike updated")).await
}

/// What is given; the rest stays as it is.
struct Change {
    reason: Option<Text>,
    severity: Option<Severity>,
    expires_at: Option<End>,
}

impl Change {
    fn read(fields: &Fields) -> Result<Self, ApiError> {
        let change = Self {
            reason: fields.changed("reason")?,
            severity: fields.changed("severity")?,
            expires_at: fields.changed("expires_at")?,
        };
        if let Self { reason: None, severity: None, expires_at: None } = change {
            return Err(nothing_given("`reason`, `severity`, `expires_at`"));
        }
        Ok(change)
    }

    /// An expiry that stays as it is may be given in any case.
    fn check(&self, strike: &Model, now: Timestamp) -> Result<(), ApiError> {
        let Some(End(expires_at)) = self.expires_at.filter(|end| end.0 != strike.expires_at) else {
            return Ok(());
        };
        if strike.ended_how == Some(Ended::Removed) {
            let message = "the strike was removed: its `expires_at` can no longer be changed";
            return Err(ApiError::conflict("strike_removed", message));
        }
        check_expiry(expires_at, now)
    }

    fn applied_to(self, strike: Model) -> Model {
        let expires_at = self.expires_at.map_or(strike.expires_at, |end| end.0);
        let revived = strike.ended_how == Some(Ended::Expired) && expires_at != strike.expires_at;
        Model {
            reason: self.reason.map_or(strike.reason, |text| text.0),
            severity: self.severity.map_or(strike.severity, |severity| severity.0),
            expires_at,
            ended_at: strike.ended_at.filter(|_| !revived),
            ended_how: strike.ended_how.filter(|_| !revived),
            ..strike
        }
    }
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
    fn a_later_expiry_revives_what_expired_and_no_other_is_taken() {
        let now = "2026-11-21T12:00:00Z".parse().unwrap();
        let later =
            |at: &str| Change { reason: None, severity: None, expires_at: Some(End(at.parse().unwrap())) };
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
            let (change, before) = (later(expiry), strike(how));
            let taken = change.check(&before, now).is_ok();
            assert_eq!(taken, active.is_some(), "{how:?} {expiry}");
            let after = change.applied_to(before);
            assert!(!taken || Some(after.is_active(now)) == active, "{how:?} {expiry}");
            assert_eq!(after.ended_at.is_some(), after.ended_how.is_some());
        }
    }
}
