//! The bot's application: its settings, and the endpoint that interactions are sent to.

use http::Uri;
use serde::Deserialize;
use serde_json::Value;

use crate::endpoints::control;
use crate::endpoints::guild::settle;
use crate::form::{self, is_web_address};
use crate::handler::Pending;
use crate::interactions;
use crate::objects;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;

const ENDPOINT: &str = "interactions_endpoint_url";

pub(crate) fn read(simulator: &Simulator, _: &Input) -> Reply {
    let state = simulator.state();
    let settings = &state.conversations;
    Reply::ok(objects::application(
        state.members_intent,
        state.guilds.len(),
        settings.endpoint.as_ref(),
        &settings.redirect_uris,
    ))
}

/// An endpoint is set only if it answers a PING, and refuses one with a wrong signature. Other settings stay.
pub(crate) fn update<'a>(simulator: &'a Simulator, input: &'a Input) -> Pending<'a> {
    Box::pin(async move { settle(set_endpoint(simulator, input).await) })
}

async fn set_endpoint(simulator: &Simulator, input: &Input) -> Result<Reply, Reply> {
    let form = form::read(&input.body)?;
    if let Some(endpoint) = form.get(ENDPOINT) {
        let endpoint = read_endpoint(endpoint)?;
        if let Some(endpoint) = &endpoint {
            let id = simulator.state_mut().conversations.new_id();
            if !interactions::verifies(endpoint, id).await {
                return Err(unverified());
            }
        }
        simulator.state_mut().conversations.endpoint = endpoint;
    }
    Ok(read(simulator, input))
}

fn read_endpoint(value: &Value) -> Result<Option<Uri>, Reply> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) if text.is_empty() => Ok(None),
        Value::String(text) if is_web_address(text) => text.parse().map(Some).map_err(|_| unverified()),
        Value::String(_) => {
            Err(form::invalid(ENDPOINT, ("URL_TYPE_INVALID_URL", "Not a well formed URL.".to_owned())))
        }
        _ => Err(form::invalid(ENDPOINT, form::not_a_text())),
    }
}

fn unverified() -> Reply {
    let text = "The specified interactions endpoint URL could not be verified.".to_owned();
    form::invalid(ENDPOINT, ("APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID", text))
}

/// Absent fields stay unchanged.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ApplicationForm {
    redirect_uris: Option<Vec<String>>,
    /// Set without a PING; empty: cleared.
    interactions_endpoint_url: Option<String>,
}

/// `POST /control/application`: settings that only the developer portal has, and the endpoint of one who is not ready yet.
pub(crate) fn change(simulator: &Simulator, input: &Input) -> Reply {
    control::change(input, |form: ApplicationForm| {
        let settings = &mut simulator.state_mut().conversations;
        if let Some(url) = form.interactions_endpoint_url {
            let endpoint = url.parse().ok().filter(|_| is_web_address(&url));
            if endpoint.is_none() && !url.is_empty() {
                return Err("interactions_endpoint_url: not a web address".to_owned());
            }
            settings.endpoint = endpoint;
        }
        settings.redirect_uris = form.redirect_uris.unwrap_or(std::mem::take(&mut settings.redirect_uris));
        Ok(())
    })
}
