//! Whole seconds since 1970, for columns that SQL calculates with: differences of timestamps differ between Postgres
//! and SQLite, differences of integers do not.

use sea_orm::DeriveValueType;

use crate::Timestamp;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, DeriveValueType)]
pub struct Second(i64);

impl Second {
    pub fn at(self) -> Timestamp {
        Timestamp::from_timestamp(self.0, 0).unwrap_or_default()
    }

    pub fn get(self) -> i64 {
        self.0
    }

    /// Seconds since `earlier`.
    pub fn since(self, earlier: Self) -> i64 {
        self.0 - earlier.0
    }

    #[must_use]
    pub fn minus(self, seconds: i64) -> Self {
        Self(self.0 - seconds)
    }
}

/// Truncates the fraction.
impl From<Timestamp> for Second {
    fn from(time: Timestamp) -> Self {
        Self(time.timestamp())
    }
}
