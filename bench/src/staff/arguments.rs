//! The arguments of `bench staff`.

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[arg(long, default_value_t = 200)]
    pub(super) staff: u32,
    #[arg(long, default_value_t = 1_000_000)]
    pub(super) actions: u32,
    #[arg(long, default_value_t = 100_000)]
    pub(super) sessions: u32,
    /// Times each answer is put together; the median is told
    #[arg(long, default_value_t = 20)]
    pub(super) rounds: usize,
    /// Also print the plan of every query
    #[arg(long)]
    pub(super) explain: bool,
}
