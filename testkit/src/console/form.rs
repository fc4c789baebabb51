//! The forms of a page, filled in as a person does: only existing fields, the others as the page has set
//! them.

use std::collections::BTreeMap;

use scraper::ElementRef;

use super::html::{all, attribute, text};

/// A form of a page.
#[derive(Debug)]
pub struct FoundForm {
    pub action: String,
    pub is_post: bool,
    /// What a browser sends without input: values of inputs and choices. Buttons are absent.
    pub fields: Vec<(String, String)>,
    /// Names of all fields, sent or not.
    names: Vec<String>,
    /// Names of fields that a person types or chooses from a list.
    pub typed: Vec<String>,
    /// The values of each list to choose from.
    choices: BTreeMap<String, Vec<String>>,
    pub buttons: Vec<Button>,
}

#[derive(Debug)]
pub struct Button {
    /// What a person reads on it, and what a screen reader says.
    pub label: String,
    is_disabled: bool,
    /// Name and value, if it has them.
    sends: Option<(String, String)>,
}

impl FoundForm {
    /// `path` is the address of the page, where a form without an action is sent.
    pub fn read(form: ElementRef<'_>, path: &str) -> Self {
        let mut found = Self {
            action: attribute(form, "action").unwrap_or_else(|| path.to_owned()),
            is_post: form.attr("method") == Some("post"),
            fields: Vec::new(),
            names: Vec::new(),
            typed: Vec::new(),
            choices: BTreeMap::new(),
            buttons: all(form, "button").into_iter().map(Button::read).collect(),
        };
        for control in all(form, "input[name], textarea[name], select[name]") {
            found.take(control);
        }
        found
    }

    fn take(&mut self, control: ElementRef<'_>) {
        let name = attribute(control, "name").unwrap();
        let value = match control.value().name() {
            "input" => input(control),
            "textarea" => Some(control.text().collect()),
            _ => {
                let values = all(control, "option").into_iter().map(value).collect();
                self.choices.insert(name.clone(), values);
                selected(control)
            }
        };
        let is_typed = !matches!(control.attr("type"), Some("hidden" | "checkbox" | "radio"));
        if is_typed && !self.typed.contains(&name) {
            self.typed.push(name.clone());
        }
        self.fields.extend(value.map(|value| (name.clone(), value)));
        self.names.push(name);
    }

    /// The fields with these in place of those of the same name.
    #[track_caller]
    pub fn filled(&self, typed: &[(&str, &str)]) -> Vec<(String, String)> {
        for (name, _) in typed {
            assert!(self.has_field(name), "no field {name} in {self:?}");
        }
        let kept = self.fields.iter().filter(|(name, _)| !typed.iter().any(|(other, _)| other == name));
        let typed = typed.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        kept.cloned().chain(typed).collect()
    }

    pub fn has_field(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// The values of a list to choose from; a field of another kind has none.
    pub fn choices(&self, name: &str) -> &[String] {
        self.choices.get(name).map_or(&[], Vec::as_slice)
    }

    /// The first button whose label contains this text.
    pub fn button(&self, text: &str) -> Option<&Button> {
        self.buttons.iter().find(|button| button.label.contains(text))
    }

    /// Name and value of a button that has them.
    #[track_caller]
    pub fn pressed(&self, text: &str) -> Option<(String, String)> {
        let button = self.button(text)?;
        assert!(!button.is_disabled, "{text:?} cannot be pressed: {self:?}");
        button.sends.clone()
    }
}

impl Button {
    fn read(button: ElementRef<'_>) -> Self {
        let said = button.attr("aria-label").unwrap_or_default();
        Self {
            label: format!("{} {said}", text(button)).trim_end().to_owned(),
            is_disabled: button.attr("disabled").is_some(),
            sends: attribute(button, "name").map(|name| (name, value(button))),
        }
    }
}

fn value(element: ElementRef<'_>) -> String {
    attribute(element, "value").unwrap_or_default()
}

/// `None`: a choice that is not made.
fn input(element: ElementRef<'_>) -> Option<String> {
    let is_choice = matches!(element.attr("type"), Some("checkbox" | "radio"));
    (!is_choice || element.attr("checked").is_some()).then(|| value(element))
}

/// The chosen option, or else the first one.
fn selected(list: ElementRef<'_>) -> Option<String> {
    let options = all(list, "option");
    let chosen = options.iter().find(|option| option.attr("selected").is_some()).or(options.first());
    chosen.copied().map(value)
}

#[test]
fn a_form_sends_what_the_page_has_set_and_what_is_typed() {
    let html = r#"<form method="post" action="/x"><input type="hidden" name="form_token" value="t">
        <input name="name" value="a &#38; b"><input type="checkbox" name="may" value="1" checked>
        <input type="checkbox" name="may" value="2"><select name="day"><option value="1">Mon</option>
        <option value="2" selected>Tue</option></select><textarea name="more">long</textarea>
        <button name="preview" value="yes">Look</button><button>Save</button></form>"#;
    let page = scraper::Html::parse_document(html);
    let form = FoundForm::read(all(page.root_element(), "form")[0], "/here");
    let sent = |typed: &[(&str, &str)]| {
        let fields = form.filled(typed);
        fields.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(sent(&[]), "form_token=t name=a & b may=1 day=2 more=long");
    assert_eq!(sent(&[("may", "2"), ("name", "")]), "form_token=t day=2 more=long may=2 name=");
    assert_eq!(form.pressed("Look"), Some(("preview".to_owned(), "yes".to_owned())));
    assert_eq!((form.pressed("Save"), form.is_post), (None, true));
    assert_eq!(form.choices("day"), ["1", "2"]);
}
