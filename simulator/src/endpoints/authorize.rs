//! The page on which a person grants an application access, on either platform: choice of the account, and Authorize
//! or Cancel.
//!
//! Scripts post the form themselves, to the same URL: `user_id=…&decision=authorize`, or `decision=cancel`.

mod page;
pub(crate) mod platforms;

use std::time::Instant;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::flaw::Flaw;
use crate::form::is_web_address;
use crate::grants::{Account, Code, Grant, Grants, Refused};
use crate::options::Application;
use crate::pairs::pairs;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::{Records, Simulator};
use crate::state::SimulatorState;

/// Base64 of SHA-256, without padding.
const CHALLENGE_LENGTH: usize = 43;

/// What differs between the platforms.
pub(crate) trait Platform {
    type User: Account + std::fmt::Display;
    /// `chat`, `game`.
    const NAME: &'static str;
    const SCOPES: &'static [&'static str];

    fn application(simulator: &Simulator) -> &Application;
    fn grants(records: &mut Records) -> &mut Grants<Self::User>;
    /// The account with this id, if a person may sign in with it.
    fn person(state: &SimulatorState, id: &str) -> Option<Self::User>;
    /// Some accounts, each with what to call it; the first one is the page's choice.
    fn people(state: &SimulatorState) -> Vec<(Self::User, String)>;
}

/// The application's request, validated.
struct Asked {
    redirect: String,
    state: Option<String>,
    scopes: Vec<String>,
    challenge: Option<String>,
    nonce: Option<String>,
}

pub(crate) fn page<P: Platform>(simulator: &Simulator, input: &Input) -> Reply {
    match read::<P>(simulator, input) {
        Ok(asked) => form::<P>(simulator, &asked, 200, ""),
        Err(reply) => reply,
    }
}

pub(crate) fn decide<P: Platform>(simulator: &Simulator, input: &Input) -> Reply {
    let asked = match read::<P>(simulator, input) {
        Ok(asked) => asked,
        Err(reply) => return reply,
    };
    let answers = pairs(&String::from_utf8_lossy(&input.body));
    match answers.get("decision").map(String::as_str) {
        Some("authorize") if input.flaw != Some(Flaw::Denied) => {
            match answers.get("user_id").and_then(|id| P::person(&simulator.state(), id.trim())) {
                Some(user) => authorize::<P>(simulator, asked, user, input.flaw),
                None => form::<P>(simulator, &asked, 400, "There is no such person."),
            }
        }
        Some("cancel" | "authorize") => {
            let denied = ("access_denied", "The resource owner or authorization server denied the request");
            refuse(&asked.redirect, asked.state.as_deref(), denied)
        }
        _ => form::<P>(simulator, &asked, 400, "Press Authorize or Cancel."),
    }
}

fn authorize<P: Platform>(simulator: &Simulator, asked: Asked, user: P::User, flaw: Option<Flaw>) -> Reply {
    let Asked { redirect, state, scopes, challenge, nonce } = asked;
    let now = Instant::now();
    let has_expired = flaw == Some(Flaw::ExpiredCode);
    let until = if has_expired { now } else { now + P::application(simulator).code_life };
    let state = if flaw == Some(Flaw::WrongState) { Some("another-state".to_owned()) } else { state };
    let code = Code { grant: Grant { user, scopes, nonce }, redirect: redirect.clone(), challenge, until };
    let code = P::grants(&mut simulator.records()).authorize(code, now);
    back(&redirect, &[("code", Some(&code)), ("state", state.as_deref())])
}

/// Without a known application and redirect address the person sees the error, else the application does.
fn read<P: Platform>(simulator: &Simulator, input: &Input) -> Result<Asked, Reply> {
    let problem = |text| Reply::page(400, page::problem(P::NAME, text));
    if input.query("client_id") != Some(&P::application(simulator).client_id) {
        return Err(problem("Unknown application: client_id is not that of this simulator."));
    }
    let redirect = input.query("redirect_uri").filter(|uri| is_web_address(uri));
    let redirect = redirect.ok_or_else(|| problem("Invalid OAuth2 redirect_uri."))?.to_owned();
    let state = input.query("state").map(str::to_owned);
    let (scopes, challenge) =
        read_rest(input, P::SCOPES).map_err(|refused| refuse(&redirect, state.as_deref(), refused))?;
    Ok(Asked { redirect, state, scopes, challenge, nonce: input.query("nonce").map(str::to_owned) })
}

fn read_rest(input: &Input, known: &[&str]) -> Result<(Vec<String>, Option<String>), Refused> {
    if input.query("response_type") != Some("code") {
        return Err(("unsupported_response_type", "Only the response type code is supported."));
    }
    let scopes: Vec<&str> = input.query("scope").unwrap_or_default().split_whitespace().collect();
    if scopes.is_empty() || !scopes.iter().all(|scope| known.contains(scope)) {
        return Err(("invalid_scope", "The requested scope is invalid, unknown, or malformed."));
    }
    let challenge = input.query("code_challenge");
    if challenge.is_some() && input.query("code_challenge_method") != Some("S256") {
        return Err(("invalid_request", "Unsupported \"code_challenge_method\""));
    }
    let is_base64 = |text: &&str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if challenge.is_some_and(|text| text.len() != CHALLENGE_LENGTH || !is_base64(&text)) {
        return Err(("invalid_request", "Invalid \"code_challenge\""));
    }
    Ok((scopes.into_iter().map(str::to_owned).collect(), challenge.map(str::to_owned)))
}

fn refuse(redirect: &str, state: Option<&str>, (error, description): Refused) -> Reply {
    back(redirect, &[("error", Some(error)), ("error_description", Some(description)), ("state", state)])
}

fn back(redirect: &str, answer: &[(&str, Option<&str>)]) -> Reply {
    let given = answer.iter().filter_map(|(name, value)| Some((name, (*value)?)));
    let pairs: Vec<String> = given
        .map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC)))
        .collect();
    let first = if redirect.contains('?') { '&' } else { '?' };
    Reply::redirect(&format!("{redirect}{first}{}", pairs.join("&")))
}

fn form<P: Platform>(simulator: &Simulator, asked: &Asked, status: u16, alert: &str) -> Reply {
    let people = P::people(&simulator.state());
    let application = &P::application(simulator).client_id;
    Reply::page(status, page::form(P::NAME, application, &asked.scopes.join(", "), &people, alert))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_addresses_can_be_gone_back_to() {
        for good in ["http://127.0.0.1:8080/console/sign-in/callback", "https://a.example.org/?x=1"] {
            assert!(is_web_address(good), "{good}");
        }
        for bad in ["", "/callback", "javascript:alert(1)", "ftp://a/b", "http://", "https://a/#b"] {
            assert!(!is_web_address(bad), "{bad}");
        }
    }

    #[test]
    fn an_answer_is_appended_to_the_address() {
        let to = |redirect| back(redirect, &[("error", Some("a b")), ("state", None)]).headers[0].1.clone();
        assert_eq!(to("http://a/b"), "http://a/b?error=a%20b");
        assert_eq!(to("http://a/b?c=d"), "http://a/b?c=d&error=a%20b");
    }
}
