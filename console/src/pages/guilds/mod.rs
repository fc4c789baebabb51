//! Pages of one guild, below `/console/guilds/:guild`.

pub(crate) mod bindings;
pub(crate) mod overview;
