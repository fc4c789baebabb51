//! POST /guilds/:guildId/application-submissions/:submissionId/refuse (docs/rules.md 7).

use crate::endpoints::guilds::application_submissions::decide::{Decision, decide, describe};
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct Refusal {
        /// What the applicant is told.
        #[example("Apply again when you have played for a month.")]
        reason: Text,
    }
}

pub(crate) fn operation() -> Operation {
    let operation = Operation::new("refuseApplication", "Refuse an application");
    let about = "Tells the applicant why, by direct message. They may apply again.";
    describe(operation.about(about).body::<Refusal>().message("application refused"))
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let Refusal { reason } = call.body()?;
    decide(call, Decision::Refuse, Some(reason)).await
}
