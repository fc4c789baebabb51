//! The button with which people apply: its id, which the job that posts it and the command behind it share.

use std::fmt;
use std::str::FromStr;

use entities::PanelId;
use entities::application_panel::Model;

/// The command that answers the button.
pub const COMMAND: &str = "apply";

/// `apply:7:1767225600`. A later panel of the same number has another id.
pub fn id(panel: &Model) -> String {
    format!("{COMMAND}:{}", Of::from(panel))
}

/// The panel that a button names: its number, and when it was made, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Of {
    pub panel: PanelId,
    made: i64,
}

impl fmt::Display for Of {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.panel, self.made)
    }
}

impl From<&Model> for Of {
    fn from(panel: &Model) -> Self {
        Self { panel: panel.panel_id, made: panel.created_at.timestamp() }
    }
}

impl FromStr for Of {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (panel, made) = text.split_once(':').ok_or(())?;
        Ok(Self { panel: panel.parse().map_err(|_| ())?, made: made.parse().map_err(|_| ())? })
    }
}
