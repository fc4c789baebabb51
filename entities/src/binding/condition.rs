//! For whom a binding is: one of its types, with the fields that belong to it.

use sea_orm::{DeriveActiveEnum, EnumIter};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{GroupId, GroupRoleId};

/// Types of binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumIter, DeriveActiveEnum, ToSchema)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = BindingType)]
pub enum Kind {
    GroupRank,
    GroupRankRange,
    GroupMember,
    GroupRole,
    Verified,
    Unverified,
}

impl Kind {
    pub const ALL: [Self; 6] = [
        Self::GroupRank,
        Self::GroupRankRange,
        Self::GroupMember,
        Self::GroupRole,
        Self::Verified,
        Self::Unverified,
    ];

    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::GroupRank => "group_rank",
            Self::GroupRankRange => "group_rank_range",
            Self::GroupMember => "group_member",
            Self::GroupRole => "group_role",
            Self::Verified => "verified",
            Self::Unverified => "unverified",
        }
    }

    /// The fields that belong to it.
    pub fn fields(self) -> &'static [&'static str] {
        match self {
            Self::GroupRank => &["group_id", "rank"],
            Self::GroupRankRange => &["group_id", "min_rank", "max_rank"],
            Self::GroupMember => &["group_id"],
            Self::GroupRole => &["group_id", "group_role_id"],
            Self::Verified | Self::Unverified => &[],
        }
    }
}

/// Whom a binding gives its role (docs/rules.md 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// Rank 0: not in the group.
    GroupRank {
        group: GroupId,
        rank: i32,
    },
    /// Both ends included.
    GroupRankRange {
        group: GroupId,
        min: i32,
        max: i32,
    },
    GroupMember {
        group: GroupId,
    },
    GroupRole {
        group: GroupId,
        role: GroupRoleId,
    },
    Verified,
    Unverified,
}

/// The fields of a condition beside its type; `None` where the type has no such field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Parts {
    pub group_id: Option<GroupId>,
    pub rank: Option<i32>,
    pub min_rank: Option<i32>,
    pub max_rank: Option<i32>,
    pub group_role_id: Option<GroupRoleId>,
}

impl Parts {
    /// Without the fields that a type does not have.
    #[must_use]
    pub fn only_of(self, kind: Kind) -> Self {
        let has = |field| kind.fields().contains(&field);
        Self {
            group_id: self.group_id.filter(|_| has("group_id")),
            rank: self.rank.filter(|_| has("rank")),
            min_rank: self.min_rank.filter(|_| has("min_rank")),
            max_rank: self.max_rank.filter(|_| has("max_rank")),
            group_role_id: self.group_role_id.filter(|_| has("group_role_id")),
        }
    }

    /// These fields, and the others as they are in `others`.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            group_id: self.group_id.or(others.group_id),
            rank: self.rank.or(others.rank),
            min_rank: self.min_rank.or(others.min_rank),
            max_rank: self.max_rank.or(others.max_rank),
            group_role_id: self.group_role_id.or(others.group_role_id),
        }
    }

    fn given(self) -> impl Iterator<Item = &'static str> {
        let given = [
            ("group_id", self.group_id.is_some()),
            ("rank", self.rank.is_some()),
            ("min_rank", self.min_rank.is_some()),
            ("max_rank", self.max_rank.is_some()),
            ("group_role_id", self.group_role_id.is_some()),
        ];
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(field, _)| field)
    }
}

