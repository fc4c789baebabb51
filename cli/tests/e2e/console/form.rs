//! The forms of a page, filled in as a person does: only existing fields, the others as the page has set
//! them.

use super::page::{attributes, decoded};

/// A form of a page.
#[derive(Debug)]
pub(crate) struct FoundForm {
    pub(crate) action: String,
    pub(crate) is_post: bool,
    /// What a browser sends without input: values of inputs and choices. Buttons are absent.
    pub(crate) fields: Vec<(String, String)>,
    /// Names of all fields, sent or not.
    names: Vec<String>,
    /// Names of fields that a person types or chooses from a list.
    pub(super) typed: Vec<String>,
    pub(crate) html: String,
}

impl FoundForm {
    /// `path` is the address of the page, where a form without an action is sent.
    pub(super) fn read(html: &str, path: &str) -> Self {
        let head = html.split('>').next().unwrap();
        let action = attributes(head, "action").next().map_or_else(|| path.to_owned(), |url| decoded(&url));
        let (mut names, mut typed, mut fields) = (Vec::new(), Vec::new(), Vec::new());
        for control in html.split('<') {
            let Some((tag, rest)) = control.split_once([' ', '>']) else { continue };
            let head = rest.split('>').next().unwrap();
            let Some(name) = attributes(control.split('>').next().unwrap(), "name").next() else { continue };
            let value = match tag {
                "input" => input(head),
                "textarea" => control.split_once('>').map(|(_, text)| decoded(text)),
                "select" => selected(html, &name),
                _ => continue,
            };
            let ticked =
                ["hidden", "checkbox", "radio"].map(|kind| head.contains(&format!("type=\"{kind}\"")));
            if !ticked.contains(&true) && !typed.contains(&name) {
                typed.push(name.clone());
            }
            fields.extend(value.map(|value| (name.clone(), value)));
            names.push(name);
        }
        Self {
            action,
            is_post: head.contains("method=\"post\""),
            fields,
            names,
            typed,
            html: html.to_owned(),
        }
    }

    /// The fields with these in place of those of the same name.
    #[track_caller]
    pub(super) fn filled(&self, typed: &[(&str, &str)]) -> Vec<(String, String)> {
        for (name, _) in typed {
            assert!(self.names.iter().any(|known| known == name), "no field {name} in {}", self.html);
        }
        let kept = self.fields.iter().filter(|(name, _)| !typed.iter().any(|(other, _)| other == name));
        let typed = typed.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        kept.cloned().chain(typed).collect()
    }

    /// The values of a list to choose from; a field of another kind has none.
    pub(super) fn choices(&self, name: &str) -> Vec<String> {
        let Some((_, rest)) = self.html.split_once(&format!("<select id=\"{name}\"")) else {
            return Vec::new();
        };
        let list = rest.split("</select>").next().unwrap();
        attributes(list, "value").map(|value| decoded(&value)).collect()
    }

    /// The tag of the button with this text, and its label.
    fn button(&self, text: &str) -> Option<&str> {
        let mut buttons =
            self.html.split("<button").skip(1).map(|rest| rest.split("</button").next().unwrap());
        buttons.find(|button| decoded(button).contains(text))
    }

    pub(super) fn has_button(&self, text: &str) -> bool {
        self.button(text).is_some()
    }

    /// Name and value of a button that has them.
    #[track_caller]
    pub(super) fn pressed(&self, text: &str) -> Option<(String, String)> {
        let head = self.button(text)?.split('>').next().unwrap();
        assert!(!head.contains(" disabled"), "{text:?} cannot be pressed: {}", self.html);
        let value = attributes(head, "value").next().unwrap_or_default();
        attributes(head, "name").next().map(|name| (name, decoded(&value)))
    }
}

/// `None`: a choice that is not made.
fn input(head: &str) -> Option<String> {
    let choice = head.contains("type=\"checkbox\"") || head.contains("type=\"radio\"");
    let value = decoded(&attributes(head, "value").next().unwrap_or_default());
    (!choice || head.contains(" checked")).then_some(value)
}

/// The chosen option, or else the first one.
fn selected(html: &str, name: &str) -> Option<String> {
    let (_, rest) = html.split_once(&format!("name=\"{name}\""))?;
    let options: Vec<_> = rest.split("</select>").next()?.split("<option").skip(1).collect();
    let head = |option: &&&str| option.split('>').next().unwrap().contains(" selected");
    let chosen = options.iter().find(head).or(options.first())?;
    attributes(chosen, "value").next().map(|value| decoded(&value))
}

#[test]
fn a_form_sends_what_the_page_has_set_and_what_is_typed() {
    let html = r#" method="post" action="/x"><input type="hidden" name="form_token" value="t">
        <input name="name" value="a &#38; b"><input type="checkbox" name="may" value="1" checked>
        <input type="checkbox" name="may" value="2"><select name="day"><option value="1">Mon</option>
        <option value="2" selected>Tue</option></select><textarea name="more">long</textarea>
        <button name="preview" value="yes">Look</button><button>Save</button>"#;
    let form = FoundForm::read(html, "/here");
    let sent = |typed: &[(&str, &str)]| {
        let fields = form.filled(typed);
        fields.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(sent(&[]), "form_token=t name=a & b may=1 day=2 more=long");
    assert_eq!(sent(&[("may", "2"), ("name", "")]), "form_token=t day=2 more=long may=2 name=");
    assert_eq!(form.pressed("Look"), Some(("preview".to_owned(), "yes".to_owned())));
    assert_eq!((form.pressed("Save"), form.is_post), (None, true));
}
