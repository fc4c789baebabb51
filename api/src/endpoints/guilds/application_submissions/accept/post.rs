//! POST /guilds/:guildId/application-submissions/:submissionId/accept (docs/rules.md 7).

use crate::endpoints::guilds::application_submissions::decide::{Decision, decide, describe};
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct Acceptance {
        /// What the applicant is told with it.
        #[example("Welcome to the team!")]
        reason: Option<Text>,
    }
}

pub(crate) fn operation() -> Operation {
    let operation = Operation::new("acceptApplication", "Accept an application");
    let about = "Gives the applicant the role of the panel, if it has one, and tells them by direct message.";
    describe(operation.about(about).body::<Acceptance>().message("application accepted"))
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let Acceptance { reason } = call.body()?;
    decide(call, Decision::Accept, reason).await
}
