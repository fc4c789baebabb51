//! How many connections and live sockets this process holds. Each takes a file, so the limit of open files decides: a
//! quarter is for connections, so that sockets never keep requests out.

/// Files for everything else: database, broker, Redis, calls to the platforms.
const OTHER_FILES: usize = 256;
/// With enough files, memory is the limit.
const MOST_CONNECTIONS: usize = 10_000;
const MOST_SOCKETS: usize = 50_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Capacity {
    /// A connection that becomes a socket no longer counts, from its first bytes on.
    pub(crate) connections: usize,
    /// Connections of one address that is not a trusted proxy. High, because a load balancer counts as one
    /// address.
    pub(crate) connections_per_address: usize,
    pub(crate) sockets: usize,
    /// Sockets of one guild, so that no guild uses all of them.
    pub(crate) sockets_per_guild: usize,
}

impl Capacity {
    pub(crate) fn of_files(limit: usize) -> Self {
        let quarter = (limit.saturating_sub(OTHER_FILES) / 4).max(1);
        let connections = quarter.min(MOST_CONNECTIONS);
        let sockets = quarter.saturating_mul(3).min(MOST_SOCKETS);
        Self {
            connections,
            connections_per_address: connections.div_ceil(2),
            sockets,
            sockets_per_guild: (sockets / 4 * 3).max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_them_fit_into_the_limit_of_files() {
        for limit in [0, 100, 1_024, 20_000, 65_536, usize::MAX] {
            let Capacity { connections, connections_per_address, sockets, sockets_per_guild } =
                Capacity::of_files(limit);
            assert!((1..=connections).contains(&connections_per_address), "{limit}");
            assert!((1..=sockets).contains(&sockets_per_guild), "{limit}");
            assert!(limit < 1_024 || connections + sockets + OTHER_FILES <= limit, "{limit}");
        }
        assert!(Capacity::of_files(20_000).sockets_per_guild > 10_000);
        assert_eq!(Capacity::of_files(usize::MAX).sockets, MOST_SOCKETS);
    }
}
