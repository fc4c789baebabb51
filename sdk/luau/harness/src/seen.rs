//! What the platform says about a server, and what happened there.

/// What the platform says about a server.
#[derive(Debug, Clone)]
pub struct Place {
    pub job: String,
    pub place: i64,
    pub universe: i64,
    pub studio: bool,
    /// What `HttpService:GetSecret("guildhall")` gives.
    pub secret: String,
}

/// What happened in a server, with the virtual time.
#[derive(Debug, Default, Clone)]
pub struct Seen {
    pub kicked: Vec<(i64, String, f64)>,
    /// Whose character entered the world.
    pub loaded: Vec<(i64, f64)>,
    pub warned: Vec<String>,
    pub printed: Vec<String>,
    /// Errors that no script caught: faults of the SDK or of the test's script.
    pub failed: Vec<String>,
    /// Requests that the platform refused, because there were too many.
    pub over_budget: usize,
    /// `Some(false)`: a `BindToClose` handler was cut off.
    pub closed: Option<bool>,
}
