//! Changes how long a ban or mute lasts: a new one takes its place.

use super::order::{Order, refused};
use super::sanction::{load, show};
use super::{Kind, length};
use crate::html::form::Form;
use crate::pages::guilds::people::identify;
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

pub(crate) async fn post(visit: GuildVisit) -> Result<Response, PageError> {
    let row = load(&visit).await?;
    let kind = Kind(row.kind);
    let subject = row.subject().ok_or(PageError::NotFound)?;
    let name = identify(&visit, subject).await?.0.name;
    if !row.in_force(visit.now()) {
        let text = format!("The {} of {name} has ended, so its length stays.", kind.word());
        return Ok(Response::see(visit.url(&kind.one(row.sanction_id))).flash(Flash::new(text)));
    }
    let seconds = match length::read(&visit.form) {
        Ok(seconds) => seconds,
        Err((field, problem)) => {
            let form = Form::wrong(&visit.form, Some(field), problem);
            return show(&visit, row, form).await;
        }
    };
    let place = row.place_id.map(|place| place.to_string()).unwrap_or_default();
    let order = Order { kind, subject, reason: visit.form.text("reason"), place: &place, seconds };
    match order.impose(&visit).await {
        Ok(new) => {
            let flash = order.notice(&visit, &name, &new, Some(&row));
            Ok(Response::see(visit.url(&kind.one(new.id))).flash(flash))
        }
        Err(answer) => {
            let form = refused(&visit, &answer);
            show(&visit, row, form).await
        }
    }
}
