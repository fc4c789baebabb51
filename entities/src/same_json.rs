//! JSON in one form. Both databases give back the same value, but Postgres writes some numbers differently: here those
//! without a fraction are integers.

use serde_json::{Number, Value};

pub(crate) fn same(json: Value) -> Value {
    match json {
        Value::Array(items) => items.into_iter().map(same).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, field)| (name, same(field))).collect(),
        Value::Number(number) => Value::Number(integer(&number).unwrap_or(number)),
        other => other,
    }
}

/// A whole float that fits, with the digits in which Postgres gives it back: its own, filled up with zeros.
fn integer(number: &Number) -> Option<Number> {
    let whole = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0)?;
    let digits = whole.to_string();
    digits
        .parse()
        .map(|small: i64| small.into())
        .or_else(|_| digits.parse().map(|large: u64| large.into()))
        .ok()
}
