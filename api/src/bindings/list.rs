//! GET /bindings/list

use entities::BindingId;
use entities::binding::{self, Rule};
use serde::Serialize;

use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;

#[derive(Serialize)]
struct Bindings {
    bindings: Vec<Binding>,
}

#[derive(Serialize)]
struct Binding {
    id: BindingId,
    #[serde(flatten)]
    rule: Rule,
}

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    let rows = binding::list(call.read(), call.guild()).await?;
    let bindings = rows.iter().map(|row| Binding { id: row.binding_id, rule: row.rule() }).collect();
    Reply::data(&Bindings { bindings })
}
