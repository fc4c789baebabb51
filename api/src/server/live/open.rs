//! GET /ws/guilds/:guildId/live, with an upgrade to WebSocket (docs/rules.md 10).
//!
//! Every refusal comes before the upgrade, in the usual envelope.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use console::{Console, LivePerson, LiveRefusal, bearer};
use entities::GuildId;
use http::HeaderMap;
use hyper::upgrade::OnUpgrade;
use tracing::{Instrument, Span};

use crate::live::dashboard::socket::{self, Session};
use crate::live::socket::TIMING;
use crate::live::upgrade;
use crate::request::url::{Params, Query};
use crate::response::error::ApiError;
use crate::response::reply::Reply;
use crate::state::State;

/// How long a socket waits for the first read of its guild's feed.
const FOLLOWS_WITHIN: Duration = Duration::from_secs(2);

/// What the request for a socket consists of.
pub(crate) struct Opening {
    pub(crate) params: Params,
    pub(crate) query: String,
    pub(crate) headers: Arc<HeaderMap>,
    pub(crate) address: IpAddr,
    pub(crate) upgrade: Option<OnUpgrade>,
}

pub(crate) async fn open(state: &Arc<State>, console: &Console, opening: Opening) -> Result<Reply, ApiError> {
    let Opening { params, query, headers, address, upgrade: upgrading } = opening;
    let upgrading = upgrading.ok_or_else(ApiError::upgrade_required)?;
    let accepted = upgrade::accept(&headers).ok_or_else(ApiError::upgrade_required)?;
    let query = Query::parse(&query)?;
    let guild = params.get("guildId").and_then(|id| id.parse().ok());
    let person = admit(state, console, guild, &headers, address).await?;
    Span::current().record("guild.id", person.guild().get());
    let bearer = bearer(&headers).map(|_| state.bearers.enter(person.user())).transpose()?;
    let entry = state.feeds.enter(&state.live, person.guild())?;
    let standing = state.people.follow(person);
    let _ = tokio::time::timeout(FOLLOWS_WITHIN, entry.feed.follows.cancelled()).await;
    let joined = entry.feed.join(query.given("last_id"));
    let shutdown = state.context.shutdown.clone();
    let session = Session { entry, joined, standing, stop: shutdown.soft().clone(), timing: TIMING };
    // Counted as work in flight from here on, so that a shutdown waits for its close frame.
    let serve = async move {
        match upgrade::socket(upgrading).await {
            Ok(socket) => socket::run(socket, session).await,
            Err(error) => tracing::debug!(%error, "a client left before its socket was open"),
        }
        drop(bearer);
    };
    shutdown.tracker().spawn_on(serve.in_current_span(), &state.socket_threads.handle());
    Ok(Reply::upgrade(accepted))
}

/// Failed tokens count against the address as failed keys do. An address with too many of them is refused
/// before the platform is asked: it bans senders of many bad tokens.
async fn admit(
    state: &State,
    console: &Console,
    guild: Option<GuildId>,
    headers: &HeaderMap,
    address: IpAddr,
) -> Result<LivePerson, ApiError> {
    if bearer(headers).is_some()
        && let Some(refusal) = state.failed_keys.refusal(address)
    {
        return Err(refusal);
    }
    let Some(guild) = guild else { return Err(ApiError::not_found("guild")) };
    match console.admit_live(guild, headers).await {
        Ok(person) => Ok(person),
        Err(LiveRefusal::BadToken) => {
            Err(state.failed_keys.count(address, None, refused(LiveRefusal::BadToken)).await)
        }
        Err(refusal) => Err(refused(refusal)),
    }
}

fn refused(refusal: LiveRefusal) -> ApiError {
    match refusal {
        LiveRefusal::NotSignedIn => ApiError::key(
            "not_signed_in",
            "sign in to the console, or send an access token of the chat platform as `Authorization: Bearer`",
        ),
        LiveRefusal::BadToken => ApiError::key(
            "token_refused",
            "the chat platform does not accept this access token, or it was issued to another application",
        ),
        LiveRefusal::OtherOrigin => {
            ApiError::forbidden("other_origin", "a page of another origin may not open this socket")
        }
        LiveRefusal::NoRights => ApiError::not_found("guild"),
        LiveRefusal::Unavailable => {
            ApiError::unavailable("unavailable", "the rights cannot be read at the moment")
        }
    }
}
