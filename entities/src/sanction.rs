//! What bans and mutes share: how they stop, and when one is in force.
//!
//! In force means neither lifted nor lapsed; `expires_at` decides to the second, sweep or no sweep (decisions 4).

use sea_orm::entity::prelude::*;
use sea_orm::{ColumnTrait, Condition};
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// How a ban or mute stopped being in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
#[serde(rename_all = "snake_case")]
pub enum Lifted {
    /// By a moderator.
    #[sea_orm(string_value = "lifted")]
    Lifted,
    /// By a newer one for the same identifier and place.
    #[sea_orm(string_value = "superseded")]
    Superseded,
    #[sea_orm(string_value = "expired")]
    Expired,
}

pub(crate) fn in_force<C: ColumnTrait>(lifted_at: C, expires_at: C, now: Timestamp) -> Condition {
    Condition::all()
        .add(lifted_at.is_null())
        .add(Condition::any().add(expires_at.is_null()).add(expires_at.gt(now)))
}

pub(crate) fn lapsed<C: ColumnTrait>(lifted_at: C, expires_at: C, now: Timestamp) -> Condition {
    Condition::all().add(lifted_at.is_null()).add(expires_at.lte(now))
}

/// What to write as the way a row stopped: it had lapsed already, or else `how`.
pub(crate) fn lapsed_or<C: ColumnTrait>(expires_at: C, how: Lifted, now: Timestamp) -> Expr {
    Expr::case(expires_at.lte(now), Expr::value(Lifted::Expired)).finally(Expr::value(how)).into()
}

/// Rows that apply in a place: those of that place, and those of every game.
pub(crate) fn applies_in<C: ColumnTrait>(place_column: C, place: crate::PlaceId) -> Condition {
    Condition::any().add(place_column.is_null()).add(place_column.eq(place))
}
