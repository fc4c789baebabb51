//! An export of links.

use super::column::Column;
use super::sheet::Sheet;

/// A file as it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Export {
    /// Names of columns that were not recognized.
    pub ignored: Vec<String>,
    pub lines: Vec<Line>,
}

/// A link; empty texts are absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    pub number: u64,
    pub chat_id: String,
    pub play_id: String,
    pub play_username: String,
    pub verified_at: String,
}

impl Export {
    /// The columns by their usual names. The error names what is missing.
    pub fn of(sheet: &Sheet) -> Result<Self, String> {
        let places = sheet.places(&Column::OF_LINKS);
        let has = |column| places.iter().any(|(found, _)| *found == column);
        if !has(Column::Chat) {
            return Err("line 1 names no column of Discord ids".to_owned());
        }
        if !has(Column::Play) && !has(Column::Name) {
            return Err("line 1 names no column of Roblox ids or names".to_owned());
        }
        let ignored = sheet.names.iter().enumerate();
        let ignored = ignored.filter(|(place, _)| places.iter().all(|(_, known)| known != place));
        let ignored = ignored.map(|(_, name)| name.clone()).collect();
        Ok(Self { ignored, lines: Line::all(sheet, &places) })
    }
}

impl Line {
    pub fn all(sheet: &Sheet, places: &[(Column, usize)]) -> Vec<Self> {
        let line = |line: &super::sheet::SheetLine| {
            let cell = |column| {
                let place = places.iter().find(|(found, _)| *found == column);
                place.map_or_else(String::new, |(_, place)| line.cell(*place).to_owned())
            };
            Self {
                number: line.number,
                chat_id: cell(Column::Chat),
                play_id: cell(Column::Play),
                play_username: cell(Column::Name),
                verified_at: cell(Column::VerifiedAt),
            }
        };
        sheet.lines.iter().map(line).collect()
    }
}
