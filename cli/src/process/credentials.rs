//! One call to each platform at the start: a wrong token is logged before it causes missing roles.

use platforms::{PlatformError, Platforms};
use runtime::Shutdown;

/// Runs in the background, and never stops the process: the platforms may be away, and game servers need
/// their answers.
pub(crate) fn check(platforms: &Platforms, shutdown: &Shutdown) {
    let (platforms, hard) = (platforms.clone(), shutdown.hard().clone());
    shutdown.services().spawn(hard.run_until_cancelled_owned(async move {
        tell("chat", platforms.check_chat_token().await.map(drop));
        tell("play", platforms.check_play_key().await);
    }));
}

fn tell(platform: &str, checked: Result<(), PlatformError>) {
    match checked {
        Ok(()) => tracing::info!(platform, "the platform accepts the credential"),
        Err(PlatformError::NotConfigured(variable)) => {
            tracing::info!(platform, variable, "no credential: calls that need one answer 503");
        }
        Err(PlatformError::Unauthorized(variable)) => {
            tracing::error!(platform, variable, "the platform refuses the credential: copy it again");
        }
        Err(error) => tracing::warn!(platform, %error, "the credential could not be checked"),
    }
}
