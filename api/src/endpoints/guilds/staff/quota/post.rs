//! POST /guilds/:guildId/staff/quota

use entities::QuotaId;
use entities::quota::{self, Metric, NewQuota, Period};

use crate::endpoints::guilds::staff::quota::record::{Quota, QuotaTarget, check_approval, check_scope};
use crate::endpoints::guilds::staff::quota::role_scope::RoleScope;
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct QuotaRequest {
        #[example("Monthly bans")]
        name: Text,
        metric: Metric,
        #[example(20)]
        target: QuotaTarget,
        #[example("month")]
        period: Period,
        /// `role:<role_name>`, of a staff role; all staff if absent.
        scope: Option<RoleScope>,
        /// Such actions count only once approved: for this quota, in scores, statistics and totals.
        #[example(false)]
        requires_approval: Option<bool>,
    }
}

impl From<QuotaRequest> for NewQuota {
    fn from(sent: QuotaRequest) -> Self {
        Self {
            name: sent.name.0,
            metric: sent.metric,
            target: sent.target.0.into(),
            period: sent.period,
            scope_role: sent.scope.map(|scope| scope.0),
            requires_approval: sent.requires_approval.unwrap_or(false),
        }
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("createQuota", "Add a quota")
        .body::<QuotaRequest>()
        .data::<Created<QuotaId>>()
        .message("quota added")
        .refuses(422, &["nothing_to_approve", "unknown_role", "too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let new: NewQuota = call.body::<QuotaRequest>()?.into();
    check_approval(new.metric, new.requires_approval)?;
    let mut work = UnitOfWork::begin(&call).await?;
    check_scope(&work, call.guild(), new.scope_role.as_deref()).await?;
    call.room_for(work.tx(), Cap::Quotas, 1).await?;
    let added = quota::add(work.tx(), call.guild(), new, work.now()).await?;
    let id = added.quota_id;
    work.audit("quotas.create", id, json!({ "after": Quota::from(&added) }));
    work.commit(Reply::data(&Created { id })?.with_message("quota added")).await
}
