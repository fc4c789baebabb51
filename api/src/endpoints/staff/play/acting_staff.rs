//! Audit entries of game servers name the staff member who acts (docs/rules.md 6).

use entities::ChatId;
use entities::audit_entry::Actor;

use crate::call::Call;

pub(crate) fn acting_staff(call: &Call, staff: ChatId) -> Actor {
    Actor { actor_id: staff.get(), ..call.actor() }
}
