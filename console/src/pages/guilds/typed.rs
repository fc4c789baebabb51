//! The person whom a field of a form or filter names: by an id, by a name, or as chosen from those who may be meant.

use entities::{ChatId, Person, Subject, link_search};

use super::candidates::{Among, possible, shown};
use super::people::People;
use crate::fields::Fields;
use crate::html::candidate::Unresolved;
use crate::response::PageError;
use crate::visit::GuildVisit;

/// An id of either account, or a whole name: of a linked member for people who may look members up, of a user of Roblox
/// where the field takes players.
pub(crate) async fn resolve(
    visit: &GuildVisit,
    fields: &Fields,
    field: &str,
    among: Among<'_>,
) -> Result<Result<Subject, Unresolved>, PageError> {
    let typed = fields.text(field);
    if let Some(subject) = typed.parse().ok().or_else(|| chosen(fields, field)) {
        return Ok(Ok(subject));
    }
    let by_name = visit.may("lookup.read");
    match (typed, among) {
        ("", Among::Players | Among::Playing(_)) => {
            return Ok(Err("Give a Roblox id or a player's name.".into()));
        }
        ("", _) => return Ok(Err("Give a Discord id, a Roblox id or a player's name.".into())),
        (_, Among::Members) if !by_name => {
            let text = "Your role may not look members up by name. Give the Roblox id or the Discord id.";
            return Ok(Err(text.into()));
        }
        _ => {}
    }
    if among != Among::Players && by_name {
        let linked = link_search::by_name(visit.read(), visit.guild.guild_id, typed, 2).await?;
        // Names are in order, so the whole name comes before those that it begins.
        let mut whole = linked.iter().filter(|link| link.play_username.eq_ignore_ascii_case(typed));
        if let (Some(one), None) = (whole.next(), whole.next()) {
            return Ok(Ok(Subject::Play(one.play_id)));
        }
    }
    let possible = possible(visit, typed, among).await?;
    let mut whole = possible.iter().filter(|one| one.is_named(typed));
    if let (Some(one), None) = (whole.next(), whole.next()) {
        return Ok(Ok(one.subject));
    }
    let text = match possible.as_slice() {
        [] => unknown(visit, typed, among).await,
        [_] => format!("Nobody is named {typed:?}. Choose this person if they are meant."),
        _ => format!("Several people match {typed:?}. Choose one."),
    };
    Ok(Err(Unresolved { text, candidates: shown(visit, possible).await? }))
}

async fn unknown(visit: &GuildVisit, typed: &str, among: Among<'_>) -> String {
    let linked = format!("No linked member is named {typed:?}");
    let asked = visit.console.player_names.find(visit.call_context(), typed).await;
    match (among, asked) {
        (Among::Members, _) => format!("{linked}. Give the Roblox id or the Discord id."),
        (Among::Players, Ok(_)) => format!("Roblox has no player named {typed:?}. Give the Roblox id."),
        (Among::Everybody | Among::Playing(_), Ok(_)) => {
            format!("{linked}, and Roblox has no such player. Give an id.")
        }
        (Among::Players, Err(why)) => format!("Roblox does not answer: {why}. Give the Roblox id."),
        (Among::Everybody | Among::Playing(_), Err(why)) => {
            format!("{linked}, and Roblox does not answer: {why}. Give an id.")
        }
    }
}

/// Whom the person has chosen for what they typed.
pub(crate) fn chosen(fields: &Fields, field: &str) -> Option<Subject> {
    fields.choice(field)?.split_once(' ')?.0.parse().ok()
}

/// All accounts of a person for people who may look members up; for others the one that they named.
pub(crate) async fn accounts_of(visit: &GuildVisit, subject: Subject) -> Result<Person, PageError> {
    if !visit.may("lookup.read") {
        return Ok(subject.into());
    }
    Ok(Person::resolve(visit.read(), visit.guild.guild_id, subject).await?)
}

/// The typed Discord user, by an id of either account or by name.
pub(crate) async fn chat_of(
    visit: &GuildVisit,
    fields: &Fields,
    field: &str,
) -> Result<Result<ChatId, Unresolved>, PageError> {
    let subject = match resolve(visit, fields, field, Among::Members).await? {
        Ok(Subject::Chat(chat)) => return Ok(Ok(chat)),
        Ok(subject) => subject,
        Err(problem) => return Ok(Err(problem)),
    };
    let chat = People::read(visit, [subject]).await?.who(visit, subject).chat;
    Ok(chat.ok_or_else(|| "No member is known by this Roblox account. Enter the Discord id.".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_counts_for_the_text_that_it_was_offered_for() {
        let of = |text: &str, choice: &str| chosen(&Fields::of(&[("who", text), ("who_is", choice)]), "who");
        assert_eq!(of("an n", "156 an n"), Some("156".parse().unwrap()));
        assert_eq!(of("anna", "156 ann"), None);
        assert_eq!(of("ann", ""), None);
    }
}
