//! Reads the fields of one object in a body of the chat platform, and collects what is wrong with them.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use crate::form::{self, FormErrors, Mistake};

pub(crate) struct Fields<'f, 'e> {
    map: &'f Map<String, Value>,
    /// Leads to the object; empty for the body itself.
    path: String,
    errors: &'e mut FormErrors,
}

impl<'f, 'e> Fields<'f, 'e> {
    pub(crate) fn new(map: &'f Map<String, Value>, errors: &'e mut FormErrors) -> Self {
        Self { map, path: String::new(), errors }
    }

    /// Absent and null are the same.
    pub(crate) fn get(&self, name: &str) -> Option<&'f Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn error(&mut self, name: &str, mistake: Mistake) {
        let path = self.path_to(name);
        self.errors.add(&path, mistake);
    }

    fn path_to(&self, name: &str) -> String {
        match (self.path.as_str(), name) {
            ("", name) => name.to_owned(),
            (path, "") => path.to_owned(),
            (path, name) => format!("{path}.{name}"),
        }
    }

    /// A text with this number of characters.
    pub(crate) fn text(&mut self, name: &str, lengths: RangeInclusive<usize>) -> Option<&'f str> {
        let mistake = match self.get(name)? {
            Value::String(text) if lengths.contains(&text.chars().count()) => return Some(text),
            Value::String(_) if *lengths.start() == 0 => form::too_long(*lengths.end()),
            Value::String(_) => form::bad_length(*lengths.start(), *lengths.end()),
            _ => form::not_a_text(),
        };
        self.error(name, mistake);
        None
    }

    pub(crate) fn required_text(&mut self, name: &str, lengths: RangeInclusive<usize>) -> Option<&'f str> {
        if self.get(name).is_none() {
            self.error(name, form::required());
        }
        self.text(name, lengths)
    }

    /// An absolute address of the web.
    pub(crate) fn address(&mut self, name: &str) -> Option<&'f str> {
        let address = self.text(name, 0..=2048)?;
        if form::is_web_address(address) {
            return Some(address);
        }
        self.error(name, ("URL_TYPE_INVALID_URL", "Not a well formed URL.".to_owned()));
        None
    }

    pub(crate) fn number(&mut self, name: &str, allowed: RangeInclusive<i64>) -> Option<i64> {
        let value = self.get(name)?;
        let mistake = match value.as_i64() {
            Some(number) if allowed.contains(&number) => return Some(number),
            Some(number) if number < *allowed.start() => form::too_small(*allowed.start()),
            Some(_) => form::too_large(*allowed.end()),
            None => form::not_a_number(&value.to_string()),
        };
        self.error(name, mistake);
        None
    }

    pub(crate) fn flag(&mut self, name: &str) -> bool {
        match self.get(name) {
            Some(Value::Bool(flag)) => return *flag,
            Some(_) => self.error(name, ("BOOLEAN_TYPE_CONVERT", "Must be either true or false.".to_owned())),
            None => {}
        }
        false
    }

    /// One of these; 0 after a mistake.
    pub(crate) fn choice(&mut self, name: &str, choices: &[u64]) -> u64 {
        let Some(value) = self.get(name) else {
            self.error(name, form::required());
            return 0;
        };
        let chosen = value.as_u64().filter(|chosen| choices.contains(chosen));
        if chosen.is_none() {
            self.error(name, form::not_a_choice(choices));
        }
        chosen.unwrap_or_default()
    }

    /// The elements of a list; none if it is absent.
    pub(crate) fn list(&mut self, name: &str, lengths: RangeInclusive<usize>) -> &'f [Value] {
        let mistake = match self.get(name) {
            None if *lengths.start() == 0 => return &[],
            None => form::required(),
            Some(Value::Array(list)) if lengths.contains(&list.len()) => return list,
            Some(Value::Array(_)) => form::bad_length(*lengths.start(), *lengths.end()),
            Some(_) => form::not_a_list(),
        };
        self.error(name, mistake);
        &[]
    }

    /// Reads each object of a list.
    pub(crate) fn each(
        &mut self,
        name: &str,
        lengths: RangeInclusive<usize>,
        mut read: impl FnMut(&mut Fields<'f, '_>),
    ) {
        for (index, element) in self.list(name, lengths).iter().enumerate() {
            let path = self.path_to(name);
            self.object(format!("{path}.{index}"), element, &mut read);
        }
    }

    /// Reads the object in a field, if there is one.
    pub(crate) fn inner(&mut self, name: &str, mut read: impl FnMut(&mut Fields<'f, '_>)) {
        if let Some(value) = self.get(name) {
            self.object(self.path_to(name), value, &mut read);
        }
    }

    fn object(&mut self, path: String, value: &'f Value, read: &mut impl FnMut(&mut Fields<'f, '_>)) {
        match value {
            Value::Object(map) => read(&mut Fields { map, path, errors: self.errors }),
            _ => self.errors.add(&path, form::not_an_object()),
        }
    }
}