/// Why fields are no condition, with the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    #[error("`{0}` is missing: bindings of type `{kind}` need it", kind = .1.name())]
    Missing(&'static str, Kind),
    #[error("`{0}` does not belong to bindings of type `{kind}`", kind = .1.name())]
    Foreign(&'static str, Kind),
    #[error("`min_rank` must not be above `max_rank`")]
    Order,
}

impl Condition {
    /// The condition of a type with these fields: exactly those that belong to it.
    pub fn new(kind: Kind, parts: Parts) -> Result<Self, Misfit> {
        let Parts { group_id, rank, min_rank, max_rank, group_role_id } = parts;
        let missing = |field| move || Misfit::Missing(field, kind);
        let group = || group_id.ok_or_else(missing("group_id"));
        let condition = match kind {
            Kind::GroupRank => Self::GroupRank { group: group()?, rank: rank.ok_or_else(missing("rank"))? },
            Kind::GroupRankRange => Self::GroupRankRange {
                group: group()?,
                min: min_rank.ok_or_else(missing("min_rank"))?,
                max: max_rank.ok_or_else(missing("max_rank"))?,
            },
            Kind::GroupMember => Self::GroupMember { group: group()? },
            Kind::GroupRole => {
                Self::GroupRole { group: group()?, role: group_role_id.ok_or_else(missing("group_role_id"))? }
            }
            Kind::Verified => Self::Verified,
            Kind::Unverified => Self::Unverified,
        };
        if let Some(field) = parts.given().find(|field| !kind.fields().contains(field)) {
            return Err(Misfit::Foreign(field, kind));
        }
        match condition {
            Self::GroupRankRange { min, max, .. } if min > max => Err(Misfit::Order),
            condition => Ok(condition),
        }
    }

    pub fn kind(self) -> Kind {
        match self {
            Self::GroupRank { .. } => Kind::GroupRank,
            Self::GroupRankRange { .. } => Kind::GroupRankRange,
            Self::GroupMember { .. } => Kind::GroupMember,
            Self::GroupRole { .. } => Kind::GroupRole,
            Self::Verified => Kind::Verified,
            Self::Unverified => Kind::Unverified,
        }
    }

    pub fn parts(self) -> Parts {
        let of = |group| Parts { group_id: Some(group), ..Parts::default() };
        match self {
            Self::GroupRank { group, rank } => Parts { rank: Some(rank), ..of(group) },
            Self::GroupRankRange { group, min, max } => {
                Parts { min_rank: Some(min), max_rank: Some(max), ..of(group) }
            }
            Self::GroupMember { group } => of(group),
            Self::GroupRole { group, role } => Parts { group_role_id: Some(role), ..of(group) },
            Self::Verified | Self::Unverified => Parts::default(),
        }
    }

    pub fn group(self) -> Option<GroupId> {
        self.parts().group_id
    }

    /// Whoever matches has a rank in the group.
    pub fn has_rank(self) -> bool {
        match self {
            Self::GroupRank { rank, .. } => rank > 0,
            Self::GroupRankRange { .. } | Self::GroupMember { .. } | Self::GroupRole { .. } => true,
            Self::Verified | Self::Unverified => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Parts {
        let (group_id, group_role_id) = (GroupId::try_from(5).ok(), GroupRoleId::try_from(6).ok());
        Parts { group_id, rank: Some(0), min_rank: Some(1), max_rank: Some(2), group_role_id }
    }

    #[test]
    fn a_type_takes_its_own_fields_and_names_every_other_one() {
        for kind in Kind::ALL {
            assert!(
                matches!(Condition::new(kind, full()), Err(Misfit::Foreign(_, at)) if at == kind),
                "{kind:?}"
            );
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
        let of = |field: &str| {
            let Parts { group_id, rank, min_rank, max_rank, group_role_id } = full();
            match field {
                "rank" => Parts { group_id, rank, ..Parts::default() },
                "range" => Parts { group_id, min_rank, max_rank, ..Parts::default() },
                "role" => Parts { group_id, group_role_id, ..Parts::default() },
                "group" => Parts { group_id, ..Parts::default() },
                _ => Parts::default(),
            }
        };
        let fitting = [
            (Kind::GroupRank, "rank"),
            (Kind::GroupRankRange, "range"),
            (Kind::GroupRole, "role"),
            (Kind::GroupMember, "group"),
            (Kind::Verified, ""),
            (Kind::Unverified, ""),
        ];
        for (kind, fields) in fitting {
            let condition = Condition::new(kind, of(fields)).unwrap();
            assert_eq!((condition.kind(), condition.parts()), (kind, of(fields)));
            assert_eq!(full().only_of(kind), of(fields));
            assert_eq!(of(fields).or(full()), full());
        }
        for (kind, field) in [
            (Kind::GroupRank, "rank"),
            (Kind::GroupRankRange, "min_rank"),
            (Kind::GroupRole, "group_role_id"),
        ] {
            assert_eq!(Condition::new(kind, of("group")), Err(Misfit::Missing(field, kind)));
            assert_eq!(Condition::new(kind, of("")), Err(Misfit::Missing("group_id", kind)));
        }
    }

    #[test]
    fn a_range_begins_below_its_end_and_errors_name_the_field() {
        let range = |min, max| Parts {
            rank: None,
            group_role_id: None,
            min_rank: Some(min),
            max_rank: Some(max),
            ..full()
        };
        assert!(Condition::new(Kind::GroupRankRange, range(3, 3)).is_ok());
        let refused = Condition::new(Kind::GroupRankRange, range(4, 3)).unwrap_err();
        assert_eq!(refused.to_string(), "`min_rank` must not be above `max_rank`");
        let foreign = Condition::new(Kind::Verified, range(1, 2)).unwrap_err();
        assert_eq!(foreign.to_string(), "`group_id` does not belong to bindings of type `verified`");
    }
}
