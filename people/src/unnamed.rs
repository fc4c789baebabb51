//! Persons whose name is not known.

use entities::{ChatId, Subject};

pub fn unnamed(subject: Subject) -> String {
    match subject {
        Subject::Chat(ChatId::SYSTEM) => "The system".to_owned(),
        Subject::Chat(chat) => format!("Discord {chat}"),
        Subject::Play(play) => format!("Roblox {play}"),
    }
}
