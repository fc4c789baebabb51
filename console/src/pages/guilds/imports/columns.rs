//! Which column of a file is what: recognized by its name, or chosen.

use jobs::bot_export::{Column, Sheet, SheetLine};

use crate::fields::Fields;
use crate::html::choice::Choice;

/// What an import reads: the field of the form, its label, and the field of the API.
pub(super) type Wanted = (Column, &'static str, &'static str, &'static str);

pub(super) const OF_LINKS: [Wanted; 3] = [
    (Column::Chat, "column_chat", "Discord id", "chat_id"),
    (Column::Play, "column_play", "Roblox id", "play_id"),
    (Column::Name, "column_name", "Roblox name", "play_username"),
];

pub(super) const OF_BANS: [Wanted; 7] = [
    (Column::Play, "column_play", "Roblox id", "play_id"),
    (Column::Name, "column_name", "Roblox name", "play_username"),
    (Column::Chat, "column_chat", "Discord id", "chat_id"),
    (Column::Reason, "column_reason", "Reason", "reason"),
    (Column::End, "column_end", "End", "expires_at"),
    (Column::Moderator, "column_moderator", "Moderator's id", "moderator_id"),
    (Column::BannedAt, "column_banned_at", "When they were banned", "banned_at"),
];

/// The places of the columns in a file.
pub(super) struct Columns {
    wanted: &'static [Wanted],
    places: Vec<(Column, usize)>,
}

impl Columns {
    /// As the form says; a form that was not shown with them leaves it to their names.
    pub(super) fn read(sheet: &Sheet, wanted: &'static [Wanted], form: &Fields) -> Self {
        let places = if form.has("columns") {
            let chosen = wanted.iter().filter_map(|(column, field, ..)| Some((*column, form.read(field)?)));
            chosen.filter(|(_, place)| *place < sheet.names.len()).collect()
        } else {
            sheet.places(&wanted.iter().map(|(column, ..)| *column).collect::<Vec<_>>())
        };
        Self { wanted, places }
    }

    pub(super) fn place(&self, column: Column) -> Option<usize> {
        self.places.iter().find(|(found, _)| *found == column).map(|(_, place)| *place)
    }

    pub(super) fn has(&self, column: Column) -> bool {
        self.place(column).is_some()
    }

    pub(super) fn cell<'a>(&self, line: &'a SheetLine, column: Column) -> &'a str {
        self.place(column).map_or("", |place| line.cell(place))
    }

    /// The name that the file has for a field of the API.
    pub(super) fn name<'a>(&self, sheet: &'a Sheet, field: &str) -> &'a str {
        let column = self.wanted.iter().find(|(.., of_api)| *of_api == field).map(|(column, ..)| *column);
        let name = column.and_then(|column| sheet.names.get(self.place(column)?));
        name.map_or("", String::as_str)
    }

    /// The form with these choices in its lists.
    pub(super) fn chosen(&self, form: &Fields) -> Fields {
        self.wanted.iter().fold(form.and("columns", "yes"), |form, (column, field, ..)| {
            form.and(field, &self.place(*column).map_or_else(String::new, |place| place.to_string()))
        })
    }

    /// A text by which other choices are told from these.
    pub(super) fn mark(&self) -> String {
        let places = self.wanted.iter().map(|(column, ..)| self.place(*column));
        places
            .map(|place| place.map_or_else(String::new, |place| place.to_string()))
            .collect::<Vec<_>>()
            .join(",")
    }
}

pub(super) fn choices(sheet: &Sheet) -> Vec<Choice> {
    let none = Choice::new(String::new(), "not in the file");
    let named = sheet.names.iter().enumerate();
    std::iter::once(none).chain(named.map(|(place, name)| Choice::new(place.to_string(), name))).collect()
}
