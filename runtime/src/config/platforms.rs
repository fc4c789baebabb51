//! URLs, credentials and pacing of the chat and the game platform.

use std::num::NonZeroU32;
use std::str::FromStr;

use clap::Args;
use ipnet::IpNet;

use super::args::Listed;
use crate::error::StartError;
use crate::secret::{Secret, either, secret_file};
use crate::settings::{
    CHAT_API_URL, CHAT_CLIENT_ID, CHAT_CLIENT_SECRET, CHAT_PUBLIC_KEY, CHAT_TOKEN, PLAY_API_URL,
    PLAY_CLIENT_ID, PLAY_CLIENT_SECRET, PLAY_KEY, PLAY_WEBHOOK_SECRET,
};

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Platforms")]
pub struct PlatformArgs {
    /// Base URL of the chat platform, for a simulator or proxy [default: the real host]
    #[arg(long, env = "GUILDHALL_CHAT_API_URL", value_name = "URL")]
    pub chat_api_url: Option<String>,
    /// File with the bot token of the chat platform that `GUILDHALL_CHAT_TOKEN` holds otherwise; without it calls that need one
    /// answer 503
    #[arg(long, env = "GUILDHALL_CHAT_TOKEN_FILE", value_name = "FILE", value_parser = secret_file())]
    pub chat_token_file: Option<Secret>,
    #[arg(skip = Secret::of_variable(CHAT_TOKEN))]
    pub chat_token: Option<Secret>,
    /// Id of the chat platform's application that people sign in with; set together with its secret
    #[arg(long, env = "GUILDHALL_CHAT_CLIENT_ID", value_name = "ID")]
    pub chat_client_id: Option<String>,
    /// File with the OAuth 2 secret of that application that `GUILDHALL_CHAT_CLIENT_SECRET` holds otherwise;
    /// without both there is no sign-in with the chat platform
    #[arg(long, env = "GUILDHALL_CHAT_CLIENT_SECRET_FILE", value_name = "FILE", value_parser = secret_file())]
    pub chat_client_secret_file: Option<Secret>,
    #[arg(skip = Secret::of_variable(CHAT_CLIENT_SECRET))]
    pub chat_client_secret: Option<Secret>,
    /// Public key of the chat platform's application, as its developer portal shows it: with it commands of the chat platform
    /// are taken at `POST /chat/interactions`, without it from the event stream
    #[arg(long, env = "GUILDHALL_CHAT_PUBLIC_KEY", value_name = "HEX")]
    pub chat_public_key: Option<String>,
    /// Base URL of the game platform, for a simulator or proxy [default: the real hosts]
    #[arg(long, env = "GUILDHALL_PLAY_API_URL", value_name = "URL")]
    pub play_api_url: Option<String>,
    /// File with the API key of the game platform that `GUILDHALL_PLAY_KEY` holds otherwise; without it calls that need one
    /// answer 503
    #[arg(long, env = "GUILDHALL_PLAY_KEY_FILE", value_name = "FILE", value_parser = secret_file())]
    pub play_key_file: Option<Secret>,
    #[arg(skip = Secret::of_variable(PLAY_KEY))]
    pub play_key: Option<Secret>,
    /// Id of the game platform's application that people prove their account with; set together with its secret
    #[arg(long, env = "GUILDHALL_PLAY_CLIENT_ID", value_name = "ID")]
    pub play_client_id: Option<String>,
    /// File with the OAuth 2 secret of that application that `GUILDHALL_PLAY_CLIENT_SECRET` holds otherwise;
    /// without both there is no sign-in with the game platform
    #[arg(long, env = "GUILDHALL_PLAY_CLIENT_SECRET_FILE", value_name = "FILE", value_parser = secret_file())]
    pub play_client_secret_file: Option<Secret>,
    #[arg(skip = Secret::of_variable(PLAY_CLIENT_SECRET))]
    pub play_client_secret: Option<Secret>,
    /// File with the secret of the game platform's webhook that `GUILDHALL_PLAY_WEBHOOK_SECRET` holds otherwise: with it requests to
    /// erase a user are taken at `POST /play/webhooks`
    #[arg(long, env = "GUILDHALL_PLAY_WEBHOOK_SECRET_FILE", value_name = "FILE", value_parser = secret_file())]
    pub play_webhook_secret_file: Option<Secret>,
    #[arg(skip = Secret::of_variable(PLAY_WEBHOOK_SECRET))]
    pub play_webhook_secret: Option<Secret>,
    /// Calls per second to the chat platform, all processes together, or `off`
    #[arg(long, env = "GUILDHALL_CHAT_RATE", value_name = "RATE", default_value = "50")]
    pub chat_rate: PlatformRate,
    /// Calls per minute to the game platform, all processes together, or `off`
    #[arg(long, env = "GUILDHALL_PLAY_RATE", value_name = "RATE", default_value = "300")]
    pub play_rate: PlatformRate,
    /// Private networks, such as 10.0.0.0/8, to which guilds' webhooks may be sent too, there also without TLS [default: none]
    #[arg(
        long,
        env = "GUILDHALL_WEBHOOK_NETWORKS",
        value_name = "NETWORK,NETWORK",
        default_value = "",
        hide_default_value = true
    )]
    pub webhook_networks: Listed<IpNet>,
    /// Percent of the rate of the game platform that passes may use which start by themselves and keep roles in step with ranks;
    /// 0: none starts
    #[arg(long, env = "GUILDHALL_FOLLOW_SHARE", value_name = "PERCENT", default_value_t = FOLLOW_SHARE, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub follow_share: u32,
}

const FOLLOW_SHARE: u32 = 50;

/// A rate in calls per the unit of its flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlatformRate {
    Calls(NonZeroU32),
    Off,
}

