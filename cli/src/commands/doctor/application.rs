//! The bot's application on the chat platform: what its developer portal has, compared with the settings.

use chat_commands::{INTERACTIONS_PATH as INTERACTIONS, are_registered};
use console::DISCORD_CALLBACKS;
use platforms::{Application, Platforms};
use runtime::PlatformConfig;

use super::platforms::problem;
use super::report::{Problem, Report};

const PUBLIC_URL: &str = "GUILDHALL_PUBLIC_URL";

/// How the settings let commands arrive.
#[derive(Clone, Copy)]
pub(super) enum Commands {
    ByHttp,
    /// To this single process.
    ByStream,
    /// To processes of their own.
    ByGateway,
    Off,
}

/// Whether people who sign in could come back.
pub(super) fn check_public_url(config: &PlatformConfig, public: Option<&str>, report: &mut Report) -> bool {
    if config.chat_client_id.is_none() {
        return true;
    }
    let outcome = public.map(|url| ((), format!("people sign in at {url}"))).ok_or_else(|| {
        let what = format!("GUILDHALL_CHAT_CLIENT_ID is set, {PUBLIC_URL} is not: nobody can sign in");
        Problem::new(what, format!("set {PUBLIC_URL} to the address that browsers see"))
    });
    report.check("public url", outcome).is_some()
}

/// The token was accepted.
pub(super) async fn check(
    platforms: &Platforms,
    config: &PlatformConfig,
    (public, ways): (Option<&str>, Commands),
    report: &mut Report,
) {
    let application = platforms.application().await.map_err(|error| problem(&error));
    let Some(application) = report.record_failure("application", application) else { return };
    super::platforms::check_intents(&application, report);
    let answered = match &platforms.interaction_key {
        Some(key) => {
            let key = public_key(&key.public_key(), &application).map(|detail| ((), detail));
            // The portal takes an endpoint only with the right key.
            if report.check("public key", key).is_some() {
                report.record("interactions", endpoint(&application, public));
            }
            true
        }
        None => report.check("interactions", stream(&application, ways)).unwrap_or_default(),
    };
    if answered {
        report.record("commands", commands(platforms, &application).await);
    }
    if let (Some(id), Some(public)) = (&config.chat_client_id, public) {
        report.record("redirects", redirects(&application, id, public));
    }
}

fn public_key(ours: &str, application: &Application) -> Result<String, Problem> {
    if application.verify_key.eq_ignore_ascii_case(ours) {
        return Ok("that of the bot's application".to_owned());
    }
    let what = "GUILDHALL_CHAT_PUBLIC_KEY is not the public key of the bot's application";
    let key = &application.verify_key;
    Err(Problem::new(what, format!("set it to {key} (developer portal, General Information, Public Key)")))
}

/// Whether the stream brings commands, which is read.
fn stream(application: &Application, ways: Commands) -> Result<(bool, String), Problem> {
    let where_read = match ways {
        Commands::ByStream => "",
        Commands::ByGateway => ", to a `gateway` process",
        Commands::ByHttp | Commands::Off => {
            return Ok((false, "off: neither GUILDHALL_CHAT_PUBLIC_KEY nor events are on".to_owned()));
        }
    };
    let Some(entered) = application.interactions_endpoint() else {
        return Ok((true, format!("commands come by the event stream{where_read}")));
    };
    let what = format!(
        "the application sends commands to {entered}, and GUILDHALL_CHAT_PUBLIC_KEY is not set: none comes by the event stream"
    );
    let key = &application.verify_key;
    let cure = format!(
        "clear Interactions Endpoint URL in the developer portal, under General Information; or, if that is the address of this \
         service, set GUILDHALL_CHAT_PUBLIC_KEY to {key}"
    );
    Err(Problem::new(what, cure))
}

fn endpoint(application: &Application, public: Option<&str>) -> Result<String, Problem> {
    let entered = application.interactions_endpoint();
    let is_ours = |entered: &str| match public {
        Some(public) => entered.trim_end_matches('/') == format!("{public}{INTERACTIONS}"),
        None => entered.trim_end_matches('/').ends_with(INTERACTIONS),
    };
    let what = match entered {
        Some(entered) if is_ours(entered) => return Ok(format!("commands come by HTTP, to {entered}")),
        Some(entered) => format!("the application sends commands to {entered}"),
        None => "the application has no interactions endpoint URL: commands do not arrive".to_owned(),
    };
    let (address, first) = match public {
        Some(public) => (format!("{public}{INTERACTIONS}"), String::new()),
        None => (
            format!("that address and {INTERACTIONS}"),
            format!("set {PUBLIC_URL} to the address that people see, "),
        ),
    };
    let mut cure = format!(
        "{first}enter {address} in the developer portal, under General Information, Interactions Endpoint URL"
    );
    if entered.is_none() {
        cure += "; or unset GUILDHALL_CHAT_PUBLIC_KEY, and commands come by the event stream";
    }
    Err(Problem::new(what, cure))
}

async fn commands(platforms: &Platforms, application: &Application) -> Result<String, Problem> {
    match are_registered(platforms, application.id).await {
        Ok(true) => Ok("registered as this version has them".to_owned()),
        Ok(false) => {
            let what = "the chat platform has other commands than this version";
            Err(Problem::new(what, "run `guildhall chat register-commands`"))
        }
        Err(error) => Err(problem(&error)),
    }
}

fn redirects(application: &Application, client: &str, public: &str) -> Result<String, Problem> {
    if client != application.id.to_string() {
        return Ok("not compared: GUILDHALL_CHAT_CLIENT_ID is another application than the bot's".to_owned());
    }
    let Some(entered) = &application.redirect_uris else {
        return Ok("could not be read: the platform does not show them".to_owned());
    };
    let needed = DISCORD_CALLBACKS.map(|path| format!("{public}{path}"));
    let missing: Vec<_> = needed.into_iter().filter(|redirect| !entered.contains(redirect)).collect();
    if missing.is_empty() {
        return Ok("both are in the developer portal".to_owned());
    }
    let missing = missing.join(" and ");
    let cure = format!("add {missing} in the developer portal, under OAuth2, Redirects");
    Err(Problem::new("people who sign in cannot come back: the application lacks redirects", cure))
}
