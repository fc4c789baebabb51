//! The name and description of a worker process, for its row and for those of its jobs.

use entities::{Timestamp, worker};

/// Its name is made of host, process id, and a random part, because process ids are reused.
pub(super) fn of_process(slots: serde_json::Value, now: Timestamp) -> worker::Model {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = match host.trim() {
        "" => "host",
        name => name,
    };
    let random = uuid::Uuid::now_v7().as_u128() & 0xffff_ffff;
    let name = format!("{host}:{}:{random:08x}", std::process::id());
    let (host, version) = (host.to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    worker::Model { name, host, version, slots, started_at: now, heartbeat_at: now }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_contain_host_and_process_and_are_unique() {
        let [one, two] = [(); 2].map(|()| of_process(serde_json::json!({}), Timestamp::default()));
        assert_ne!(one.name, two.name);
        let parts: Vec<&str> = one.name.split(':').collect();
        assert_eq!(parts.len(), 3);
        assert!(!parts[0].is_empty());
        assert_eq!(parts[1], std::process::id().to_string());
    }
}
