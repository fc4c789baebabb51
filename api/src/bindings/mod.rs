//! `/bindings/...` (docs/rules.md 5): which rank in a game group calls for which chat role.

mod add;
mod list;
mod remove;
mod test;
mod update;
mod validate;

pub(crate) use add::add;
use entities::binding::{Kind, Rule};
use entities::{GroupId, RoleId, guild};
pub(crate) use list::list;
pub(crate) use remove::remove;
use runtime::Event;
use sea_orm::DatabaseTransaction;
pub(crate) use test::test;
pub(crate) use update::update;
pub(crate) use validate::validate;

use crate::call::Call;
use crate::fields::{Fields, Whole};
use crate::http::error::ApiError;

/// Ranks of a game group; 0 means "not in the group" (docs/rules.md 5).
type Rank = Whole<0, 255>;

/// The rule a body describes, every part of it required.
fn rule(fields: &Fields) -> Result<Rule, ApiError> {
    Ok(Rule {
        kind: fields.required::<Kind>("type")?,
        group_id: fields.required::<GroupId>("group_id")?,
        rank: fields.required::<Rank>("rank")?.0,
        role_id: fields.required::<RoleId>("role_id")?,
    })
}

/// A transaction in which no other request changes the guild's bindings.
async fn begin(call: &Call) -> Result<DatabaseTransaction, ApiError> {
    let transaction = call.begin().await?;
    guild::find_for_update(&transaction, call.guild()).await?;
    Ok(transaction)
}

fn duplicate() -> ApiError {
    ApiError::conflict("binding_exists", "the guild has this very binding already")
}

fn announce(call: &Call) {
    call.app.context.events.publish(Event::BindingsChanged { guild: call.guild() });
}
