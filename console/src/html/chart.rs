//! Charts as SVG, drawn on the server.

pub(crate) mod bars;
pub(crate) mod heat_map;
pub(crate) mod line;
pub(crate) mod trend;
