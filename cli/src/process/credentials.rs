//! What a process asks of the platforms when it starts: whether they accept the credentials, because a wrong token is logged
//! before it causes missing roles, and whether the chat platform has the commands of this version.

use std::time::Duration;

use chat_commands::{Others, Registered, register};
use platforms::{PlatformError, Platforms};
use runtime::Shutdown;

/// Between two tries to register commands.
const REGISTER_AGAIN_AFTER: Duration = Duration::from_secs(30);

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

/// In processes that answer commands. Runs in the background, until the platform has them or refuses them.
pub(crate) fn register_commands(platforms: &Platforms, shutdown: &Shutdown) {
    let (platforms, hard) = (platforms.clone(), shutdown.hard().clone());
    shutdown.services().spawn(hard.run_until_cancelled_owned(async move {
        loop {
            match register_once(&platforms).await {
                Ok(()) => return,
                Err(error) if error.is_retryable() => {
                    tracing::warn!(%error, "the commands of the chat platform could not be registered yet");
                    tokio::time::sleep(error.retry_after().unwrap_or_default().max(REGISTER_AGAIN_AFTER))
                        .await;
                }
                Err(error) => {
                    tracing::error!(%error, "the chat platform refuses the commands");
                    return;
                }
            }
        }
    }));
}

/// Commands that come by the event stream need no setting, so they take no other program's place.
async fn register_once(platforms: &Platforms) -> Result<(), PlatformError> {
    let by_stream = platforms.interaction_key.is_none();
    if by_stream && platforms.chat.token().is_err() {
        return Ok(());
    }
    if by_stream && let Some(url) = platforms.application().await?.interactions_endpoint() {
        tracing::warn!(
            url,
            "commands go to the application's interactions endpoint URL, so none comes by the event stream: clear it in the \
             developer portal, or set GUILDHALL_CHAT_PUBLIC_KEY"
        );
        return Ok(());
    }
    let (commands, registered) =
        register(platforms, if by_stream { Others::Kept } else { Others::Replaced }).await?;
    match registered {
        Registered::Kept => tracing::warn!(
            "the chat platform has commands of another program: `guildhall chat register-commands` replaces them"
        ),
        Registered::Unchanged | Registered::Replaced => {
            let changed = registered == Registered::Replaced;
            tracing::info!(commands, changed, "the chat platform has the commands");
        }
    }
    Ok(())
}
