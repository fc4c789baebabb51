//! GET /bindings/list

use entities::BindingId;
use entities::binding::{self, RuleFields};

use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct Bindings {
    bindings: Vec<Binding>,
    /// Null on the last page.
    #[schema(required)]
    next_cursor: Option<BindingId>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Binding {
    id: BindingId,
    #[serde(flatten)]
    rule: RuleFields,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listBindings", "All bindings")
        .about("Oldest first; pages are newest first.")
        .guild_header()
        .paged_if_asked::<BindingId>()
        .data::<Bindings>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page_or_whole::<BindingId>()?;
    let rows = binding::list(call.read(), call.guild()).await?;
    let bindings = rows.into_iter().map(|row| Binding { id: row.id, rule: row.rule.into() }).collect();
    let bindings = page.newest_of(bindings, |binding| binding.id);
    let data = |bindings, next_cursor| Bindings { bindings, next_cursor };
    page.reply(bindings, |binding: &Binding| binding.id, data)
}
