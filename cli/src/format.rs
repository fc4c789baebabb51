//! The form of a result: a table for people, or JSON. In JSON fields have the names and types they have in the API.

use serde_json::Value;

use crate::output;

#[derive(clap::Args, Clone, Copy)]
pub(crate) struct FormatArgs {
    /// Print JSON instead of a table, with the names of the API
    #[arg(long)]
    json: bool,
}

impl FormatArgs {
    /// Prints a list: all fields of the rows as JSON, or a table with a column for each of these fields.
    pub(crate) fn list<const N: usize>(self, columns: [&str; N], rows: Vec<Value>) -> anyhow::Result<()> {
        if self.json {
            return print_json(Value::Array(rows));
        }
        let header = columns.map(|column| column.replace('_', " "));
        let cells = rows.iter().map(|row| columns.map(|column| cell(&row[column])));
        output::print(&output::table(header.each_ref().map(String::as_str), cells))
    }

    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// Prints one of the two.
    pub(crate) fn print(
        self,
        json: impl FnOnce() -> Value,
        text: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        if self.json { print_json(json()) } else { output::print(&text()) }
    }
}

fn print_json(value: Value) -> anyhow::Result<()> {
    output::print(&serde_json::to_string_pretty(&value)?)
}

/// A value in a table.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::Bool(value) => output::yes_or_no(*value),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(cell).collect::<Vec<_>>().join(","),
        Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cell_shows_a_value_without_the_marks_of_json() {
        let values = [json!(null), json!(true), json!("a b"), json!(["a", "b"]), json!(7), json!([])];
        assert_eq!(values.map(|value| cell(&value)), ["-", "yes", "a b", "a,b", "7", ""]);
    }
}
