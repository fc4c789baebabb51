//! The buttons on the page of a webhook.

use entities::JobId;
use entities::webhook::Model;
use http::Method;
use people::ApiAnswer;
use serde_json::{Map, Value};

use super::{events, find, secret, webhook};
use crate::html::form::Form;
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

/// Makes a call below the webhook; `Err`: its page, with why the call was refused.
async fn call(
    visit: &GuildVisit,
    (method, rest): (Method, &str),
    body: Map<String, Value>,
) -> Result<Result<(Model, ApiAnswer), Response>, PageError> {
    let hook = find(visit).await?;
    let path = format!("/guilds/{{g}}/webhooks/{}{rest}", hook.webhook_id);
    let answer = visit.api(method, &path, body).await;
    if answer.status.is_success() {
        return Ok(Ok((hook, answer)));
    }
    let form = Form::wrong(&events::fields(&hook), None, &answer.message());
    webhook::show(visit, form).await.map(Err)
}

/// The same, and its page says what came of it.
async fn act(
    visit: &GuildVisit,
    made: (Method, &str),
    body: Map<String, Value>,
    said: &str,
) -> Result<Response, PageError> {
    Ok(match call(visit, made, body).await? {
        Ok((hook, _)) => {
            let own = format!("/webhooks/{}", hook.webhook_id);
            Response::see(visit.back_to(&[own.as_str()])).flash(Flash::new(said.to_owned()))
        }
        Err(refused) => refused,
    })
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
    match call(&visit, (Method::POST, "/rotate"), Map::new()).await? {
        Ok((_, answer)) => secret(&visit, &answer, true),
        Err(refused) => Ok(refused),
    }
}

pub(crate) async fn remove(visit: GuildVisit) -> Result<Response, PageError> {
    Ok(match call(&visit, (Method::DELETE, ""), Map::new()).await? {
        Ok((hook, _)) => {
            let said = format!("Webhook to {} removed.", hook.url);
            Response::see(visit.url("/webhooks")).flash(Flash::new(said))
        }
        Err(refused) => refused,
    })
}
