//! Panels: what people may apply for, and who sees the tickets.

use entities::{PanelId, application_panel, staff_role};

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
