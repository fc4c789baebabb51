//! GET /bindings/list

use entities::BindingId;
use entities::binding::{self, Rule};

use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct Bindings {
    bindings: Vec<Binding>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Binding {
    id: BindingId,
    #[serde(flatten)]
    rule: Rule,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listBindings", "All bindings").guild_header().data::<Bindings>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let rows = binding::list(call.read(), call.guild()).await?;
    let bindings = rows.iter().map(|row| Binding { id: row.binding_id, rule: row.rule() }).collect();
    Reply::data(&Bindings { bindings })
}
