//! JSON in one form. Both databases give back the same value, but Postgres writes some numbers differently: here those
//! without a fraction are integers.

use serde_json::Value;

/// Whole numbers below fit into 64 bits.
const LONG: f64 = 9.0e18;

pub(crate) fn same(json: Value) -> Value {
    match json {
        Value::Array(items) => items.into_iter().map(same).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, field)| (name, same(field))).collect(),
        Value::Number(number) => {
            let whole = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0);
            let whole = whole.filter(|float| float.abs() < LONG);
            #[expect(clippy::cast_possible_truncation, reason = "it is whole and fits")]
            whole.map_or(Value::Number(number), |whole| Value::from(whole as i64))
        }
        other => other,
    }
}
