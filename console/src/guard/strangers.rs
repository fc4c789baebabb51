//! Limits on calls to the chat platform for people who are not signed in, in all processes together: it bans
//! the address of a service after too many refusals (docs/rules.md 10).

use std::net::IpAddr;
use std::time::Duration;

use http::StatusCode;
use runtime::{Counter, Limits, Rate, network_of};
use sha2::{Digest, Sha256};

use crate::response::PageError;

const MINUTE: Duration = Duration::from_secs(60);
/// Sign-ins that come back from the platform, for one address.
const OF_ADDRESS: Rate = Rate::per(30, MINUTE);
/// Sign-ins of all addresses: three calls each.
const SIGN_INS: Rate = Rate::per(300, MINUTE);
/// Sign-ins of one attempt during its life.
const OF_ATTEMPT: Rate = Rate::per(1, Duration::from_secs(600));
/// Unknown access tokens.
const TOKENS: Rate = Rate::per(300, MINUTE);

/// A sign-in that came back, before the platform is asked about it. False: it was used before.
pub(crate) async fn admit_sign_in(limits: &Limits, address: IpAddr, state: &str) -> Result<bool, PageError> {
    let address = Counter::SignIns(network_of(address));
    take(limits, address, OF_ADDRESS, "too many people sign in from this address").await?;
    let hash: [u8; 32] = Sha256::digest(state.as_bytes()).into();
    let attempt =
        Counter::Attempt(hash.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte)));
    if !limits.take_or_fallback(attempt, OF_ATTEMPT).await.allowed {
        return Ok(false);
    }
    take(limits, Counter::Strangers("sign_in"), SIGN_INS, "too many people sign in at once").await?;
    Ok(true)
}

/// Whether the platform may be asked about an unknown access token.
pub(crate) async fn may_ask_about_token(limits: &Limits) -> bool {
    limits.take_or_fallback(Counter::Strangers("access_token"), TOKENS).await.allowed
}

async fn take(limits: &Limits, counter: Counter, rate: Rate, text: &str) -> Result<(), PageError> {
    let decision = limits.take_or_fallback(counter, rate).await;
    if decision.allowed {
        return Ok(());
    }
    let (status, retry_after) = (StatusCode::TOO_MANY_REQUESTS, decision.reset_after_secs());
    Err(PageError::Busy { status, text: format!("{text}; try again in {retry_after} seconds"), retry_after })
}
