//! The name and description of a worker process, for its row and for those of its jobs.

#[derive(Debug, Clone)]
pub(super) struct Identity {
    /// Host, process id, and a random part, because process ids are reused.
    pub(super) name: String,
    pub(super) host: String,
    pub(super) version: String,
    pub(super) slots: serde_json::Value,
}

impl Identity {
    pub(super) fn of_process(slots: serde_json::Value) -> Self {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let host = match host.trim() {
            "" => "host",
            name => name,
        };
        let random = uuid::Uuid::now_v7().as_u128() & 0xffff_ffff;
        let name = format!("{host}:{}:{random:08x}", std::process::id());
        Self { name, host: host.to_owned(), version: env!("CARGO_PKG_VERSION").to_owned(), slots }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_contain_host_and_process_and_are_unique() {
        let slots = serde_json::json!({});
        let (one, two) = (Identity::of_process(slots.clone()), Identity::of_process(slots));
        assert_ne!(one.name, two.name);
        let parts: Vec<&str> = one.name.split(':').collect();
        assert_eq!(parts.len(), 3);
        assert!(!parts[0].is_empty());
        assert_eq!(parts[1], std::process::id().to_string());
    }
}
