//! Labels of the API's fields: the one place where a name such as `place_id` becomes words, for forms and for
//! the audit log.

use entities::binding::Kind;

use crate::values::binding_type;

/// The field, its label, and what to enter. Empty: the rule of the API is clear enough.
const FIELDS: [(&str, &str, &str); 139] = [
    ("accent", "Colour", "choose one from the list"),
    ("accept_role_id", "Role that an acceptance gives", "choose a role"),
    ("action_id", "Action number", ""),
    ("action_type", "Kind of action", ""),
    ("active", "Active", ""),
    ("added_roles", "Roles given", ""),
    ("allowed_privileged_roles", "Powerful roles", "choose roles of this Discord server"),
    ("answers", "Answers", ""),
    ("attempt", "Attempt", ""),
    ("author_id", "Written by", ""),
    ("banned", "Banned on Discord", ""),
    ("binding_ids", "Bindings", ""),
    ("bindings", "Bindings behind it", ""),
    ("body", "Note", ""),
    ("brake_percent", "Brake", "enter a number of percent from 1 to 100"),
    ("by", "Operator", ""),
    ("by_role", "By a role on Discord", ""),
    ("category_id", "Discord category", "choose a category"),
    ("cause", "Cause", ""),
    ("changed", "Changed", ""),
    ("channel_id", "Discord channel", "choose a channel"),
    ("chat_id", "Person", "enter a Discord id, a Roblox id or the name of a linked player"),
    ("created_at", "Created", ""),
    ("decided_at", "Decided", ""),
    ("decided_by", "Decided by", ""),
    ("decision_reason", "Word to the applicant", ""),
    ("delivery", "Delivery", ""),
    ("dry_run", "Preview only", ""),
    ("duration_seconds", "Length", "enter 1 second to 100 years"),
    ("ended", "Session that it ended", ""),
    ("ended_at", "Ended", ""),
    ("ended_how", "How it ended", ""),
    ("ends_at", "Last day", "choose a day"),
    ("error", "Error code", ""),
    ("events", "Events", "choose at least one"),
    ("every_minutes", "Automatic syncs", "choose one from the list"),
    ("expires_at", "Expires", "choose a day"),
    ("flagged_by", "Flagged by", ""),
    ("follow_bans", "Bans on Discord are also bans here", "choose yes or no"),
    ("group_id", "Roblox group", "enter the number from the address of the group"),
    ("group_role_id", "Role in the group", "choose a role of the group"),
    ("hot_path_factor", "Factor for game servers", ""),
    ("id", "Number", ""),
    ("identifier", "Person", "enter a Discord id, a Roblox id or the name of a linked player"),
    ("imported", "Imported", ""),
    ("issued_by", "Given by", ""),
    ("job_id", "Job", ""),
    ("join_channel", "Channel of the message to members who join", "choose a channel"),
    ("join_notice", "Message to members who join without a link", "choose one from the list"),
    ("joined_at", "Staff since", ""),
    ("kind", "Kind", "choose one from the list"),
    ("lifted", "Lifted", ""),
    ("lifted_by", "Lifted by", ""),
    ("link_banned", "Somebody who is banned here", "choose one from the list"),
    ("link_flagged", "Somebody on the Shield list", "choose one from the list"),
    ("link_message", "Message to members who have linked themselves", "enter at most 500 characters"),
    ("link_min_chat_days", "Smallest age of the Discord account", "enter a number of days from 0 to 3650"),
    ("link_min_play_days", "Smallest age of the Roblox account", "enter a number of days from 0 to 3650"),
    ("link_ways", "Ways to link", "choose from the list"),
    ("loa_id", "Leave", ""),
    ("made_by_an_earlier_run", "Made by an earlier attempt", ""),
    ("max_rank", "Highest rank of the range", "enter a number from 1 to 255"),
    ("max_removals", "Safety limit", "enter how many roles may be removed at most: digits only"),
    ("message", "Message", ""),
    ("metric", "What counts", "choose one from the list"),
    ("min_rank", "Lowest rank of the range", "enter a number from 1 to 255"),
    ("mirror_bans", "Bans are also bans on Discord", "choose yes or no"),
    ("mirror_bans_per_hour", "Bans of a key on Discord in an hour", "enter a number from 0 to 10,000"),
    ("mirror_state", "State on Discord", ""),
    ("moderator", "Moderator", ""),
    ("moved_to", "Moved to", ""),
    ("name", "Name", ""),
    ("new", "New", ""),
    ("new_key", "New key", ""),
    ("news", "News", "choose at least one kind"),
    ("nickname", "Nickname", ""),
    ("nickname_binding_id", "Binding that names the member", ""),
    ("nickname_bypass_roles", "Roles whose holders keep their nicknames", "choose at most 100 roles"),
    ("nickname_template", "Nickname template", ""),
    ("old_secret_until", "The old secret signs until", ""),
    ("open", "Takes applications", "choose yes or no"),
    ("operator", "May operate the instance", ""),
    ("overlap_seconds", "How long both are valid", "choose one from the list"),
    ("panel_id", "Panel", ""),
    ("parent", "Made by key", ""),
    ("period", "In which time", "choose one from the list"),
    ("permissions", "Rights in the console", "choose from the list"),
    ("place_id", "Place", "enter the number from the address of the Roblox game"),
    ("play_id", "Roblox id", "enter the number from the address of the player's profile"),
    (
        "play_permissions",
        "Rights in games",
        "use at most 50 words of lower-case letters, digits, dots, colons, dashes and underscores",
    ),
    ("play_username", "Roblox name", ""),
    ("priority", "Priority of the nickname", "enter a number from 0 to 1000"),
    ("questions", "Questions", ""),
    ("rank", "Rank", "choose a rank of the group, 0 to 255"),
    ("ranks", "Ranks in it", ""),
    ("ranks_before", "Ranks in it before", ""),
    ("reason", "Reason", "say why, in at most 1,000 characters"),
    ("removed_roles", "Roles taken", ""),
    ("replace", "Move the link", ""),
    ("requires_approval", "Needs approval", "choose yes or no"),
    ("result", "Result", ""),
    ("retried", "Tried again", ""),
    ("role_bypass_roles", "Roles whose holders keep their roles", "choose at most 100 roles"),
    ("role_id", "Role", "choose a role"),
    ("role_name", "Name of the role", ""),
    ("roles", "Roles", ""),
    ("scope", "For whom", "choose one from the list"),
    ("scopes", "What it may do", "choose at least one"),
    ("score_weights", "Points on the leaderboard", "enter whole numbers from 0 to 1,000"),
    ("server_id", "Game server", ""),
    ("servers", "Game servers", ""),
    ("session_id", "Session", ""),
    ("severity", "Severity", "enter a number from 1 to 10"),
    ("shield_writer", "May flag players", ""),
    ("skipped", "Skipped", ""),
    ("staff_by_role", "Staff by roles on Discord", ""),
    ("staff_id", "Staff member", "choose a staff member"),
    ("staff_role_ids", "Who sees the tickets", "choose from the list"),
    ("started_at", "Began", ""),
    ("starts_at", "First day", "choose a day"),
    ("state", "State", ""),
    ("status", "State", ""),
    ("sticky_roles", "Roles that no sync takes", "choose at most 100 roles"),
    ("strike_days", "Days until a strike expires", "enter a number from 1 to 3650"),
    ("submission_id", "Application", ""),
    ("submitted_at", "Sent", ""),
    ("target", "Number to reach", "enter a number, digits only"),
    ("target_id", "Target", "enter a Roblox id, or what the command acts on, in at most 200 characters"),
    ("text", "Comment", "enter a text of 1 to 1,000 characters"),
    ("time_zone", "Time zone", "choose one from the list, such as Europe/Berlin"),
    ("type", "Command", "enter a word that your game knows, such as kick: letters and digits"),
    ("unverified_role", "Role of members without a link", "choose a role"),
    ("updated_at", "Changed", ""),
    ("url", "URL", "enter an https address of a public host"),
    ("user_id", "Person", "enter a Discord id"),
    ("users", "Players", "enter one Roblox id and reason a line"),
    ("verified_at", "Linked", ""),
    ("verified_role", "Role of linked members", "choose a role"),
    ("week_start", "A week begins on", "choose a day of the week"),
];

