//! One call to each platform at the start: a wrong token is in the log before somebody misses a role.

use platforms::{PlatformError, Platforms};
use runtime::Shutdown;

/// In the background, and no reason to stop: the platforms may be away, and game servers need their answers.
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
            tracing::info!(platform, variable, "no credential: what needs one answers 503");
        }
        Err(PlatformError::Unauthorized(variable)) => {
            tracing::error!(platform, variable, "the platform refuses the credential: copy it again");
        }
        Err(error) => tracing::warn!(platform, %error, "the credential could not be checked"),
    }
}
