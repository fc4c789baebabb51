//! The scopes that narrow a key, and sets of them.

use std::fmt;

use strum::{EnumString, IntoStaticStr, VariantArray};

/// What a key may do.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    strum::Display,
    IntoStaticStr,
    VariantArray,
    EnumString,
)]
#[strum(serialize_all = "snake_case", parse_err_fn = unknown_scope, parse_err_ty = UnknownScope)]
pub enum Scope {
    Read,
    Moderation,
    Staff,
    Play,
    Sync,
    Shield,
    Links,
    Admin,
}

impl Scope {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Error for a text that names no scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a scope; scopes are read, moderation, staff, play, sync, shield, links, admin")]
pub struct UnknownScope(String);

fn unknown_scope(text: &str) -> UnknownScope {
    UnknownScope(text.to_owned())
}

/// A set of scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scopes(u8);

impl Scopes {
    /// The scopes of a new key by default: all but `links` and `admin`, whose holders decide who somebody is.
    pub fn default_set() -> Self {
        let decides = |scope: &Scope| matches!(scope, Scope::Links | Scope::Admin);
        Scope::ALL.iter().copied().filter(|scope| !decides(scope)).collect()
    }

    /// The scopes that a kind of caller needs, by its name.
    pub fn set_for(caller: &str) -> Option<Self> {
        use Scope::{Links, Moderation, Play, Read, Shield, Staff, Sync};
        let scopes: &[Scope] = match caller {
            "game" => &[Read, Play, Moderation],
            "dashboard" => &[Read, Moderation, Staff, Sync, Shield],
            "bot" => &[Read, Moderation, Staff, Sync, Links],
            _ => return None,
        };
        Some(scopes.iter().copied().collect())
    }

    pub fn contains(self, scope: Scope) -> bool {
        self.0 & (1 << scope as u8) != 0
    }

    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |scope| self.contains(*scope))
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |set, scope| set | (1 << scope as u8)))
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.iter().map(Scope::name).collect();
        f.write_str(&names.join(" "))
    }
}