/// Terms of the API, with those for people.
const TERMS: [(&str, &str); 6] = [
    ("a positive integer (or the same as a digit string) that fits 63 bits", "an id: digits only"),
    ("a string of decimal digits", "an id: digits only"),
    ("a string of", "a text of"),
    ("an integer", "a whole number"),
    ("an array of", "a list of"),
    ("true or false", "yes or no"),
];

/// Unknown names, such as those of custom audit entries, are only split into words.
pub fn label(field: &str) -> String {
    let known = FIELDS.iter().find(|(name, ..)| *name == field);
    known.map_or_else(|| capital(&field.replace('_', " ")), |(_, label, _)| (*label).to_owned())
}

/// A message of the API for the person at a form: fields by their labels, and what to enter.
pub fn plain(message: &str) -> String {
    let Some((field, rule)) = refused_value(message) else { return sentence(&labelled(message)) };
    let enter = FIELDS.iter().find(|(name, ..)| *name == field).map_or("", |(.., enter)| enter);
    let rule = TERMS.iter().fold(rule.to_owned(), |rule, (term, words)| rule.replace(term, words));
    let enter = if enter.is_empty() { format!("enter {rule}") } else { enter.to_owned() };
    sentence(&format!("{}: {enter}", label(field)))
}

/// The field and the rule of "`rank` must be an integer; sent: 7" and "`rank` is missing; it must be an integer".
fn refused_value(message: &str) -> Option<(&str, &str)> {
    let (field, rest) = message.strip_prefix('`')?.split_once("` ")?;
    let missing = rest.strip_prefix("is missing; it must be ");
    let refused = rest.split_once("; sent: ").and_then(|(rule, _)| rule.strip_prefix("must be "));
    Some((field.split(['[', '.']).next()?, missing.or(refused)?))
}

