//! The name of a process in the database.

/// The name is made of host, process id, and a random part, because process ids are reused.
#[derive(Debug)]
pub struct ProcessName {
    pub name: String,
    pub host: String,
    pub version: String,
}

impl ProcessName {
    pub fn new() -> Self {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let host = match host.trim() {
            "" => "host",
            name => name,
        };
        let random = uuid::Uuid::now_v7().as_u128() & 0xffff_ffff;
        let name = format!("{host}:{}:{random:08x}", std::process::id());
        Self { name, host: host.to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

impl Default for ProcessName {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_contain_host_and_process_and_are_unique() {
        let [one, two] = [(); 2].map(|()| ProcessName::new());
        assert_ne!(one.name, two.name);
        let parts: Vec<&str> = one.name.split(':').collect();
        assert_eq!(parts.len(), 3);
        assert!(!parts[0].is_empty());
        assert_eq!(parts[1], std::process::id().to_string());
    }
}
