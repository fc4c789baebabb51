//! An operator's change: who acts, the log line that it leaves, and its commit.

use entities::audit_entry::Actor;
use jobs::Operator;
use runtime::UnitOfWork;

use crate::response::PageError;
use crate::visit::Visit;

impl Visit {
    /// The signed-in person, as the audit log of a guild names them.
    pub(crate) fn operator(&self) -> Operator {
        let request_id = Some(self.request.request_id.to_string());
        let actor = Actor { actor_id: self.session.row.user_id.get(), key_id: None, request_id };
        Operator { actor, by: "operator".to_owned() }
    }

    /// Not every change of an operator concerns a guild, so each is in the log of the service.
    pub(crate) fn log(&self, action: &'static str, target: &str) {
        tracing::info!(user.id = %self.session.row.user_id, action, target, "an operator changed something");
    }

    /// Commits a change and publishes its jobs.
    pub(crate) async fn commit(&self, work: UnitOfWork) -> Result<(), PageError> {
        self.queue().publish(work.commit().await?);
        Ok(())
    }
}