impl FromStr for PlatformRate {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "off" {
            return Ok(Self::Off);
        }
        text.parse().map(Self::Calls).map_err(|_| "give a whole number of calls of at least 1, or `off`")
    }
}

/// [`PlatformArgs`], checked: base URLs are http(s) without a slash at the end; empty values count as unset.
#[derive(Clone, Debug)]
pub struct PlatformConfig {
    pub chat_api_url: Option<String>,
    pub chat_token: Option<Secret>,
    /// Set if and only if `chat_client_secret` is.
    pub chat_client_id: Option<String>,
    pub chat_client_secret: Option<Secret>,
    /// Ed25519.
    pub chat_public_key: Option<[u8; 32]>,
    pub play_api_url: Option<String>,
    pub play_key: Option<Secret>,
    /// Set if and only if `play_client_secret` is.
    pub play_client_id: Option<String>,
    pub play_client_secret: Option<Secret>,
    pub play_webhook_secret: Option<Secret>,
    pub chat_rate: PlatformRate,
    pub play_rate: PlatformRate,
    pub webhook_networks: Vec<IpNet>,
    pub follow_share: u32,
}

/// Variables of an application that people sign in with: its id and its secret.
type Client = (&'static str, &'static str);

const CHAT_CLIENT: Client = (CHAT_CLIENT_ID, CHAT_CLIENT_SECRET);
const PLAY_CLIENT: Client = (PLAY_CLIENT_ID, PLAY_CLIENT_SECRET);

impl PlatformArgs {
    pub fn checked(&self) -> Result<PlatformConfig, StartError> {
        let secret = (self.chat_client_secret.as_ref(), self.chat_client_secret_file.as_ref());
        let chat_client = client(CHAT_CLIENT, self.chat_client_id.as_deref(), secret)?;
        let secret = (self.play_client_secret.as_ref(), self.play_client_secret_file.as_ref());
        let play_client = client(PLAY_CLIENT, self.play_client_id.as_deref(), secret)?;
        let chat_token = either(CHAT_TOKEN, self.chat_token.as_ref(), self.chat_token_file.as_ref())?;
        let play_key = either(PLAY_KEY, self.play_key.as_ref(), self.play_key_file.as_ref())?;
        let webhook = (self.play_webhook_secret.as_ref(), self.play_webhook_secret_file.as_ref());
        let (chat_client_id, chat_client_secret) = chat_client.unzip();
        let (play_client_id, play_client_secret) = play_client.unzip();
        Ok(PlatformConfig {
            chat_api_url: base_url(self.chat_api_url.as_deref(), CHAT_API_URL)?,
            chat_token: header_value(chat_token, CHAT_TOKEN)?,
            chat_client_id,
            chat_client_secret,
            chat_public_key: public_key(self.chat_public_key.as_deref())?,
            play_api_url: base_url(self.play_api_url.as_deref(), PLAY_API_URL)?,
            play_key: header_value(play_key, PLAY_KEY)?,
            play_client_id,
            play_client_secret,
            play_webhook_secret: either(PLAY_WEBHOOK_SECRET, webhook.0, webhook.1)?.cloned(),
            chat_rate: self.chat_rate,
            play_rate: self.play_rate,
            webhook_networks: self.webhook_networks.0.clone(),
            follow_share: self.follow_share,
        })
    }
}

fn base_url(url: Option<&str>, variable: &'static str) -> Result<Option<String>, StartError> {
    let Some(url) = url.map(str::trim).filter(|url| !url.is_empty()) else { return Ok(None) };
    let usable = url.parse::<http::Uri>().is_ok_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https"))
            && uri.host().is_some_and(|host| !host.is_empty())
            && uri.query().is_none()
    });
    if usable {
        return Ok(Some(url.trim_end_matches('/').to_owned()));
    }
    Err(StartError::setting(
        variable,
        "is not a base URL; the form is http://127.0.0.1:9000 or https://host/path",
    ))
}

fn public_key(text: Option<&str>) -> Result<Option<[u8; 32]>, StartError> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    let mut key = [0; 32];
    hex::decode_to_slice(text, &mut key).map_err(|_| {
        let what = "is not a public key; copy its 64 digits from the application's page General Information";
        StartError::setting(CHAT_PUBLIC_KEY, what)
    })?;
    Ok(Some(key))
}

/// Id and secret of an application that people sign in with, or neither. The secret is a text or from a file.
fn client(
    (id_variable, secret_variable): Client,
    id: Option<&str>,
    (text, file): (Option<&Secret>, Option<&Secret>),
) -> Result<Option<(String, Secret)>, StartError> {
    let id = id.map(str::trim).filter(|id| !id.is_empty());
    let missing = |missing, set| {
        StartError::setting(
            missing,
            format!("is not set, but {set} is: set both, or neither without sign-in"),
        )
    };
    match (id, header_value(either(secret_variable, text, file)?, secret_variable)?) {
        (Some(id), Some(secret)) => Ok(Some((id.to_owned(), secret))),
        (Some(_), None) => Err(missing(secret_variable, id_variable)),
        (None, Some(_)) => Err(missing(id_variable, secret_variable)),
        (None, None) => Ok(None),
    }
}

/// Tokens are sent in headers: a line break copied along with one would fail each call later.
fn header_value(secret: Option<&Secret>, variable: &'static str) -> Result<Option<Secret>, StartError> {
    let Some(secret) = secret else { return Ok(None) };
    let text = secret.expose().trim();
    if text.bytes().all(|b| b.is_ascii_graphic()) {
        return Ok(Some(text.into()));
    }
    Err(StartError::setting(variable, "holds spaces or other characters that no token has; copy it again"))
}
