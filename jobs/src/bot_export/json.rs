//! Exports in JSON: a list of objects, also below a name, or an object that maps ids to accounts.

use serde_json::{Map, Value};

use super::sheet::{Sheet, SheetLine};

const KEYS: &str = "the keys";
const VALUES: &str = "the values";

pub(super) fn read(bytes: &[u8]) -> Result<Sheet, String> {
    let value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let mut sheet = Sheet { has_head: true, ..Sheet::default() };
    match listed(value) {
        Value::Array(items) => {
            for (number, item) in (1..).zip(items) {
                let Value::Object(object) = item else {
                    return Err(format!("entry {number} of the list on line 1 is not an object"));
                };
                sheet.line(SheetLine::new(number, Vec::new()), object);
            }
        }
        Value::Object(map) => {
            for (number, (key, account)) in (1..).zip(map) {
                let mut line = SheetLine::new(number, Vec::new());
                line.set(sheet.place(KEYS), key);
                match account {
                    Value::Object(object) => sheet.line(line, object),
                    other => sheet.line(line, Map::from_iter([(VALUES.to_owned(), other)])),
                }
            }
        }
        _ => {}
    }
    if sheet.lines.is_empty() { Err("the list is empty".to_owned()) } else { Ok(sheet) }
}

/// The list of `{"bans": [{…}], …}`.
fn listed(value: Value) -> Value {
    let is_list =
        |value: &Value| value.as_array().is_some_and(|list| list.first().is_some_and(Value::is_object));
    match value {
        Value::Object(map) if map.values().filter(|value| is_list(value)).count() == 1 => {
            map.into_iter().map(|(_, value)| value).find(is_list).unwrap_or_default()
        }
        other => other,
    }
}

impl Sheet {
    /// Of the column with this name, which may be new.
    fn place(&mut self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    fn line(&mut self, mut line: SheetLine, object: Map<String, Value>) {
        for (name, value) in object {
            line.set(self.place(&name), text(&value));
        }
        self.lines.push(line);
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    }
}
