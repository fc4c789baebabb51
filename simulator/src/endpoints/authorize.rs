//! The page on which a person grants the application access: choice of the account, and Authorize or Cancel.
//!
//! Scripts post the form themselves, to the same URL: `user_id=…&decision=authorize`, or `decision=cancel`.

use std::fmt::Write as _;
use std::time::Instant;

use entities::ChatId;
use http::Uri;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::grants::{Code, Grant, Refused};
use crate::pairs::pairs;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;
use crate::state::{Guild, SimulatorState};

const SCOPES: [&str; 6] =
    ["identify", "email", "connections", "guilds", "guilds.members.read", "role_connections.write"];
/// Base64 of SHA-256, without padding.
const CHALLENGE_LENGTH: usize = 43;
const PEOPLE_PER_GUILD: usize = 20;

/// The application's request, validated.
struct Asked {
    redirect: String,
    state: Option<String>,
    scopes: Vec<String>,
    challenge: Option<String>,
}

pub(crate) fn page(simulator: &Simulator, input: &Input) -> Reply {
    match read(simulator, input) {
        Ok(asked) => form(simulator, &asked, 200, ""),
        Err(reply) => reply,
    }
}

pub(crate) fn decide(simulator: &Simulator, input: &Input) -> Reply {
    let asked = match read(simulator, input) {
        Ok(asked) => asked,
        Err(reply) => return reply,
    };
    let answers = pairs(&String::from_utf8_lossy(&input.body));
    match answers.get("decision").map(String::as_str) {
        Some("cancel") => {
            let denied = ("access_denied", "The resource owner or authorization server denied the request");
            refuse(&asked.redirect, asked.state.as_deref(), denied)
        }
        Some("authorize") => match answers.get("user_id").and_then(|id| person(&simulator.state(), id)) {
            Some(user) => authorize(simulator, asked, user),
            None => form(simulator, &asked, 400, "There is no such person."),
        },
        _ => form(simulator, &asked, 400, "Press Authorize or Cancel."),
    }
}

fn authorize(simulator: &Simulator, asked: Asked, user: ChatId) -> Reply {
    let Asked { redirect, state, scopes, challenge } = asked;
    let now = Instant::now();
    let until = now + simulator.options.application.code_life;
    let code = Code { grant: Grant { user, scopes }, redirect: redirect.clone(), challenge, until };
    let code = simulator.records().grants.authorize(code, now);
    back(&redirect, &[("code", Some(&code)), ("state", state.as_deref())])
}

/// Without a known application and redirect address the person sees the error, else the application does.
fn read(simulator: &Simulator, input: &Input) -> Result<Asked, Reply> {
    if input.query("client_id") != Some(&simulator.options.application.client_id) {
        return Err(problem("Unknown application: client_id is not that of this simulator."));
    }
    let redirect = input.query("redirect_uri").filter(|uri| is_web_address(uri));
    let redirect = redirect.ok_or_else(|| problem("Invalid OAuth2 redirect_uri."))?.to_owned();
    let state = input.query("state").map(str::to_owned);
    let (scopes, challenge) =
        read_rest(input).map_err(|refused| refuse(&redirect, state.as_deref(), refused))?;
    Ok(Asked { redirect, state, scopes, challenge })
}

fn read_rest(input: &Input) -> Result<(Vec<String>, Option<String>), Refused> {
    if input.query("response_type") != Some("code") {
        return Err(("unsupported_response_type", "Only the response type code is supported."));
    }
    let scopes: Vec<&str> = input.query("scope").unwrap_or_default().split_whitespace().collect();
    if scopes.is_empty() || !scopes.iter().all(|scope| SCOPES.contains(scope)) {
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

fn is_web_address(address: &str) -> bool {
    !address.contains('#')
        && address.parse::<Uri>().is_ok_and(|uri| {
            matches!(uri.scheme_str(), Some("http" | "https"))
                && uri.host().is_some_and(|host| !host.is_empty())
        })
}

fn person(state: &SimulatorState, id: &str) -> Option<ChatId> {
    let id = id.trim().parse().ok()?;
    let is_bot = |guild: &Guild| guild.members.get(&id).is_some_and(|member| member.bot);
    Some(id).filter(|id| state.users.contains(id) && !state.guilds.values().any(is_bot))
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

fn problem(text: &str) -> Reply {
    Reply::page(400, document(&format!("<p role=\"alert\">{text}</p>")))
}

fn form(simulator: &Simulator, asked: &Asked, status: u16, alert: &str) -> Reply {
    let application = escaped(&simulator.options.application.client_id);
    let scopes = escaped(&asked.scopes.join(", "));
    let (first, people) = people(&simulator.state());
    let alert = if alert.is_empty() { String::new() } else { format!("<p role=\"alert\">{alert}</p>") };
    Reply::page(
        status,
        document(&format!(
            "{alert}<p>The application <strong>{application}</strong> asks for: {scopes}</p>\
             <form method=\"post\"><p><label for=\"user_id\">Sign in as (id of a chat account)</label><br>\
             <input id=\"user_id\" name=\"user_id\" list=\"people\" value=\"{first}\" inputmode=\"numeric\" \
             autocomplete=\"off\" size=\"30\"></p><datalist id=\"people\">{people}</datalist>\
             <p><button name=\"decision\" value=\"authorize\">Authorize</button> \
             <button name=\"decision\" value=\"cancel\">Cancel</button></p></form>"
        )),
    )
}

/// The owner of the first guild, and some members of each guild as options.
fn people(state: &SimulatorState) -> (String, String) {
    let mut options = String::new();
    for guild in state.guilds.values() {
        let owner = guild.owner.and_then(|owner| Some((owner, guild.members.get(&owner)?)));
        let humans = guild.members.iter().filter(|(id, member)| !member.bot && !guild.is_owner(**id));
        let others = humans.map(|(id, member)| (*id, member)).take(PEOPLE_PER_GUILD);
        for (id, member) in owner.into_iter().chain(others) {
            let owns = if guild.is_owner(id) { ", owner" } else { "" };
            let (nick, name) = (escaped(member.nick.as_deref().unwrap_or_default()), escaped(&guild.name));
            let _ = write!(options, "<option value=\"{id}\" label=\"{nick} ({name}{owns})\"></option>");
        }
    }
    let first = state.guilds.values().find_map(|guild| guild.owner);
    (first.map_or_else(String::new, |owner| owner.to_string()), options)
}

fn document(main: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Simulated chat platform: sign in</title>\
         <meta name=\"viewport\" content=\"width=device-width\"></head><body><main><h1>Simulated chat platform</h1>\
         {main}</main></body></html>"
    )
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            _ => safe.push(c),
        }
    }
    safe
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

    #[test]
    fn names_are_text_on_the_page() {
        assert_eq!(escaped("<b a=\"1\">&"), "&lt;b a=&quot;1&quot;&gt;&amp;");
    }
}
