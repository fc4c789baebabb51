//! What bans and mutes share: how they stop, and when one is in force.
//!
//! In force means neither lifted nor lapsed; `expires_at` decides to the second, sweep or no sweep (docs/rules.md 4).

use sea_orm::entity::prelude::*;
use sea_orm::{ColumnTrait, Condition};
use serde::{Deserialize, Serialize};

use crate::{PlaceId, Timestamp};

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

/// Which bans or mutes a list shows, by where they count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Places {
    /// Those that count in every game, and no others.
    Everywhere,
    /// Those that count in this place: its own and those that count in every game.
    In(PlaceId),
    All,
}

impl Places {
    pub(crate) fn shown<C: ColumnTrait>(self, place_column: C) -> Condition {
        match self {
            Self::Everywhere => Condition::all().add(place_column.is_null()),
            Self::In(place) => applies_in(place_column, place),
            Self::All => Condition::all(),
        }
    }
}

/// Rows that apply in a place: those of that place, and those of every game.
pub(crate) fn applies_in<C: ColumnTrait>(place_column: C, place: PlaceId) -> Condition {
    Condition::any().add(place_column.is_null()).add(place_column.eq(place))
}
