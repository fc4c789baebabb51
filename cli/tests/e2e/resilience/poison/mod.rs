//! Jobs that hurt whoever runs them: what they cost their neighbours, how they end, and how they are run again.

mod huge;
mod kills;
