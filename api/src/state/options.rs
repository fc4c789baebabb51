//! Settings in which API processes differ.

use ipnet::IpNet;
use runtime::AccessLog;

#[derive(Clone, Debug)]
pub struct Options {
    /// One of several processes: it registers itself, so that they share the rate limits while Redis is down.
    pub distributed: bool,
    /// Proxies whose `X-Forwarded-For` names the client.
    pub trusted_proxies: Vec<IpNet>,
    /// Origins whose pages may read responses.
    pub cors_origins: Vec<String>,
    /// Of keys that guilds make.
    pub max_hot_path_factor: i32,
    /// What browsers see, for signing in to the console with the chat platform.
    pub public_url: Option<String>,
    /// The command that prints a link into the console, as the sign-in page names it; `None`: the usual one.
    pub link_command: Option<String>,
    /// Requests with a line in the log.
    pub access_log: AccessLog,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            distributed: false,
            trusted_proxies: Vec::new(),
            cors_origins: Vec::new(),
            max_hot_path_factor: runtime::MAX_HOT_PATH_FACTOR,
            public_url: None,
            link_command: None,
            access_log: AccessLog::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_without_settings_allows_what_the_setting_does() {
        assert_eq!(Options::default().max_hot_path_factor, runtime::MAX_HOT_PATH_FACTOR);
    }
}
