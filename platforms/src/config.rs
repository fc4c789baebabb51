//! Hosts, credentials and rates of the two clients.
//!
//! `GUILDHALL_CHAT_API_URL` replaces the chat platform's base. `GUILDHALL_PLAY_API_URL` replaces both bases of the game
//! platform, which are four real hosts: groups at `apis.roblox.com`, names at `users.roblox.com`, pictures at
//! `thumbnails.roblox.com`, games at `games.roblox.com`. Files of the chat platform are on another host too, which the base replaces as well.

use std::num::NonZeroU32;
use std::sync::Arc;

use entities::account::Way;
use runtime::{PlatformConfig, PlatformRate, Redis, Secret};

use crate::discord::ChatPlatform;
use crate::error::PlatformError;
use crate::exchange::Http;
use crate::interaction_key::InteractionKey;
use crate::pacing::{Pacer, Rules, SharedPace};
use crate::pictures::Pictures;
use crate::play_sign_in::PlaySignIn;
use crate::receivers::Receivers;
use crate::roblox::{PlayHosts, PlayPlatform};
use crate::sign_in::SignIn;
use crate::webhook_secret::WebhookSecret;
use crate::wire::Wire;
use crate::{discord, roblox};

const CHAT_API: &str = "https://discord.com/api/v10";
const CHAT_HOST: &str = "https://discord.com";
const CHAT_FILES: &str = "https://cdn.discordapp.com";
const PLAY_CLOUD: &str = "https://apis.roblox.com";
/// Below the base of the game platform; the name of the platform in its ID tokens ends with it.
const PLAY_OAUTH: &str = "/oauth";
const PLAY_USERS: &str = "https://users.roblox.com";
const PLAY_THUMBNAILS: &str = "https://thumbnails.roblox.com";
const PLAY_GAMES: &str = "https://games.roblox.com";
/// The form required by the chat platform: `DiscordBot ($url, $version)`.
const CHAT_AGENT: &str = concat!("DiscordBot (guildhall, ", env!("CARGO_PKG_VERSION"), ")");
const AGENT: &str = concat!("guildhall/", env!("CARGO_PKG_VERSION"));

/// Both platforms. Cheap to clone.
#[derive(Clone)]
pub struct Platforms {
    pub chat: Arc<ChatPlatform>,
    pub play: Arc<PlayPlatform>,
    /// `None` without the application's credentials.
    pub sign_in: Option<Arc<SignIn>>,
    /// The same for the game platform.
    pub play_sign_in: Option<Arc<PlaySignIn>>,
    pub pictures: Arc<Pictures>,
    /// `None`: no interactions arrive by HTTP.
    pub interaction_key: Option<InteractionKey>,
    /// Verifies what the game platform sends; `None`: it sends nothing.
    pub webhook_secret: Option<WebhookSecret>,
    /// Takes the webhooks of guilds.
    pub receivers: Receivers,
    pub follow_pace: FollowPace,
}

/// How fast passes that start by themselves may read from the game platform, all processes together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowPace {
    /// None starts.
    Off,
    PerMinute(NonZeroU32),
    /// The platform's rate has no limit.
    Unlimited,
}

impl FollowPace {
    /// A part of the rate, in percent.
    fn new(percent: u32, rate: PlatformRate) -> Self {
        match rate {
            _ if percent == 0 => Self::Off,
            PlatformRate::Off => Self::Unlimited,
            PlatformRate::Calls(calls) => {
                let part = calls.get().saturating_mul(percent) / 100;
                Self::PerMinute(NonZeroU32::new(part).unwrap_or(NonZeroU32::MIN))
            }
        }
    }
}

