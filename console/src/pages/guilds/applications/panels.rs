//! Panels: what people may apply for, and who sees the tickets.

use entities::{PanelId, application_panel, staff_role};
use http::Method;
use serde_json::Value;

use super::show;
use crate::answer::{Answer, PageError};
use crate::cookies::Flash;
use crate::form::Form;
use crate::visit::GuildVisit;

pub(super) struct Panel {
    pub(super) id: PanelId,
    pub(super) name: String,
    /// Who sees its tickets.
    pub(super) seen_by: String,
    pub(super) category: String,
}

pub(super) fn shown(panel: application_panel::Model, roles: &[staff_role::Model]) -> Panel {
    let seen_by = match &panel.staff_role_ids {
        None => "All staff".to_owned(),
        Some(ids) if ids.0.is_empty() => "Only the applicant".to_owned(),
        Some(ids) => {
            let name = |id| {
                let role = roles.iter().find(|role| role.role_id == id);
                role.map_or_else(|| format!("role {id}"), |role| role.role_name.clone())
            };
            ids.0.iter().copied().map(name).collect::<Vec<_>>().join(", ")
        }
    };
    let category = panel.category_id.map_or_else(|| "No category".to_owned(), |id| format!("Category {id}"));
    Panel { id: panel.panel_id, name: panel.name, seen_by, category }
}

pub(crate) async fn add(visit: GuildVisit) -> Result<Answer, PageError> {
    if !visit.form.has("name") {
        let form = Form::wrong(&visit.form, Some("name"), "Enter what people apply for.");
        return show(&visit, form).await;
    }
    let mut body = visit.form.json(&["name", "category_id"]);
    // Without a choice all staff see the tickets.
    let roles = visit.form.all("staff_role_ids");
    if !roles.is_empty() {
        body.insert("staff_role_ids".to_owned(), Value::from(roles));
    }
    let answer = visit.api(Method::POST, "/guilds/{g}/application-panels", body).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    let said = Flash::new(format!("Panel {} added.", visit.form.text("name")));
    Ok(Answer::see(visit.url("/applications")).flash(said))
}
