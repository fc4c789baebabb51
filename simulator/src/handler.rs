//! What a route does with a request.

use std::pin::Pin;

use crate::reply::Reply;
use crate::route::{Input, Route};
use crate::simulator::Simulator;

/// A reply that depends on the application's answer to a request of the platform.
pub(crate) type Pending<'a> = Pin<Box<dyn Future<Output = Reply> + Send + 'a>>;

pub(crate) enum Handler {
    Answers(fn(&Simulator, &Input) -> Reply),
    Calls(for<'a> fn(&'a Simulator, &'a Input) -> Pending<'a>),
}

impl Handler {
    pub(crate) async fn serve(&self, simulator: &Simulator, input: &Input) -> Reply {
        match self {
            Self::Answers(answer) => answer(simulator, input),
            Self::Calls(call) => call(simulator, input).await,
        }
    }
}

pub(crate) struct Endpoint {
    pub(crate) route: Route,
    pub(crate) handler: Handler,
}
