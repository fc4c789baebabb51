//! How many jobs a process runs at a time.

use entities::job::Class;

/// How many jobs of each class run at a time in this process. Processes with any slots also run one quarantined job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slots {
    pub interactive: u16,
    pub default: u16,
    pub bulk: u16,
    pub delivery: u16,
    pub maintenance: u16,
}

impl Default for Slots {
    fn default() -> Self {
        // Bulk jobs mostly wait for permits; with few slots some guilds would get no share.
        Self { interactive: 16, default: 8, bulk: 32, delivery: 16, maintenance: 0 }
    }
}

impl Slots {
    /// The slots of a scheduler process.
    pub const SCHEDULER: Self = Self { interactive: 0, default: 0, bulk: 0, delivery: 0, maintenance: 4 };

    pub(super) fn of(self, class: Class) -> u16 {
        match class {
            Class::Interactive => self.interactive,
            Class::Default => self.default,
            Class::Bulk => self.bulk,
            Class::Delivery => self.delivery,
            Class::Maintenance => self.maintenance,
            Class::Quarantine => 1,
        }
    }

    pub(super) fn to_json(self) -> serde_json::Value {
        let of = |class: Class| (class.name().to_owned(), serde_json::Value::from(self.of(class)));
        Class::ALL.iter().copied().map(of).collect()
    }
}
