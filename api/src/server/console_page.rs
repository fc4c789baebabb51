//! Pages of the console, from the request to the response.

use std::sync::Arc;

use bytes::Bytes;
use console::Console;
use http::Response;

use crate::request::bodies::{self, BodyStream};
use crate::state::State;

/// Marks a response as a refusal that its client could repeat without end: it is delayed, as 401 and 429 are.
#[derive(Clone, Copy)]
pub(super) struct Refused;

/// A form is read only after all other checks. There is no envelope: errors are pages.
pub(super) async fn answer(
    state: &State,
    console: &Arc<Console>,
    request: console::Request,
    body: BodyStream,
) -> Response<console::Body> {
    let headers = request.headers.clone();
    let admitted = match console.admit(request).await {
        Ok(admitted) => admitted,
        Err(page) => {
            bodies::skip(body, &headers).await;
            return refused(page);
        }
    };
    let form = match admitted.form_limit() {
        Some(limit) => {
            let body = bodies::of_fields(body, console::MOST_FIELDS);
            let read = state.bodies.read(body, &headers, limit, admitted.owner()).await;
            read.map_err(|error| {
                let parts = error.parts();
                console::Unread { status: parts.kind.row().0, text: parts.message.to_string() }
            })
        }
        None => Ok(Bytes::new()),
    };
    let page = console.respond(admitted, form).await;
    if page.status().is_client_error() { refused(page) } else { page }
}

fn refused(mut page: Response<console::Body>) -> Response<console::Body> {
    page.extensions_mut().insert(Refused);
    page
}
