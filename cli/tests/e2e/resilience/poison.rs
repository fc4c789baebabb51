//! Jobs that crash or overload their process: other jobs, their end, and their retry.

mod huge;
mod kills;
