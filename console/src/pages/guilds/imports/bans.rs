//! /console/guilds/:guild/imports/bans: bans that another bot has exported. What each line would do is shown before anybody is
//! banned.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};
use entities::Timestamp;
use jobs::bot_export::{Column, SheetLine};
use serde_json::Value;

use super::columns::{Columns, OF_BANS};
use super::shown::{Kind, Line, Row, empty, import};
use crate::html::form::Form;
use crate::html::format::exact;
use crate::html::shell::Place;
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

static KIND: Kind = Kind {
    title: "Import bans",
    about: "Bans that another bot has exported, for every game. Before anybody is banned you see what each line does.",
    hint: "A line for each ban, with the Roblox id or name, or the Discord id; also reason, end, moderator and date: CSV with or without names of columns, or JSON. Up to 1,000.",
    page: "/imports/bans",
    path: "bans",
    place: Place::Moderation,
    wanted: &OF_BANS,
    button: ("Ban", "person"),
    choice: None,
    call: "/moderation/{g}/bans/import",
    lines: "bans",
    writes: &["banned"],
    missing,
    sent,
    row,
    follows: |visit| {
        if visit.guild.mirror_bans {
            "The bans go to Discord too, one after the other."
        } else {
            "By the settings of this server they do not go to Discord."
        }
    },
};

/// What exports write for no end.
const NO_END: [&str; 9] = ["never", "permanent", "perm", "forever", "none", "null", "0", "-1", "-"];

#[expect(clippy::unused_async, reason = "all pages have one form")]
pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    empty(&visit, &KIND, Form::default())
}

pub(crate) async fn post(visit: GuildVisit) -> Result<Response, PageError> {
    import(&visit, &KIND).await
}

fn missing(columns: &Columns) -> Option<(&'static str, &'static str)> {
    let named = [Column::Play, Column::Name, Column::Chat].into_iter().any(|column| columns.has(column));
    let problem = "Choose the column that says who is banned: Roblox ids, Roblox names or Discord ids.";
    (!named).then_some(("column_play", problem))
}

fn sent(columns: &Columns, line: &SheetLine) -> Value {
    let field = |(column, _, _, name): &(Column, &str, &str, &str)| {
        let cell = columns.cell(line, *column);
        let cell = match column {
            Column::End if NO_END.contains(&cell.to_lowercase().as_str()) => String::new(),
            // What is no time stays as it is, and the answer says so.
            Column::End | Column::BannedAt => {
                time(cell).map_or_else(|| cell.to_owned(), |at| at.to_rfc3339())
            }
            _ => cell.to_owned(),
        };
        ((*name).to_owned(), Value::from(cell))
    };
    Value::Object(OF_BANS.iter().map(field).collect())
}

/// RFC 3339, a day or a time in UTC, or seconds or milliseconds since 1970.
fn time(cell: &str) -> Option<Timestamp> {
    if let Ok(number) = cell.parse::<i64>() {
        return if cell.len() > 11 {
            DateTime::from_timestamp_millis(number)
        } else {
            DateTime::from_timestamp(number, 0)
        };
    }
    let utc = |time: NaiveDateTime| time.and_utc();
    let day = || Some(utc(cell.parse::<NaiveDate>().ok()?.and_time(NaiveTime::MIN)));
    let plain = || NaiveDateTime::parse_from_str(cell, "%Y-%m-%d %H:%M:%S").ok().map(utc);
    cell.parse().ok().or_else(day).or_else(plain).or_else(|| cell.parse::<NaiveDateTime>().ok().map(utc))
}

fn row(line: &Line<'_>) -> Row {
    let mark = match (line.text("result"), line.done) {
        ("banned", true) => ("good", "banned"),
        ("banned", false) => ("good", "will be banned"),
        ("already_banned", _) => ("quiet", "banned already"),
        ("protected", _) => ("warning", "protected"),
        ("ended", _) => ("warning", "ended already"),
        ("duplicate", _) => ("warning", "named by a line before"),
        ("unknown_player", _) => ("bad", "unknown to Roblox"),
        _ => ("bad", "cannot be read"),
    };
    let why = match (line.text("result"), line.text("field")) {
        ("protected", _) => "This is your own account or that of a staff member.".to_owned(),
        (_, "") => String::new(),
        (_, field @ "chat_id") => line.fault(field, "No Discord id: those have digits only."),
        (_, field @ "play_id") => line.fault(field, "No Roblox id: those have digits only."),
        (_, field @ "play_username") => line.fault(field, "No Roblox name."),
        (_, field @ "reason") => line.fault(field, "At most 1,000 characters."),
        (_, field @ "moderator_id") => {
            line.fault(field, "No id of a moderator. Choose \"not in the file\" to leave it out.")
        }
        (_, field) => line.fault(field, "No time such as 2030-04-12 or 2030-04-12T18:33:21Z."),
    };
    let end = line.text("expires_at").parse().ok();
    let end = end.map_or_else(|| "permanent".to_owned(), |at| format!("until {}", exact(at)));
    let reason = line.columns.cell(line.line, Column::Reason);
    line.row(mark, why, if reason.is_empty() { end } else { format!("{reason} ({end})") })
}

#[cfg(test)]
mod tests {
    use jobs::bot_export::Sheet;

    use super::*;

    #[test]
    fn times_of_exports_are_read() {
        let expected: Timestamp = "2030-04-12T00:00:00Z".parse().unwrap();
        for text in [
            "2030-04-12",
            "2030-04-12 00:00:00",
            "2030-04-12T00:00:00",
            "2030-04-12T02:00:00+02:00",
            "1902182400",
            "1902182400000",
        ] {
            assert_eq!(time(text), Some(expected), "{text}");
        }
        for text in ["", "soon", "12.04.2030", "2030-13-01"] {
            assert_eq!(time(text), None, "{text}");
        }
    }

    #[test]
    fn no_end_is_permanent_and_what_is_no_time_is_left_to_the_api() {
        let sheet = Sheet::read(b"user_id,until\n156,Permanent\n157,soon\n158,2030-04-12\n").unwrap();
        let columns = Columns::read(&sheet, &OF_BANS, &crate::fields::Fields::default());
        let ends: Vec<_> =
            sheet.lines.iter().map(|line| sent(&columns, line)["expires_at"].clone()).collect();
        assert_eq!(ends, ["", "soon", "2030-04-12T00:00:00+00:00"]);
    }
}
