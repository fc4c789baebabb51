//! PATCH /guilds/:guildId/staff/quota/:quotaId: every field of its creation; `scope` null is all staff.

use entities::QuotaId;
use entities::quota::{self, Metric, Model, Period};

use crate::audit;
use crate::call::Call;
use crate::fields::{Fields, Text};
use crate::guilds::staff::quota::{Quota, RoleScope, Target, check_approval, unknown};
use crate::guilds::staff::{ID, nothing_given};
use crate::http::error::ApiError;
use crate::http::reply::Reply;

pub(crate) async fn change(call: Call) -> Result<Reply, ApiError> {
    let id: QuotaId = call.path("quotaId", ID)?;
    let change = Change::read(&call.fields)?;
    let transaction = call.begin().await?;
    let found = quota::find_for_update(&transaction, call.guild(), id).await?;
    let before = found.ok_or_else(unknown)?;
    let after = change.applied_to(before.clone());
    check_approval(after.metric, after.requires_approval)?;
    let Some(changes) = audit::changes(&Quota::from(&before), &Quota::from(&after))? else {
        return Ok(Reply::message("nothing to change: the quota is like that already"));
    };
    quota::save(&transaction, &after).await?;
    call.audit(&transaction, "quotas.update", id, changes).await?;
    call.commit(transaction, Reply::message("quota updated")).await
}

/// What is given; the rest stays as it is.
#[derive(Debug, PartialEq, Eq)]
struct Change {
    name: Option<Text>,
    metric: Option<Metric>,
    target: Option<Target>,
    period: Option<Period>,
    #[expect(clippy::option_option, reason = "absent leaves the scope, null makes it all staff")]
    scope: Option<Option<RoleScope>>,
    requires_approval: Option<bool>,
}

const NOTHING: Change =
    Change { name: None, metric: None, target: None, period: None, scope: None, requires_approval: None };

impl Change {
    fn read(fields: &Fields) -> Result<Self, ApiError> {
        let change = Self {
            name: fields.changed("name")?,
            metric: fields.changed("metric")?,
            target: fields.changed("target")?,
            period: fields.changed("period")?,
            scope: fields.changed("scope")?,
            requires_approval: fields.changed("requires_approval")?,
        };
        if change == NOTHING {
            return Err(nothing_given("`name`, `metric`, `target`, `period`, `scope`, `requires_approval`"));
        }
        Ok(change)
    }

    fn applied_to(self, quota: Model) -> Model {
        Model {
            name: self.name.map_or(quota.name, |text| text.0),
            metric: self.metric.unwrap_or(quota.metric),
            target: self.target.map_or(quota.target, |target| target.0.into()),
            period: self.period.unwrap_or(quota.period),
            scope_role: self.scope.map_or(quota.scope_role, |scope| scope.map(|scope| scope.0)),
            requires_approval: self.requires_approval.unwrap_or(quota.requires_approval),
            ..quota
        }
    }
}
