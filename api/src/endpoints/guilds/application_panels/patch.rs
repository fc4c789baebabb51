//! PATCH /guilds/:guildId/application-panels/:panelId (docs/rules.md 7).

use entities::application_panel::{self, Model};
use entities::{ChannelId, PanelId, RoleId, RoleList};

use crate::endpoints::audit;
use crate::endpoints::bindings::change::ROLES_CHANGED;
use crate::endpoints::guilds::application_panels::checks::{
    QuestionList, StaffRoles, check_accept_role, check_staff_roles, locked,
};
use crate::endpoints::guilds::application_panels::record::ApplicationPanel;
use crate::endpoints::prelude::*;
use crate::request::values::Nullable;

request! {
    pub(crate) struct PanelPatch {
        #[example("Moderator")]
        name: Patch<Text<100>>,
        /// The category of chat channels under which tickets open. Null: none.
        category_id: Patch<Nullable<ChannelId>>,
        /// The whole list of staff roles whose holders see the tickets. Null: all of them.
        staff_role_ids: Patch<Nullable<StaffRoles>>,
        /// The whole list. Submissions that are there keep their answers.
        questions: Patch<QuestionList>,
        /// The chat role that an acceptance gives. Null: none.
        accept_role_id: Patch<Nullable<RoleId>>,
        /// A closed panel takes no submissions.
        #[example(true)]
        open: Patch<bool>,
    }
}

impl PanelPatch {
    fn applied_to(self, panel: Model) -> Model {
        Model {
            name: self.name.0.map_or(panel.name, |Text(name)| name),
            category_id: self.category_id.0.map_or(panel.category_id, |sent| sent.0),
            staff_role_ids: self
                .staff_role_ids
                .0
                .map_or(panel.staff_role_ids, |sent| sent.0.map(|roles| RoleList(roles.0))),
            questions: self.questions.0.map_or(panel.questions, |sent| sent.0),
            accept_role_id: self.accept_role_id.0.map_or(panel.accept_role_id, |sent| sent.0),
            is_open: self.open.0.unwrap_or(panel.is_open),
            ..panel
        }
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("updateApplicationPanel", "Change a panel, close or open it")
        .about("At least one field; the others stay.")
        .body::<PanelPatch>()
        .data::<ApplicationPanel>()
        .message("panel updated")
        .refuses(409, &[ROLES_CHANGED])
        .refuses(422, &["unknown_role"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: PanelId = call.path("panelId")?;
    let patch: PanelPatch = call.patch()?;
    let known = application_panel::find(call.read(), call.guild(), id).await?;
    let given = known.and_then(|panel| panel.accept_role_id);
    let new_role = patch.accept_role_id.0.and_then(|sent| sent.0).filter(|role| given != Some(*role));
    check_accept_role(&call, new_role).await?;
    let mut work = UnitOfWork::begin(&call).await?;
    let before = locked(&call, &work, id).await?;
    // What was checked is what is written.
    if patch.accept_role_id.0.is_some() && before.accept_role_id != given {
        let message = "somebody else has just changed `accept_role_id`: read the panel again";
        return Err(ApiError::conflict(ROLES_CHANGED, message));
    }
    let after = patch.applied_to(before.clone());
    if after.staff_role_ids != before.staff_role_ids {
        let roles = after.staff_role_ids.as_ref().map(|roles| roles.0.as_slice());
        check_staff_roles(&call, &work, roles.unwrap_or_default()).await?;
    }
    let shown = ApplicationPanel::from(&after);
    let reply = Reply::data(&shown)?;
    let Some(changes) = audit::changes(&ApplicationPanel::from(&before), &shown)? else {
        return Ok(reply.with_message("nothing to change: the panel is like that already"));
    };
    application_panel::save(work.tx(), &after).await?;
    work.audit("application_panels.update", id, changes);
    work.commit(reply.with_message("panel updated")).await
}
