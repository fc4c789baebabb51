//! The user of the operating system who runs a command: the actor in its audit entries.

/// `os:alice`, or `os:1000` where the system has no name for the user.
pub(crate) fn os_user() -> String {
    named(whoami::username().ok(), rustix::process::geteuid().as_raw())
}

fn named(name: Option<String>, uid: u32) -> String {
    format!("os:{}", name.unwrap_or_else(|| uid.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_without_a_name_is_a_number() {
        assert_eq!(named(Some("alice".to_owned()), 1_000), "os:alice");
        assert_eq!(named(None, 1_000), "os:1000");
    }
}
