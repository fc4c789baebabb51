//! The numbers of bans and mutes, for people: each kind of a guild counts by itself, and what replaces or restores another keeps
//! its number.

use std::collections::HashMap;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait};

use super::model::{Lifted, Model, SanctionKind, Slot};
use crate::moderation_revision::{Change, Column, Entity};

/// A new sanction that needs a number.
pub(super) struct Numbered {
    /// Its own, then that of the person's other account.
    pub(super) slots: Vec<Slot>,
    /// The number of the one that it restores.
    pub(super) restored: Option<i64>,
}

/// Numbers for new sanctions, by their slots. The transaction holds the row that counts.
pub(super) struct Numbers {
    by_slot: HashMap<Slot, i64>,
    /// Before they were taken: of bans and of mutes.
    before: [i64; 2],
    taken: bool,
}

impl Numbers {
    /// Those of the sanctions that they replace or restore, or else the next ones.
    pub(super) async fn take<C: ConnectionTrait>(
        conn: &C,
        change: &Change,
        new: impl Iterator<Item = Numbered>,
        superseded: &[Model],
    ) -> Result<Self, DbErr> {
        let replaced: HashMap<Slot, i64> = superseded
            .iter()
            .filter(|row| row.lifted_how == Some(Lifted::Superseded))
            .map(|row| (row.slot(), row.number))
            .collect();
        let mut by_slot = HashMap::new();
        let mut fresh = Vec::new();
        for Numbered { slots, restored } in new {
            let kept = slots.iter().filter_map(|slot| replaced.get(slot)).min().copied().or(restored);
            match (slots.first(), kept) {
                (Some(own), Some(number)) => drop(by_slot.insert(*own, number)),
                (Some(own), None) => fresh.push(*own),
                (None, _) => {}
            }
        }
        if fresh.is_empty() {
            return Ok(Self { by_slot, before: [0; 2], taken: false });
        }
        let count =
            |kind| i64::try_from(fresh.iter().filter(|new| new.kind == kind).count()).unwrap_or(i64::MAX);
        let counts = [SanctionKind::Ban, SanctionKind::Mute].map(count);
        let rows = Entity::update_many()
            .col_expr(Column::Bans, Expr::col(Column::Bans).add(counts[0]))
            .col_expr(Column::Mutes, Expr::col(Column::Mutes).add(counts[1]))
            .filter(Column::GuildId.eq(change.guild))
            .exec_with_returning(conn)
            .await?;
        let row = rows.first().ok_or_else(|| DbErr::RecordNotFound("moderation_revision".to_owned()))?;
        let before = [row.bans - counts[0], row.mutes - counts[1]];
        let mut last = before;
        for slot in fresh {
            let last = &mut last[place(slot.kind)];
            *last += 1;
            by_slot.insert(slot, *last);
        }
        Ok(Self { by_slot, before, taken: true })
    }

    pub(super) fn of(&self, slot: &Slot) -> i64 {
        self.by_slot.get(slot).copied().unwrap_or_default()
    }

    /// The last ones that none of these rows got.
    pub(super) async fn give_back<C: ConnectionTrait>(
        self,
        conn: &C,
        change: &Change,
        added: &[Model],
    ) -> Result<(), DbErr> {
        if !self.taken {
            return Ok(());
        }
        let mut last = self.before;
        for row in added {
            let last = &mut last[place(row.kind)];
            *last = Ord::max(*last, row.number);
        }
        let counted = Entity::update_many()
            .col_expr(Column::Bans, Expr::value(last[0]))
            .col_expr(Column::Mutes, Expr::value(last[1]));
        counted.filter(Column::GuildId.eq(change.guild)).exec(conn).await?;
        Ok(())
    }
}

fn place(kind: SanctionKind) -> usize {
    match kind {
        SanctionKind::Ban => 0,
        SanctionKind::Mute => 1,
    }
}
