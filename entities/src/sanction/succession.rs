//! Sanctions of one person and place that come together: each supersedes the one before it.

use std::collections::{BTreeMap, HashMap};

use sea_orm::entity::prelude::*;

use super::closing::{close_all, superseded};
use super::model::{Entity, Lifted, Model};
use super::new::{Created, NewSanction, row};
use crate::moderation_revision::Change;
use crate::{SanctionId, Timestamp};

/// One that supersedes another of the same call.
pub(super) struct Later {
    /// In the order of the call.
    pub(super) place: usize,
    pub(super) before: usize,
    pub(super) new: NewSanction,
}

/// Writes those that follow the `created` ones: all but the last of each person and place closed, so that any number
/// of them takes as many statements as one.
pub(super) async fn succeed<C: ConnectionTrait>(
    conn: &C,
    change: &mut Change,
    created: &mut BTreeMap<usize, Created>,
    later: Vec<Later>,
) -> Result<(), DbErr> {
    let first = |Later { before, new, .. }: &Later| {
        Some(((new.moderator, None), created.get(before)?.sanction.slot().rows(change.guild)))
    };
    let firsts: Vec<_> = later.iter().filter_map(first).collect();
    let closed = close_all(conn, change, Lifted::Superseded, firsts.into_iter()).await?;
    let mut closed: HashMap<SanctionId, Model> =
        closed.into_iter().map(|row| (row.sanction_id, row)).collect();
    let own = |(place, made): (&usize, &Created)| Some((*place, closed.remove(&made.sanction.sanction_id)?));
    let mut written: HashMap<usize, Model> = created.iter().filter_map(own).collect();
    let mut last: HashMap<usize, (i64, Option<Timestamp>)> =
        written.iter().map(|(place, row)| (*place, (row.number, row.expires_at))).collect();
    let mut rows = BTreeMap::new();
    for Later { place, before, new } in &later {
        let replaced = last.get(before).filter(|(_, end)| end.is_none_or(|end| end > change.now));
        let number = change.numbers.next(new.kind, replaced.map(|(number, _)| *number).or(new.number));
        last.insert(*place, (number, new.expires_at));
        if let Some(row) = rows.remove(before) {
            rows.insert(*before, superseded(row, change, new.moderator));
        }
        rows.insert(*place, row(change, new.clone(), number));
    }
    let mut added = Entity::insert_many(rows.into_values()).exec_with_returning(conn).await?;
    // They get their ids in the order of the rows.
    added.sort_unstable_by_key(|row| row.sanction_id);
    written.extend(later.iter().map(|later| later.place).zip(added));
    for Later { place, before, .. } in later {
        let Some(row) = written.get(&place).cloned() else { continue };
        let sanction = Model { lifted_at: None, lifted_how: None, lifted_by: None, ..row };
        created
            .insert(place, Created { sanction, closed: written.get(&before).cloned().into_iter().collect() });
    }
    Ok(())
}
