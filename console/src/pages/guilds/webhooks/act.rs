//! The buttons on the page of a webhook.

use entities::JobId;
use http::Method;
use serde_json::{Map, Value};

use super::{events, find, secret, webhook};
use crate::html::form::Form;
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

/// Makes a call below the webhook, and says on its page what came of it.
async fn act(
    visit: &GuildVisit,
    (method, rest): (Method, &str),
    body: Map<String, Value>,
    said: &str,
) -> Result<Response, PageError> {
    let hook = find(visit).await?;
    let path = format!("/guilds/{{g}}/webhooks/{}{rest}", hook.webhook_id);
    let answer = visit.api(method, &path, body).await;
    if !answer.status.is_success() {
        let form = Form::wrong(&events::fields(&hook), None, &answer.message());
        return webhook::show(visit, form).await;
    }
    let url = visit.url(&format!("/webhooks/{}", hook.webhook_id));
    Ok(Response::see(url).flash(Flash::new(said.to_owned())))
}

pub(crate) async fn switch(visit: GuildVisit) -> Result<Response, PageError> {
    let on = visit.form.text("enabled") == "true";
    let said = if on { "It is on: what happens from now on is sent." } else { "It is off: nothing is sent." };
    let body = Map::from_iter([("enabled".to_owned(), on.into())]);
    act(&visit, (Method::PATCH, ""), body, said).await
}

pub(crate) async fn test(visit: GuildVisit) -> Result<Response, PageError> {
    let said = "A test is on its way. Its delivery is the first one below.";
    act(&visit, (Method::POST, "/test"), Map::new(), said).await
}

pub(crate) async fn replay(visit: GuildVisit) -> Result<Response, PageError> {
    let delivery: JobId = visit.param("delivery")?;
    let path = format!("/deliveries/{delivery}/replay");
    act(&visit, (Method::POST, &path), Map::new(), "The event is sent again.").await
}

pub(crate) async fn replace_secret(visit: GuildVisit) -> Result<Response, PageError> {
    let hook = find(&visit).await?;
    let path = format!("/guilds/{{g}}/webhooks/{}/rotate", hook.webhook_id);
    let answer = visit.api(Method::POST, &path, Map::new()).await;
    if !answer.status.is_success() {
        let form = Form::wrong(&events::fields(&hook), None, &answer.message());
        return webhook::show(&visit, form).await;
    }
    secret(&visit, &answer, true)
}

pub(crate) async fn remove(visit: GuildVisit) -> Result<Response, PageError> {
    let hook = find(&visit).await?;
    let path = format!("/guilds/{{g}}/webhooks/{}", hook.webhook_id);
    let answer = visit.api(Method::DELETE, &path, Map::new()).await;
    if !answer.status.is_success() {
        let form = Form::wrong(&events::fields(&hook), None, &answer.message());
        return webhook::show(&visit, form).await;
    }
    Ok(Response::see(visit.url("/webhooks")).flash(Flash::new(format!("Webhook to {} removed.", hook.url))))
}
