//! JSON as the platform's `HttpService` writes and reads it: an empty table is `[]`, and `null` is nothing.

use mlua::{Lua, Result, Value};
use serde_json::{Map, Number};

/// Beyond it, whole numbers are not exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

pub(crate) fn encode(value: &Value) -> Result<serde_json::Value> {
    Ok(match value {
        Value::Boolean(value) => (*value).into(),
        Value::Integer(value) => (*value).into(),
        Value::Number(value) => number(*value),
        Value::String(text) => text.to_str()?.to_string().into(),
        Value::Table(table) if table.raw_len() > 0 || table.is_empty() => {
            let items = table.sequence_values::<Value>().map(|item| encode(&item?));
            items.collect::<Result<Vec<_>>>()?.into()
        }
        Value::Table(table) => {
            let fields = table.pairs::<String, Value>().map(|pair| {
                let (name, value) = pair?;
                Ok((name, encode(&value)?))
            });
            fields.collect::<Result<Map<_, _>>>()?.into()
        }
        other => return Err(mlua::Error::runtime(format!("Can't convert to JSON: {}", other.type_name()))),
    })
}

fn number(value: f64) -> serde_json::Value {
    #[expect(clippy::cast_possible_truncation, reason = "whole, and below 2^53")]
    if value.fract() == 0.0 && value.abs() < EXACT {
        return (value as i64).into();
    }
    Number::from_f64(value).map_or(serde_json::Value::Null, Into::into)
}

pub(crate) fn decode(lua: &Lua, value: &serde_json::Value) -> Result<Value> {
    Ok(match value {
        serde_json::Value::Null => Value::Nil,
        serde_json::Value::Bool(value) => Value::Boolean(*value),
        serde_json::Value::Number(value) => Value::Number(value.as_f64().unwrap_or_default()),
        serde_json::Value::String(text) => Value::String(lua.create_string(text)?),
        serde_json::Value::Array(items) => {
            let table = lua.create_table()?;
            for item in items {
                table.raw_push(decode(lua, item)?)?;
            }
            Value::Table(table)
        }
        serde_json::Value::Object(fields) => {
            let table = lua.create_table()?;
            for (name, field) in fields {
                table.raw_set(name.as_str(), decode(lua, field)?)?;
            }
            Value::Table(table)
        }
    })
}
