//! /apply/:guild: what a member can apply for in one guild, and what they have sent.

use askama::Template;
use entities::application_panel::{self, Model as Panel};
use entities::application_submission::{self, Filter};
use platforms::PictureOf;

use super::admitted;
use super::sent::Sent;
use crate::html::format::Count;
use crate::html::list::{cut, page};
use crate::html::shell::Shell;
use crate::pages::linking::picture::Picture;
use crate::response::{PageError, Response};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "applying/guild.html")]
struct Page {
    shell: Shell,
    url: String,
    guild: String,
    icon: Picture,
    open: Vec<Open>,
    sent: Vec<Sent>,
    more: Option<String>,
}

/// A panel that takes applications.
struct Open {
    url: String,
    name: String,
    questions: Count<usize>,
}

pub(crate) async fn get(visit: Visit) -> Result<Response, PageError> {
    let (guild, _) = admitted(&visit).await?;
    let (conn, id, url) = (visit.read(), guild.guild_id, format!("/apply/{}", guild.guild_id));
    let panels = application_panel::list_all(conn, id).await?;
    let filter = Filter { applicant: Some(visit.session.row.user_id), ..Filter::default() };
    let mut rows = application_submission::list(conn, id, filter, page(&visit)).await?;
    let more = cut(&visit, &mut rows, |row| row.submission_id);
    let sent = rows.into_iter().map(|row| {
        let panel = panels.iter().find(|panel| panel.panel_id == row.panel_id);
        Sent::of(&visit, row, panel)
    });
    let sent = sent.collect();
    let open = |panel: &Panel| Open {
        url: format!("{url}/{}", panel.panel_id),
        name: panel.name.clone(),
        questions: Count(panel.questions.0.len(), "question"),
    };
    let page = Page {
        shell: visit.shell(&format!("Apply in {}", guild.name)),
        icon: Picture::new(id, PictureOf::Guild(id), &guild.name),
        guild: guild.name,
        open: panels.iter().filter(|panel| panel.is_open).map(open).collect(),
        url,
        sent,
        more,
    };
    Response::page(&page)
}
