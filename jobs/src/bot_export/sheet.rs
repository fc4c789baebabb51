//! A file as lines of cells.

use super::column::Column;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sheet {
    /// Of the columns, as the file has them.
    pub names: Vec<String>,
    /// Without one the columns have names of ours, and what they hold says what they are.
    pub(super) has_head: bool,
    pub lines: Vec<SheetLine>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SheetLine {
    /// The number of the line in the file; in JSON that of the entry.
    pub number: u64,
    cells: Vec<String>,
}

impl SheetLine {
    pub(super) fn new(number: u64, cells: Vec<String>) -> Self {
        Self { number, cells }
    }

    /// Empty where the line has no such cell.
    pub fn cell(&self, place: usize) -> &str {
        self.cells.get(place).map_or("", String::as_str)
    }

    /// A cell behind the last one: JSON names a column where it first has it.
    pub(super) fn set(&mut self, place: usize, text: String) {
        if self.cells.len() <= place {
            self.cells.resize(place + 1, String::new());
        }
        self.cells[place] = text;
    }
}

impl Sheet {
    /// Where the columns are, of those that are wanted; the first one of each counts.
    pub fn places(&self, wanted: &[Column]) -> Vec<(Column, usize)> {
        let mut places: Vec<(Column, usize)> = Vec::new();
        for (place, name) in self.names.iter().enumerate() {
            let known: Vec<Column> = places.iter().map(|(column, _)| *column).collect();
            let is_new = |column: &Column| wanted.contains(column) && !known.contains(column);
            let column = if self.has_head {
                Column::named(name, self.first(place)).filter(is_new)
            } else {
                Column::holding(self.first(place)).into_iter().find(is_new)
            };
            places.extend(column.map(|column| (column, place)));
        }
        places
    }

    /// The first cell of a column that is not empty.
    fn first(&self, place: usize) -> &str {
        self.lines.iter().map(|line| line.cell(place)).find(|cell| !cell.is_empty()).unwrap_or_default()
    }
}
