//! The limit of open files of this process. Each connection takes one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit as far as the system allows, and returns it.
pub fn raise_file_limit() -> usize {
    let given = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: given.maximum, maximum: given.maximum };
    let limit = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => raised.current,
        Err(error) => {
            tracing::warn!(%error, limit = given.current, "cannot raise the limit of open files");
            given.current
        }
    };
    limit.and_then(|limit| limit.try_into().ok()).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_as_high_as_allowed() {
        let raised = raise_file_limit();
        let limit = getrlimit(Resource::Nofile);
        assert_eq!(limit.current, limit.maximum);
        assert_eq!(limit.current.map_or(usize::MAX, |limit| limit.try_into().unwrap()), raised);
    }
}