impl Platforms {
    /// With Redis all processes share one pacing; without it this process paces alone. Opens no connection yet.
    pub fn new(config: &PlatformConfig, redis: Option<&Redis>) -> Result<Self, PlatformError> {
        let shared = |platform| redis.map(|redis| SharedPace::new(redis.clone(), platform));
        let base = trimmed(config.chat_api_url.as_deref().unwrap_or(CHAT_API));
        let pacer = Pacer::new(Rules::chat(config.chat_rate), shared("chat"));
        let http = Http::new("chat", &base, CHAT_AGENT)?;
        let sign_in = sign_in(config, http.clone(), pacer.clone(), &base)?;
        let chat_files = http.clone();
        let wire = Wire::new(http, pacer, discord::classify);
        let chat = ChatPlatform::new(wire, base, config.chat_token.as_ref().map(Secret::expose))?;

        let hosts = PlayHosts {
            cloud: trimmed(config.play_api_url.as_deref().unwrap_or(PLAY_CLOUD)),
            users: trimmed(config.play_api_url.as_deref().unwrap_or(PLAY_USERS)),
            thumbnails: trimmed(config.play_api_url.as_deref().unwrap_or(PLAY_THUMBNAILS)),
            games: trimmed(config.play_api_url.as_deref().unwrap_or(PLAY_GAMES)),
        };
        let pacer = Pacer::new(Rules::play(config.play_rate), shared("play"));
        let http = Http::new("play", &hosts.cloud, AGENT)?;
        let play_sign_in = play_sign_in(config, http.clone(), pacer.clone(), &hosts.cloud)?;
        let play_files = http.clone();
        let wire = Wire::new(http, pacer, roblox::classify);
        let play = PlayPlatform::new(wire, hosts, config.play_key.as_ref().map(Secret::expose))?;
        let (sign_in, play_sign_in) = (sign_in.map(Arc::new), play_sign_in.map(Arc::new));
        let (chat, play) = (Arc::new(chat), Arc::new(play));
        let files = trimmed(config.chat_api_url.as_deref().unwrap_or(CHAT_FILES));
        let pictures = Pictures::new((chat.clone(), chat_files, files), (play.clone(), play_files));
        let pictures = Arc::new(pictures);
        let interaction_key = config.chat_public_key.map(InteractionKey::new);
        let webhook_secret =
            config.play_webhook_secret.as_ref().map(|secret| WebhookSecret::new(secret.expose()));
        let receivers = Receivers::new(&config.webhook_networks, AGENT)?;
        let follow_pace = FollowPace::new(config.follow_share, config.play_rate);
        Ok(Self {
            chat,
            play,
            sign_in,
            play_sign_in,
            pictures,
            interaction_key,
            webhook_secret,
            receivers,
            follow_pace,
        })
    }

    /// The variables that are not set and without which no member can link in this way.
    pub fn lacking(&self, way: Way, has_public_url: bool) -> Vec<&'static str> {
        let (on_page, signs_in) = (matches!(way, Way::Connection | Way::SignIn), way == Way::SignIn);
        let needed = [
            ("GUILDHALL_PUBLIC_URL", on_page && !has_public_url),
            ("GUILDHALL_CHAT_CLIENT_ID", on_page && self.sign_in.is_none()),
            ("GUILDHALL_PLAY_CLIENT_ID", signs_in && self.play_sign_in.is_none()),
        ];
        needed.into_iter().filter_map(|(variable, is_missing)| is_missing.then_some(variable)).collect()
    }
}

/// The authorization page is on the host of the API, whatever path the API has there.
fn sign_in(
    config: &PlatformConfig,
    http: Http,
    pacer: Pacer,
    base: &str,
) -> Result<Option<SignIn>, PlatformError> {
    let (Some(id), Some(secret)) = (&config.chat_client_id, &config.chat_client_secret) else {
        return Ok(None);
    };
    let host = match &config.chat_api_url {
        Some(url) => {
            reqwest::Url::parse(url).map_or_else(|_| url.clone(), |url| url.origin().ascii_serialization())
        }
        None => CHAT_HOST.to_owned(),
    };
    SignIn::new(http, pacer, &host, base.to_owned(), id.clone(), secret).map(Some)
}

/// A simulator makes its ID tokens in its own name, the platform behind a proxy in the real one. Either way only keys
/// that are read at `base` count.
fn play_sign_in(
    config: &PlatformConfig,
    http: Http,
    pacer: Pacer,
    base: &str,
) -> Result<Option<PlaySignIn>, PlatformError> {
    let (Some(id), Some(secret)) = (&config.play_client_id, &config.play_client_secret) else {
        return Ok(None);
    };
    let issuers = [base, PLAY_CLOUD].map(|base| format!("{base}{PLAY_OAUTH}/")).to_vec();
    let base = format!("{base}{PLAY_OAUTH}");
    PlaySignIn::new(http, pacer, &base, issuers, id.clone(), secret).map(Some)
}

