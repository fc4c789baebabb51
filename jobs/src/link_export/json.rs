//! Exports in JSON: a list of objects, or an object that maps ids of the chat platform to accounts.

use serde_json::{Map, Value};

use super::export::{Column, Export, Line};

pub(super) fn read(bytes: &[u8]) -> Result<Export, String> {
    let value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let mut export = Export::default();
    match value {
        Value::Array(items) => {
            for (number, item) in (1..).zip(items) {
                let Value::Object(object) = item else {
                    return Err(format!("entry {number} of the list on line 1 is not an object"));
                };
                let line = export.line(Line { number, ..Line::default() }, object);
                export.lines.push(line);
            }
        }
        Value::Object(map) => {
            for (number, (chat_id, account)) in (1..).zip(map) {
                export.note(Column::Chat, "the keys");
                let line = Line { number, chat_id, ..Line::default() };
                let line = export.mapped(line, account);
                export.lines.push(line);
            }
        }
        _ => {}
    }
    if export.lines.is_empty() { Err("the list is empty".to_owned()) } else { Ok(export) }
}

impl Export {
    fn note(&mut self, column: Column, name: &str) {
        if self.columns.iter().all(|(found, _)| *found != column) {
            self.columns.push((column, name.to_owned()));
        }
    }

    fn line(&mut self, mut line: Line, object: Map<String, Value>) -> Line {
        for (name, value) in object {
            match Column::named(&name) {
                Some(column) => {
                    self.note(column, &name);
                    line.set(column, text(&value));
                }
                None if !self.ignored.contains(&name) => self.ignored.push(name),
                None => {}
            }
        }
        line
    }

    /// The account is an id, a name, or an object of both.
    fn mapped(&mut self, mut line: Line, account: Value) -> Line {
        match account {
            Value::Object(object) => self.line(line, object),
            other => {
                let text = text(&other);
                let is_id = text.bytes().all(|byte| byte.is_ascii_digit());
                let column = if is_id { Column::Play } else { Column::Name };
                self.note(column, "the values");
                line.set(column, text);
                line
            }
        }
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    }
}
