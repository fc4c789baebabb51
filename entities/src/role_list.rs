//! Chat roles in one column, as JSON.

use sea_orm::FromJsonQueryResult;
use serde::{Deserialize, Serialize};

use crate::RoleId;

/// Chat roles, in the order the guild gave them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(transparent)]
pub struct RoleList(pub Vec<RoleId>);
