//! Processes that abort at a fail point, as from `kill -9`.

mod publishing;
mod running;
mod takeover;
