//! Forms that an application posts with its credentials: for the tokens of a person, and their revocation. Errors are
//! OAuth 2's. Refresh tokens are issued, but only serve a revocation.

use std::collections::HashMap;
use std::time::Instant;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::grants::{Account, Grants, Issued, Proof};
use crate::options::Application;
use crate::pairs::pairs;
use crate::reply::Reply;
use crate::route::Input;

const FORM: &str = "application/x-www-form-urlencoded";

pub(crate) type Form = HashMap<String, String>;

/// A form of this application. Its credentials come as Basic authentication or in the form.
pub(crate) fn read(application: &Application, input: &Input) -> Result<Form, Reply> {
    let kind = input.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.starts_with(FORM) {
        return Err(error(400, "invalid_request", "The content type must be that of a form."));
    }
    let form = pairs(&String::from_utf8_lossy(&input.body));
    let of_form = || Some((form.get("client_id")?.clone(), form.get("client_secret")?.clone()));
    match basic(input).or_else(of_form) {
        Some((id, secret)) if id == application.client_id && secret == application.client_secret => Ok(form),
        _ => Err(Reply::json(401, json!({ "error": "invalid_client" }))),
    }
}

/// The tokens for the form's code.
pub(crate) fn exchange<A: Account>(grants: &mut Grants<A>, form: &Form) -> Result<Issued<A>, Reply> {
    if form.get("grant_type").is_none_or(|kind| kind != "authorization_code") {
        return Err(error(400, "unsupported_grant_type", "Only authorization_code is supported."));
    }
    let code = required(form, "code", "Missing \"code\" in request.")?;
    let text = |name| form.get(name).map(String::as_str);
    let proof = Proof { redirect: text("redirect_uri"), verifier: text("code_verifier") };
    grants.exchange(code, &proof, Instant::now()).map_err(|(word, description)| error(400, word, description))
}

/// Succeeds for unknown tokens too (RFC 7009).
pub(crate) fn revoke<A: Account>(grants: &mut Grants<A>, form: &Form) -> Result<(), Reply> {
    let token = required(form, "token", "Missing \"token\" in request.")?;
    grants.revoke(token);
    Ok(())
}

/// The body that answers an exchange.
pub(crate) fn issued<A: Account>(issued: &Issued<A>) -> Value {
    json!({
        "token_type": "Bearer", "access_token": issued.access, "refresh_token": issued.refresh,
        "expires_in": A::TOKEN_LIFE.as_secs(), "scope": issued.grant.scopes.join(" "),
    })
}

/// Id and secret are encoded like a form (RFC 6749, section 2.3.1).
fn basic(input: &Input) -> Option<(String, String)> {
    let bytes = BASE64_STANDARD.decode(input.authorization("Basic")?).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let (id, secret) = text.split_once(':')?;
    let mut decoded = pairs(&format!("id={id}&secret={secret}"));
    Some((decoded.remove("id")?, decoded.remove("secret")?))
}

fn required<'a>(form: &'a Form, name: &str, missing: &str) -> Result<&'a str, Reply> {
    let value = form.get(name).filter(|value| !value.is_empty());
    value.map(String::as_str).ok_or_else(|| error(400, "invalid_request", missing))
}

fn error(status: u16, word: &str, description: &str) -> Reply {
    Reply::json(status, json!({ "error": word, "error_description": description }))
}
