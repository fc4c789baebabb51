//! What the columns of exports are, and the names by which they are recognized.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    Chat,
    Play,
    Name,
    /// When a link was made.
    VerifiedAt,
    /// Of a ban.
    Reason,
    End,
    Moderator,
    /// When a ban was made.
    BannedAt,
}

impl Column {
    pub const OF_LINKS: [Self; 4] = [Self::Chat, Self::Play, Self::Name, Self::VerifiedAt];
    pub const OF_BANS: [Self; 7] =
        [Self::Chat, Self::Play, Self::Name, Self::Reason, Self::End, Self::Moderator, Self::BannedAt];

    /// By the name of a column or key: case and punctuation do not matter. A name that says nothing of the platform is
    /// decided by what the column holds.
    pub(super) fn named(name: &str, cell: &str) -> Option<Self> {
        let plain: String =
            name.chars().filter(char::is_ascii_alphanumeric).map(|char| char.to_ascii_lowercase()).collect();
        match plain.as_str() {
            "chatid" | "discord" | "discordid" | "discorduserid" | "memberid" => Some(Self::Chat),
            "playid" | "roblox" | "robloxid" | "robloxuserid" | "playerid" => Some(Self::Play),
            "playusername" | "robloxname" | "robloxusername" | "username" | "player" | "playername" => {
                Some(Self::Name)
            }
            "userid" if cell.is_empty() => Some(Self::Chat),
            "userid" | "user" | "id" | "identifier" | "target" | "targetid" | "thekeys" | "thevalues" => {
                Self::holding(cell).first().copied()
            }
            "verifiedat" => Some(Self::VerifiedAt),
            "reason" | "banreason" | "note" | "comment" => Some(Self::Reason),
            "expires" | "expiresat" | "expiry" | "expiration" | "until" | "end" | "ends" | "endsat"
            | "enddate" | "unbanat" | "banneduntil" => Some(Self::End),
            "moderator" | "moderatorid" | "mod" | "modid" | "bannedby" | "issuedby" | "staff" | "staffid"
            | "admin" | "adminid" | "author" | "authorid" => Some(Self::Moderator),
            "bannedat" | "createdat" | "issuedat" | "date" | "time" | "timestamp" => Some(Self::BannedAt),
            _ => None,
        }
    }

    /// By the content of a cell, where no name says it: ids of the chat platform are the longest.
    pub(super) fn holding(cell: &str) -> Vec<Self> {
        let is_number = !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit());
        match cell.len() {
            15.. if is_number => vec![Self::Chat, Self::Moderator],
            _ if is_number => vec![Self::Play],
            _ if cell.contains(char::is_whitespace) => vec![Self::Reason, Self::Name],
            _ => vec![Self::Name, Self::Reason],
        }
    }
}
