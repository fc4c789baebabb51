//! Processes that die, freeze or are asked to stop at the worst moments: at the fail points of `runtime::fail_point`, and
//! by signals. Each test looks at what the caller saw, what the row says right after, and what happened in the end.

mod armed;
mod deed;
mod kills;
mod leases;
