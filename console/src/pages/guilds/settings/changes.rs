//! What a person changes in the form of the settings. All else stays as it is stored: another tab or a colleague may have
//! changed it since the form was loaded, so the form carries the values that it was loaded with.

use people::labels::label;

use super::form;
use crate::fields::Fields;
use crate::html::form::Form;

/// Before the names of the fields that carry the loaded values.
pub(super) const LOADED: &str = "was_";
/// In the form of an Undo, which holds only what a save has changed.
pub(super) const UNDO: &str = "undo";

pub(super) struct Changes {
    loaded: Fields,
    /// Names of the fields that the person has given another value than the stored one.
    pub(super) mine: Vec<String>,
    /// Those of them that somebody else has changed too since the form was loaded.
    contested: Vec<String>,
}

impl Changes {
    pub(super) fn of(sent: &Fields, stored: &Fields) -> Self {
        let mut loaded = sent.behind(LOADED);
        // A form that is not one of the page means all of its fields.
        if loaded.pairs().is_empty() && !sent.has(UNDO) {
            loaded = stored.clone();
        }
        let is_mine =
            |name: &String| !is_same(sent, &loaded, name.as_str()) && !is_same(sent, stored, name.as_str());
        let mine: Vec<String> = form::names().filter(is_mine).collect();
        let is_contested = |name: &&String| !is_same(&loaded, stored, name.as_str());
        let contested = mine.iter().filter(is_contested).cloned().collect();
        Self { loaded, mine, contested }
    }

    /// Leaves what somebody else has changed too as it is; its labels.
    pub(super) fn yield_contested(&mut self) -> Vec<String> {
        let left = std::mem::take(&mut self.contested);
        self.mine.retain(|name| !left.contains(name));
        let mut labels: Vec<_> = left.iter().map(|name| label(form::api_field(name))).collect();
        labels.dedup();
        labels
    }

    /// The stored settings with what the person has changed.
    pub(super) fn applied(&self, sent: &Fields, stored: &Fields) -> Fields {
        stored.without(&self.mine).joined(sent.only(&self.mine))
    }

    /// The form with the first field that somebody else has changed too: a second save is meant.
    pub(super) fn conflict(&self, sent: &Fields, stored: &Fields) -> Option<Form> {
        let (first, others) = self.contested.split_first()?;
        // The others are asked about in their turn.
        let loaded = stored.without(others).joined(self.loaded.only(others));
        let field = form::api_field(first);
        let text = format!(
            "{}: somebody else has changed this since the page was opened. Save again to replace it with yours, or load \
             the page again to keep theirs.",
            label(field)
        );
        Some(Form::conflict(&filled(&self.applied(sent, stored), &loaded), field, &text))
    }
}

/// The fields of a form with these values, loaded with those.
pub(super) fn filled(values: &Fields, loaded: &Fields) -> Fields {
    values.clone().joined(loaded.prefixed(LOADED))
}

/// Whether a field has the same values in both, in whatever order.
fn is_same(one: &Fields, other: &Fields, name: &str) -> bool {
    let values = |fields: &Fields| {
        let given = fields.all(name).into_iter().filter(|value| !value.is_empty());
        // Browsers send lines of a text with CRLF.
        let mut given: Vec<String> = given.map(|value| value.replace("\r\n", "\n")).collect();
        given.sort_unstable();
        given
    };
    values(one) == values(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_person_has_changed_is_theirs() {
        let loaded = Fields::of(&[("strike_days", "90"), ("sticky_roles", "1"), ("sticky_roles", "2")]);
        let stored = Fields::of(&[("strike_days", "60"), ("sticky_roles", "1"), ("sticky_roles", "2")]);
        let sent = |typed: &[(&str, &str)]| filled(&Fields::of(typed), &loaded);
        let of = |sent: &Fields| {
            let changes = Changes::of(sent, &stored);
            (changes.mine, changes.contested)
        };
        let roles = [("sticky_roles", "2"), ("sticky_roles", "1")];
        let untouched = sent(&[("strike_days", "90"), roles[0], roles[1]]);
        assert_eq!(of(&untouched), (Vec::new(), Vec::new()));
        let fewer = sent(&[("strike_days", "90"), roles[0]]);
        assert_eq!(of(&fewer), (vec!["sticky_roles".to_owned()], Vec::new()));
        let applied = Changes::of(&fewer, &stored).applied(&fewer, &stored);
        assert_eq!((applied.text("strike_days"), applied.all("sticky_roles")), ("60", vec!["2"]));
        let both = sent(&[("strike_days", "30"), roles[0], roles[1]]);
        assert_eq!(of(&both), (vec!["strike_days".to_owned()], vec!["strike_days".to_owned()]));
        let alike = sent(&[("strike_days", "60"), roles[0], roles[1]]);
        assert_eq!(of(&alike), (Vec::new(), Vec::new()));
    }
}