/// Names in backticks become words.
fn labelled(message: &str) -> String {
    let parts = message.split('`').enumerate();
    parts.map(|(n, part)| if n % 2 == 1 { named(part) } else { of_people(part) }).collect()
}

/// A text of the API or of a job with "server" for "guild", as people call it.
pub fn of_people(text: &str) -> String {
    let is_end = |rest: &&str| !rest.trim_start_matches('s').contains(char::is_alphanumeric);
    let word = |part: &str| match part.strip_prefix("guild").filter(is_end) {
        Some(rest) => format!("server{rest}"),
        None => part.to_owned(),
    };
    text.split_inclusive(|c: char| !c.is_alphanumeric()).map(word).collect()
}

/// A field, or a type of bindings as forms offer it.
fn named(name: &str) -> String {
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
    kind.map_or_else(|| label(name), |kind| format!("\"{}\"", binding_type(kind)))
}

fn sentence(text: &str) -> String {
    let end = if text.ends_with(['.', '?', ':']) { "" } else { "." };
    capital(text) + end
}

pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_the_api_say_what_to_enter() {
        let said = [
            (
                "`place_id` must be a positive integer; sent: \"x; sent: `y`\"",
                "Place: enter the number from the address of the Roblox game.",
            ),
            (
                "`rank` is missing; it must be an integer from 0 to 255",
                "Rank: choose a rank of the group, 0 to 255.",
            ),
            (
                "`name` must be a string of 1 to 100 characters; sent: 7",
                "Name: enter a text of 1 to 100 characters.",
            ),
            ("`users[2]` must be an object; sent: 1", "Players: enter one Roblox id and reason a line."),
            ("`ends_at` must be after `starts_at`", "Last day must be after First day."),
            (
                "the guild has a panel with this `panel_id` already",
                "The server has a panel with this Panel already.",
            ),
            ("this guild's bot left 2 guilds of guildhall", "This server's bot left 2 servers of guildhall."),
            ("somebody is banned.", "Somebody is banned."),
            (
                "`rank` is missing: bindings of type `group_rank` need it",
                "Rank is missing: bindings of type \"Members with one rank in the group\" need it.",
            ),
        ];
        for (message, words) in said {
            assert_eq!(plain(message), words);
        }
    }

    #[test]
    fn every_field_has_a_label_once() {
        assert!(FIELDS.is_sorted_by(|a, b| a.0 < b.0), "in the order of the alphabet");
        assert_eq!((label("place_id"), label("item_colour")), ("Place".to_owned(), "Item colour".to_owned()));
    }
}