fn trimmed(base: &str) -> String {
    base.trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use entities::Timestamp;
    use oauth2::{PkceCodeChallenge, PkceCodeVerifier};
    use runtime::PlatformRate;

    use super::*;
    use crate::oauth::Attempt;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    /// Both clients at this base URL.
    fn platforms(url: Option<&str>) -> Platforms {
        let config = PlatformConfig {
            chat_api_url: url.map(str::to_owned),
            chat_token: None,
            chat_client_id: Some("7".to_owned()),
            chat_client_secret: Some("s".into()),
            chat_public_key: None,
            play_api_url: url.map(str::to_owned),
            play_key: None,
            play_client_id: Some("8".to_owned()),
            play_client_secret: Some("s".into()),
            play_webhook_secret: None,
            chat_rate: PlatformRate::Off,
            play_rate: PlatformRate::Off,
            webhook_networks: Vec::new(),
            follow_share: 0,
        };
        Platforms::new(&config, None).unwrap()
    }

    fn sign_in(url: Option<&str>) -> Arc<SignIn> {
        platforms(url).sign_in.unwrap()
    }

    /// What an attempt asks the platform for, by name.
    fn asked(attempt: &Attempt) -> Vec<(String, String)> {
        let url = reqwest::Url::parse(&attempt.url).unwrap();
        let mut asked: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        asked.sort_unstable();
        asked
    }

    #[test]
    fn ways_on_a_page_need_the_page_and_the_applications() {
        let all = platforms(None);
        let none = Platforms { sign_in: None, play_sign_in: None, ..all.clone() };
        for way in Way::ALL {
            assert_eq!(all.lacking(way, true), [""; 0]);
        }
        for way in [Way::Code, Way::Profile] {
            assert_eq!(none.lacking(way, false), [""; 0]);
        }
        assert_eq!(all.lacking(Way::Connection, false), ["GUILDHALL_PUBLIC_URL"]);
        assert_eq!(none.lacking(Way::Connection, true), ["GUILDHALL_CHAT_CLIENT_ID"]);
        let chat_only = Platforms { play_sign_in: None, ..all };
        assert_eq!(chat_only.lacking(Way::Connection, true), [""; 0]);
        assert_eq!(chat_only.lacking(Way::SignIn, true), ["GUILDHALL_PLAY_CLIENT_ID"]);
    }

    #[test]
    fn people_sign_in_at_the_root_of_the_host() {
        let start =
            |url| sign_in(url).authorize_url("r", NOW).url.split('?').next().unwrap_or_default().to_owned();
        assert_eq!(start(None), "https://discord.com/oauth2/authorize");
        assert_eq!(start(Some("http://127.0.0.1:9000")), "http://127.0.0.1:9000/oauth2/authorize");
        assert_eq!(start(Some("https://a.example.org/api/v10/")), "https://a.example.org/oauth2/authorize");
    }

    #[test]
    fn an_attempt_asks_for_name_and_guilds_and_is_bound_to_its_browser() {
        let sign_in = sign_in(None);
        let redirect = "https://a.example.org/console/sign-in/callback";
        let [one, other] = [sign_in.authorize_url(redirect, NOW), sign_in.authorize_url(redirect, NOW)];
        assert!(one.state != other.state && one.verifier != other.verifier);
        assert!(one.state.len() >= 22 && one.verifier.len() >= 43);
        let challenge =
            PkceCodeChallenge::from_code_verifier_sha256(&PkceCodeVerifier::new(one.verifier.clone()));
        let expected = [
            ("client_id", "7"),
            ("code_challenge", challenge.as_str()),
            ("code_challenge_method", "S256"),
            ("redirect_uri", redirect),
            ("response_type", "code"),
            ("scope", "identify guilds"),
            ("state", &one.state),
        ];
        assert_eq!(asked(&one), expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert!(!one.url.contains(&one.verifier));
    }

    #[test]
    fn players_sign_in_below_the_base_of_the_game_platform() {
        let start = |url| {
            let attempt = platforms(url).play_sign_in.unwrap().authorize_url("r", "o", NOW);
            attempt.url.split('?').next().unwrap_or_default().to_owned()
        };
        assert_eq!(start(None), "https://apis.roblox.com/oauth/v1/authorize");
        assert_eq!(start(Some("http://127.0.0.1:9000/")), "http://127.0.0.1:9000/oauth/v1/authorize");
        let sign_in = platforms(None).play_sign_in.unwrap();
        let attempt = sign_in.authorize_url("https://a.example.org/link/callback", "o", NOW);
        let names: Vec<String> = asked(&attempt).into_iter().map(|(name, _)| name).collect();
        let expected = [
            "client_id",
            "code_challenge",
            "code_challenge_method",
            "nonce",
            "redirect_uri",
            "response_type",
            "scope",
            "state",
        ];
        assert_eq!(names, expected);
        let value = |name: &str| asked(&attempt).into_iter().find(|(given, _)| given == name).unwrap().1;
        let begun = sign_in.begun(&attempt.state, &attempt.verifier, "o", NOW).unwrap();
        assert_eq!((value("scope"), value("nonce")), ("openid profile".to_owned(), begun.nonce()));
        assert!(sign_in.begun(&attempt.state, &attempt.verifier, "p", NOW).is_none());
        assert!(platforms(None).sign_in.unwrap().begun(&attempt.state, &attempt.verifier, NOW).is_none());
    }
}
