//! POST /guilds/:guildId/application-panels (docs/rules.md 7).

use entities::application_panel::{self, NewPanel};
use entities::{ChannelId, PanelId, RoleId};

use crate::endpoints::guilds::application_panels::checks::{
    QuestionList, StaffRoles, check_accept_role, check_staff_roles,
};
use crate::endpoints::guilds::application_panels::record::ApplicationPanel;
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct PanelRequest {
        /// A number of the guild's own; absent: the service numbers the panel.
        panel_id: Option<PanelId>,
        #[example("Moderator")]
        name: Text<100>,
        /// The category of chat channels under which tickets open.
        category_id: Option<ChannelId>,
        /// Staff roles whose holders see the tickets. Null: all of them.
        staff_role_ids: Option<StaffRoles>,
        /// In their order. Without questions a submission may have any answers.
        questions: Option<QuestionList>,
        /// The chat role that an acceptance gives. Null: none.
        accept_role_id: Option<RoleId>,
        /// If absent: true. A closed panel takes no submissions.
        #[example(true)]
        open: Option<bool>,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("createApplicationPanel", "Add a panel")
        .body::<PanelRequest>()
        .data::<ApplicationPanel>()
        .message("panel added")
        .refuses(409, &["panel_exists"])
        .refuses(422, &["unknown_role", "too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let sent: PanelRequest = call.body()?;
    check_accept_role(&call, sent.accept_role_id).await?;
    let new = NewPanel {
        id: sent.panel_id,
        name: sent.name.0,
        category: sent.category_id,
        staff_roles: sent.staff_role_ids.map(|roles| roles.0),
        questions: sent.questions.map(|sent| sent.0).unwrap_or_default(),
        accept_role: sent.accept_role_id,
        is_open: sent.open.unwrap_or(true),
    };
    let mut work = UnitOfWork::begin(&call).await?;
    call.room_for(work.tx(), Cap::Panels, 1).await?;
    check_staff_roles(&call, &work, new.staff_roles.as_deref().unwrap_or_default()).await?;
    let added = application_panel::add(work.tx(), call.guild(), new, work.now()).await?;
    let panel = added.map(ApplicationPanel::from).ok_or_else(|| {
        ApiError::conflict("panel_exists", "the guild has, or had, a panel with this `panel_id` already")
    })?;
    work.audit("application_panels.add", panel.panel_id, json!({ "after": panel }));
    work.commit(Reply::data(&panel)?.with_message("panel added")).await
}
