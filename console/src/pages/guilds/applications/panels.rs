//! Panels in the list: what people may apply for, who sees the tickets, and what an acceptance gives.

use std::collections::HashMap;

use entities::{ChannelId, PanelId, RoleId, application_panel, staff_role};

use crate::html::format::Count;
use crate::visit::GuildVisit;

pub(super) struct Panel {
    pub(super) id: PanelId,
    pub(super) name: String,
    pub(super) state: (&'static str, &'static str),
    pub(super) questions: Count<u64>,
    /// Who sees its tickets.
    pub(super) seen_by: String,
    pub(super) category: String,
    /// The role that an acceptance gives.
    pub(super) role: String,
}

/// Names on the chat platform; while it is away the ids stand for them.
#[derive(Default)]
struct Names {
    categories: HashMap<ChannelId, String>,
    roles: HashMap<RoleId, String>,
}

impl Names {
    async fn read(visit: &GuildVisit, panels: &[application_panel::Model]) -> Self {
        let (chat, call) = (&visit.platforms().chat, visit.call_context());
        let mut names = Self::default();
        if panels.iter().any(|panel| panel.category_id.is_some()) {
            names.categories = chat.categories(call).await.unwrap_or_default().into_iter().collect();
        }
        if panels.iter().any(|panel| panel.accept_role_id.is_some()) {
            let roles = chat.guild_roles(call).await.unwrap_or_default();
            names.roles = roles.iter().map(|role| (role.id, role.name.clone())).collect();
        }
        names
    }
}

pub(super) async fn shown(
    visit: &GuildVisit,
    panels: Vec<application_panel::Model>,
    roles: &[staff_role::Model],
) -> Vec<Panel> {
    let names = Names::read(visit, &panels).await;
    let panel = |panel: application_panel::Model| Panel {
        id: panel.panel_id,
        state: if panel.is_open { ("good", "open") } else { ("quiet", "closed") },
        questions: Count(panel.questions.0.len() as u64, "question"),
        seen_by: seen_by(&panel, roles),
        category: panel.category_id.map_or_else(
            || "No category".to_owned(),
            |id| names.categories.get(&id).cloned().unwrap_or_else(|| format!("Category {id}")),
        ),
        role: panel.accept_role_id.map_or_else(
            || "No role".to_owned(),
            |id| names.roles.get(&id).cloned().unwrap_or_else(|| format!("Role {id}")),
        ),
        name: panel.name,
    };
    panels.into_iter().map(panel).collect()
}

fn seen_by(panel: &application_panel::Model, roles: &[staff_role::Model]) -> String {
    match &panel.staff_role_ids {
        None => "All staff".to_owned(),
        Some(ids) if ids.0.is_empty() => "Only the applicant".to_owned(),
        Some(ids) => {
            let name = |id| {
                let role = roles.iter().find(|role| role.role_id == id);
                role.map_or_else(|| format!("role {id}"), |role| role.role_name.clone())
            };
            ids.0.iter().copied().map(name).collect::<Vec<_>>().join(", ")
        }
    }
}
