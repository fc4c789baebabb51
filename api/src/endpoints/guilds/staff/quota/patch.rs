//! PATCH /guilds/:guildId/staff/quota/:quotaId

use entities::QuotaId;
use entities::quota::{self, Metric, Model, Period};

use crate::endpoints::audit;
use crate::endpoints::guilds::staff::quota::record::{Quota, QuotaTarget, check_approval, check_scope};
use crate::endpoints::guilds::staff::quota::role_scope::RoleScope;
use crate::endpoints::prelude::*;
use crate::request::values::Nullable;

request! {
    pub(crate) struct QuotaPatch {
        #[example("Monthly bans")]
        name: Patch<Text>,
        metric: Patch<Metric>,
        #[example(20)]
        target: Patch<QuotaTarget>,
        #[example("month")]
        period: Patch<Period>,
        /// `role:<role_name>`, of a staff role; null: all staff.
        scope: Patch<Nullable<RoleScope>>,
        /// Such actions count only once approved: for this quota, in scores, statistics and totals.
        requires_approval: Patch<bool>,
    }
}

impl QuotaPatch {
    fn applied_to(self, quota: Model) -> Model {
        Model {
            name: self.name.0.map_or(quota.name, |text| text.0),
            metric: self.metric.0.unwrap_or(quota.metric),
            target: self.target.0.map_or(quota.target, |target| target.0.into()),
            period: self.period.0.unwrap_or(quota.period),
            scope_role: self.scope.0.map_or(quota.scope_role, |scope| scope.0.map(|role| role.0)),
            requires_approval: self.requires_approval.0.unwrap_or(quota.requires_approval),
            ..quota
        }
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("updateQuota", "Change a quota")
        .about("At least one field; the others stay.")
        .body::<QuotaPatch>()
        .message("quota updated")
        .refuses(422, &["nothing_to_approve", "unknown_role"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: QuotaId = call.path("quotaId")?;
    let patch: QuotaPatch = call.patch()?;
    let mut work = UnitOfWork::begin(&call).await?;
    let before = quota::find_for_update(work.tx(), call.guild(), id).await?.or_not_found("quota")?;
    let after = patch.applied_to(before.clone());
    check_approval(after.metric, after.requires_approval)?;
    if after.scope_role != before.scope_role {
        check_scope(&work, call.guild(), after.scope_role.as_deref()).await?;
    }
    let Some(changes) = audit::changes(&Quota::from(&before), &Quota::from(&after))? else {
        return Ok(Reply::message("nothing to change: the quota is like that already"));
    };
    quota::save(work.tx(), &after).await?;
    work.audit("quotas.update", id, changes);
    work.commit(Reply::message("quota updated")).await
}
