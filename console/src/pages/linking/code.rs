//! The code of a member's attempt. The service has its hash alone, so the browser that began the attempt keeps it: the page
//! shows it again to whoever comes back from the game.

use entities::{AttemptId, GuildId, link_attempt};
use http::HeaderValue;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::guard::cookies;
use crate::visit::Visit;

/// What a browser keeps of the attempt that it began.
#[derive(Serialize, Deserialize)]
pub(super) struct Begun {
    attempt: AttemptId,
    pub(super) code: String,
    /// The member has chosen a way, whatever is proven already.
    pub(super) anew: bool,
}

fn name(guild: GuildId) -> String {
    format!("{}-{guild}", cookies::CODE)
}

impl Begun {
    /// What this browser began, if it is this attempt.
    pub(super) fn read(visit: &Visit, guild: GuildId, attempt: AttemptId) -> Option<Self> {
        let kept = cookies::read(visit.headers(), &name(guild)).and_then(cookies::unpack::<Self>);
        kept.filter(|begun| begun.attempt == attempt)
    }
}

/// The cookie for an attempt that the API has begun, for as long as it lives.
pub(super) fn keep(guild: GuildId, begun: &Value, anew: bool) -> Option<HeaderValue> {
    let attempt = begun["attempt"]["id"].as_str()?.parse().ok()?;
    let begun = Begun { attempt, code: begun["code"].as_str()?.to_owned(), anew };
    cookies::set(&name(guild), &cookies::pack(&begun), link_attempt::LIFETIME.num_seconds())
}

/// The attempt has ended, or the member has proven an account and is asked about it.
pub(super) fn forget(guild: GuildId) -> Option<HeaderValue> {
    cookies::forget(&name(guild))
}
