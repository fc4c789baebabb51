//! /console/guilds/:guild/bindings/:binding: a binding is changed in place. Removed and added anew, it would be missing in a sync
//! that runs in between.

use askama::Template;
use entities::BindingId;
use entities::binding::{self, Binding};
use http::Method;

use super::{Offer, form, rows};
use crate::fields::Fields;
use crate::html::form::Form;
use crate::html::shell::{Place, Shell};
use crate::response::{Flash, PageError, Response, Undo};
use crate::visit::GuildVisit;

#[derive(Template)]
#[template(path = "guilds/binding.html")]
struct Page {
    shell: Shell,
    url: String,
    list_url: String,
    form: Form,
    offer: Offer,
}

async fn find(visit: &GuildVisit) -> Result<Binding, PageError> {
    let id: BindingId = visit.param("binding")?;
    binding::find(visit.read(), visit.guild.guild_id, id).await?.ok_or(PageError::NotFound)
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let row = find(&visit).await?;
    let fields = Fields::of(&form::borrowed(&form::again(&row.rule)));
    // Another group, whose ranks are asked for.
    let group = visit.query.text("group_id");
    let fields = if group.is_empty() { fields } else { fields.and("group_id", group) };
    show(&visit, row.id, Form::new(fields)).await
}

async fn show(visit: &GuildVisit, id: BindingId, form: Form) -> Result<Response, PageError> {
    let overview = visit.platforms().chat.guild_overview(visit.call_context()).await;
    let page = Page {
        shell: visit.shell("Change a binding", Place::Bindings),
        url: visit.url(&format!("/bindings/{id}")),
        list_url: visit.url("/bindings"),
        offer: Offer::read(visit, overview.as_ref(), form.text("group_id"), &[]).await,
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

pub(crate) async fn update(visit: GuildVisit) -> Result<Response, PageError> {
    let before = find(&visit).await?;
    let body = form::change(&visit.form, &before);
    let answer = visit.api(Method::PATCH, "/bindings/update", body).await;
    if !answer.status.is_success() {
        return show(&visit, before.id, Form::refused(&visit.form, &answer)).await;
    }
    let (list, after) = (visit.url("/bindings"), find(&visit).await?);
    if after == before {
        return Ok(Response::see(list).flash(Flash::new(answer.message())));
    }
    let undo = Undo::new(
        visit.url(&format!("/bindings/{}", before.id)),
        &form::borrowed(&form::again(&before.rule)),
    );
    let named = rows::named(&visit, &after).await;
    let flash = Flash::new(format!("Binding changed: {named}. The next sync gives and takes roles by it."));
    Ok(Response::see(list).flash(flash.with_undo(undo)))
}
