//! What a person sees in answer: text, cards, buttons, a form. Nobody is pinged, and names cannot format the text.

use people::chat_text::cut;
pub(crate) use people::chat_text::plain;
use serde_json::{Value, json};

use crate::interaction::EPHEMERAL;

/// The platform's limit of a message's text, characters.
const MOST_LETTERS: usize = 2_000;
/// A component that holds a row of buttons.
const ROW: u8 = 1;
const BUTTON: u8 = 2;
/// The style of a link; the others change something.
const LINK: u8 = 5;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Message {
    text: String,
    cards: Vec<Card>,
    /// In one row, at most five.
    buttons: Vec<Button>,
    is_public: bool,
}

/// An account, with its picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Card {
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) url: Option<String>,
    pub(crate) picture: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Primary = 1,
    Secondary = 2,
    Danger = 4,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Button {
    Press { style: Style, label: String, id: String },
    Open { label: String, url: String },
}

impl Message {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub(crate) fn card(mut self, card: Card) -> Self {
        self.cards.push(card);
        self
    }

    /// `id`: the command, then what it is about.
    pub(crate) fn button(mut self, style: Style, label: impl Into<String>, id: impl Into<String>) -> Self {
        self.buttons.push(Button::Press { style, label: label.into(), id: id.into() });
        self
    }

    /// Without an address there is no button.
    pub(crate) fn link(mut self, label: impl Into<String>, url: Option<String>) -> Self {
        self.buttons.extend(url.map(|url| Button::Open { label: label.into(), url }));
        self
    }

    /// For all people in the channel.
    pub(crate) fn public(self) -> Self {
        Self { is_public: true, ..self }
    }

    /// As the platform takes it. Parts that are not there are empty, so that they vanish from a message that this replaces.
    pub(crate) fn json(&self) -> Value {
        let rows = if self.buttons.is_empty() {
            Vec::new()
        } else {
            vec![
                json!({ "type": ROW, "components": self.buttons.iter().map(Button::json).collect::<Vec<_>>() }),
            ]
        };
        json!({
            "content": cut(&self.text, MOST_LETTERS),
            "embeds": self.cards.iter().map(Card::json).collect::<Vec<_>>(),
            "components": rows,
            "flags": if self.is_public { 0 } else { EPHEMERAL },
            "allowed_mentions": { "parse": [] },
        })
    }
}

impl Card {
    fn json(&self) -> Value {
        let mut card = json!({ "title": self.title, "description": self.text });
        if let Some(url) = &self.url {
            card["url"] = json!(url);
        }
        if let Some(picture) = &self.picture {
            card["thumbnail"] = json!({ "url": picture });
        }
        card
    }
}

impl Button {
    fn json(&self) -> Value {
        match self {
            Self::Press { style, label, id } => {
                json!({ "type": BUTTON, "style": *style as u8, "label": cut(label, 80), "custom_id": id })
            }
            Self::Open { label, url } => {
                json!({ "type": BUTTON, "style": LINK, "label": cut(label, 80), "url": url })
            }
        }
    }
}

/// "3 members"
pub(crate) fn count(number: i64, one: &str) -> String {
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}

/// At a moment, in the reader's own zone and language.
pub(crate) fn moment(at: entities::Timestamp) -> String {
    format!("<t:{}:D>", at.timestamp())
}

/// The same, from now on: "in 3 days".
pub(crate) fn from_now(at: entities::Timestamp) -> String {
    format!("<t:{}:R>", at.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_what_the_platform_takes() {
        let message = Message::new("x".repeat(3_000))
            .button(Style::Danger, "Unlink", "unlink:yes")
            .link("Page", Some("https://a.example.org".to_owned()))
            .link("None", None);
        let json = message.json();
        assert_eq!(json["content"].as_str().unwrap().chars().count(), 2_000);
        assert_eq!((&json["flags"], &json["allowed_mentions"]["parse"]), (&json!(64), &json!([])));
        let row = &json["components"][0]["components"];
        assert_eq!(row.as_array().unwrap().len(), 2);
        assert_eq!((&row[0]["style"], &row[1]["style"]), (&json!(4), &json!(5)));
        assert_eq!(Message::new("a").public().json()["flags"], 0);
        assert_eq!(Message::new("a").json()["components"], json!([]));
    }

    #[test]
    fn a_count_has_its_plural() {
        assert_eq!([count(1, "role"), count(2, "role")], ["1 role", "2 roles"]);
    }
}
