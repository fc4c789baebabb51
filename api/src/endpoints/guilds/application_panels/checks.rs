//! What a panel must fulfil, and the questions in requests.

use std::borrow::Cow;

use entities::application_panel::{LABEL_MAX, OPTION_MAX, OPTIONS, QUESTIONS_MAX, QuestionKind, Questions};
use entities::{PanelId, RoleId, application_panel, staff_role};
use serde_json::Value;

use crate::endpoints::bindings::change::check_giver;
use crate::endpoints::prelude::*;
use crate::request::parts::Field;
use crate::request::values::List;
use crate::schema::shape::{self, Property, Shape};

/// Roles of one panel.
const STAFF_ROLES_MAX: usize = 50;

pub(crate) type StaffRoles = List<RoleId, STAFF_ROLES_MAX>;

/// All questions of a panel.
#[derive(Debug)]
pub(crate) struct QuestionList(pub(crate) Questions);

impl Field for QuestionList {
    fn allowed() -> Cow<'static, str> {
        "an array of at most 10 questions".into()
    }

    fn read(sent: &Value) -> Option<Self> {
        Questions::read(sent).ok().map(Self)
    }

    fn shape() -> Shape {
        let kinds: Vec<_> = QuestionKind::ALL.iter().map(|kind| kind.name()).collect();
        let field = |name, required, shape| Property { name, required, shape };
        let options = shape::batch(shape::text(OPTION_MAX, "Europe"), *OPTIONS.end());
        let question = shape::object([
            field("label", true, shape::text(LABEL_MAX, "Why do you apply?")),
            field("kind", true, shape::word(&kinds).example("paragraph")),
            field("options", false, options.about("Of a choice, which has at least 2.").example(json!([]))),
            field("required", false, shape::flag(true).about("If absent: true.")),
        ]);
        shape::batch(question, QUESTIONS_MAX)
    }

    /// The error names the field of the question: `questions[1].options`.
    fn refuse(name: &str, sent: &Value) -> ApiError {
        match Questions::read(sent) {
            Err(misfit) => ApiError::field(&format!("{name}{}", misfit.place), &misfit.sent, misfit.rule),
            Ok(_) => ApiError::field(name, sent, &Self::allowed()),
        }
    }
}

/// The panel, locked, unless it was removed.
pub(crate) async fn locked(
    call: &Call,
    work: &UnitOfWork<'_>,
    panel: PanelId,
) -> Result<application_panel::Model, ApiError> {
    let found = application_panel::find_for_update(work.tx(), call.guild(), panel).await?;
    found.and_then(application_panel::Model::present).or_not_found("panel")
}

/// Those who see the tickets are staff.
pub(crate) async fn check_staff_roles(
    call: &Call,
    work: &UnitOfWork<'_>,
    roles: &[RoleId],
) -> Result<(), ApiError> {
    match staff_role::first_unknown(work.tx(), call.guild(), roles).await? {
        None => Ok(()),
        Some(unknown) => {
            let message = format!("`staff_role_ids`: {unknown} is no staff role of this guild");
            Err(ApiError::rule("unknown_role", message))
        }
    }
}

/// An acceptance gives the role, whoever accepts: a person chooses only roles that they could give by hand
/// (docs/rules.md 7).
pub(crate) async fn check_accept_role(call: &Call, role: Option<RoleId>) -> Result<(), ApiError> {
    match role {
        Some(role) => check_giver(call, "accept_role_id", role, true).await,
        None => Ok(()),
    }
}
