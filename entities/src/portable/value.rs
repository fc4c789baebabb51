//! Values of columns in JSON.

use chrono::{DateTime, SecondsFormat, Utc};
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::ColumnType;
use sea_orm::{QueryResult, Value};
use serde_json::Value as Json;

use crate::Result;
use crate::same_json::same;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    /// 64 bits. In JSON text if a number would not be exact everywhere.
    Long,
    Text,
    Flag,
    /// RFC 3339, in microseconds.
    Time,
    Json,
    Uuid,
    /// Hexadecimal digits.
    Bytes,
}

/// Larger numbers lose digits in JavaScript and Lua.
const EXACT: u64 = 1 << 53;

impl Kind {
    pub(super) fn of(column: &ColumnType) -> Self {
        match column {
            ColumnType::Integer | ColumnType::SmallInteger => Self::Integer,
            ColumnType::BigInteger => Self::Long,
            ColumnType::Boolean => Self::Flag,
            ColumnType::Timestamp | ColumnType::DateTime | ColumnType::TimestampWithTimeZone => Self::Time,
            ColumnType::Json | ColumnType::JsonBinary => Self::Json,
            ColumnType::Uuid => Self::Uuid,
            ColumnType::Blob | ColumnType::Binary(_) | ColumnType::VarBinary(_) => Self::Bytes,
            _ => Self::Text,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Integer | Self::Long => "an integer",
            Self::Text => "a text",
            Self::Flag => "true or false",
            Self::Time => "a time as in RFC 3339",
            Self::Json => "JSON",
            Self::Uuid => "a UUID",
            Self::Bytes => "hexadecimal digits",
        }
    }

    pub(super) fn read(self, row: &QueryResult, column: &str) -> Result<Json> {
        Ok(match self {
            Self::Integer => row.try_get::<Option<i32>>("", column)?.into(),
            Self::Long => row.try_get::<Option<i64>>("", column)?.map_or(Json::Null, |long| {
                if long.unsigned_abs() > EXACT { long.to_string().into() } else { long.into() }
            }),
            Self::Text => row.try_get::<Option<String>>("", column)?.into(),
            Self::Flag => row.try_get::<Option<bool>>("", column)?.into(),
            Self::Time => row
                .try_get::<Option<DateTime<Utc>>>("", column)?
                .map(|at| at.to_rfc3339_opts(SecondsFormat::Micros, true))
                .into(),
            Self::Json => row.try_get::<Option<Json>>("", column)?.map_or(Json::Null, same),
            Self::Uuid => row.try_get::<Option<Uuid>>("", column)?.map(|id| id.to_string()).into(),
            Self::Bytes => row.try_get::<Option<Vec<u8>>>("", column)?.map(hex::encode).into(),
        })
    }

    /// `None`: the JSON is of another kind. The model of the table says whether null is allowed.
    pub(super) fn parse(self, json: &Json) -> Option<Value> {
        if json.is_null() {
            return Some(self.null());
        }
        match self {
            Self::Integer => json.as_i64().and_then(|long| i32::try_from(long).ok()).map(Into::into),
            Self::Long => json.as_i64().or_else(|| json.as_str()?.parse().ok()).map(Into::into),
            Self::Text => json.as_str().map(Into::into),
            Self::Flag => json.as_bool().map(Into::into),
            Self::Time => {
                let at = DateTime::parse_from_rfc3339(json.as_str()?).ok()?;
                Some(at.with_timezone(&Utc).into())
            }
            Self::Json => Some(json.clone().into()),
            Self::Uuid => json.as_str()?.parse::<Uuid>().ok().map(Into::into),
            Self::Bytes => hex::decode(json.as_str()?).ok().map(Into::into),
        }
    }

    pub(super) fn null(self) -> Value {
        match self {
            Self::Integer => Value::Int(None),
            Self::Long => Value::BigInt(None),
            Self::Text => Value::String(None),
            Self::Flag => Value::Bool(None),
            Self::Time => Value::ChronoDateTimeUtc(None),
            Self::Json => Value::Json(None),
            Self::Uuid => Value::Uuid(None),
            Self::Bytes => Value::Bytes(None),
        }
    }
}
