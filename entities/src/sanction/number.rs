//! The numbers of bans and mutes, for people: each kind of a guild counts by itself, and what replaces or restores another keeps
//! its number.

use std::collections::HashMap;

use super::model::{Lifted, Model, SanctionKind, Slot};
use crate::moderation_revision::Numbers;

/// A new sanction that needs a number.
pub(super) struct Numbered {
    pub(super) slot: Slot,
    /// The slot of the person's other account.
    pub(super) twin: Option<Slot>,
    /// The number of the one that it restores.
    pub(super) restored: Option<i64>,
}

impl Numbers {
    /// For new sanctions: the numbers of those that they replace or restore, or else the next ones.
    pub(super) fn of(&self, new: impl Iterator<Item = Numbered>, superseded: &[Model]) -> HashMap<Slot, i64> {
        let replaced: HashMap<Slot, i64> = superseded
            .iter()
            .filter(|row| row.lifted_how == Some(Lifted::Superseded))
            .map(|row| (row.slot(), row.number))
            .collect();
        let mut last = *self;
        let number = |Numbered { slot, twin, restored }| {
            let kept = [Some(slot), twin].into_iter().flatten();
            let kept = kept.filter_map(|slot| replaced.get(&slot)).min().copied().or(restored);
            (slot, last.next(slot.kind, kept))
        };
        new.map(number).collect()
    }

    /// That of one which is kept, or else the next one.
    pub(super) fn next(&mut self, kind: SanctionKind, kept: Option<i64>) -> i64 {
        kept.unwrap_or_else(|| {
            let last = self.of_kind(kind);
            *last += 1;
            *last
        })
    }

    /// Those of rows that were inserted are taken.
    pub(super) fn take(&mut self, added: &[Model]) {
        for row in added {
            let last = self.of_kind(row.kind);
            *last = Ord::max(*last, row.number);
        }
    }

    fn of_kind(&mut self, kind: SanctionKind) -> &mut i64 {
        match kind {
            SanctionKind::Ban => &mut self.bans,
            SanctionKind::Mute => &mut self.mutes,
        }
    }
}
