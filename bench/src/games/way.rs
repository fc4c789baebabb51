/// How a server learns who is banned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Way {
    /// Asks for each player once a minute, and polls commands each 5 s
    Hand,
    /// Follows the list of bans each 15 s, and polls commands each 5 s
    Lists,
    /// Sends ticks
    Tick,
    /// Sends ticks that are held until something happens
    Held,
    /// Runs the SDK, in Luau
    Sdk,
}
