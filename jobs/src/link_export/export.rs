//! What an export has, and the names by which its columns are recognized.

/// A file as it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Export {
    /// What was recognized, in the order of the file, with the name that the file has for it.
    pub columns: Vec<(Column, String)>,
    /// Names of other columns.
    pub ignored: Vec<String>,
    pub lines: Vec<Line>,
}

/// A link; empty texts are absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// The number of the line in the file; in JSON that of the entry.
    pub number: u64,
    pub chat_id: String,
    pub play_id: String,
    pub play_username: String,
    pub verified_at: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    Chat,
    Play,
    Name,
    VerifiedAt,
}

impl Column {
    /// By the name of a column or key: case and punctuation do not matter.
    pub(super) fn named(name: &str) -> Option<Self> {
        let plain: String =
            name.chars().filter(char::is_ascii_alphanumeric).map(|char| char.to_ascii_lowercase()).collect();
        match plain.as_str() {
            "chatid" | "discord" | "discordid" | "discorduserid" | "memberid" | "userid" => Some(Self::Chat),
            "playid" | "roblox" | "robloxid" | "robloxuserid" => Some(Self::Play),
            "playusername" | "robloxname" | "robloxusername" | "username" => Some(Self::Name),
            "verifiedat" => Some(Self::VerifiedAt),
            _ => None,
        }
    }

    /// By the content of a cell, where no name says it: ids of the chat platform are the longest.
    pub(super) fn holding(cell: &str) -> Self {
        let is_number = !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit());
        match cell.len() {
            15.. if is_number => Self::Chat,
            _ if is_number => Self::Play,
            _ => Self::Name,
        }
    }
}

impl Line {
    pub(super) fn set(&mut self, column: Column, text: String) {
        let cell = match column {
            Column::Chat => &mut self.chat_id,
            Column::Play => &mut self.play_id,
            Column::Name => &mut self.play_username,
            Column::VerifiedAt => &mut self.verified_at,
        };
        *cell = text;
    }
}
