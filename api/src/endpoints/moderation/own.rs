//! Only admins decide about their own bans and mutes (docs/rules.md 6).

use entities::{ChatId, Person, PlayId, Subject, account, link_history};

use crate::endpoints::prelude::*;

/// Ended links of a member that are looked at.
const FORMER: u64 = 100;

/// A person at the console does not decide about their own bans and mutes, of either account: the one to which they are linked,
/// and those that nobody else holds and that they have proven or were linked to. Whoever unlinks first stays who they are.
pub(crate) async fn check_other(call: &Call, named: &[Subject]) -> Result<(), ApiError> {
    let Some(user) = call.caller.giver().filter(|user| call.caller.decides_about(*user).is_err()) else {
        return Ok(());
    };
    let people = Person::resolve_all(call.read(), call.guild(), named).await?;
    if people.iter().any(|person| person.chat == Some(user)) {
        return call.caller.decides_about(user);
    }
    let mut unlinked = people.iter().filter(|person| person.chat.is_none()).filter_map(|person| person.play);
    let own = own_accounts(call, user).await?;
    if unlinked.any(|play| own.contains(&play)) { call.caller.decides_about(user) } else { Ok(()) }
}

async fn own_accounts(call: &Call, user: ChatId) -> Result<Vec<PlayId>, ApiError> {
    let former = link_history::of_person(call.read(), call.guild(), user, None, FORMER).await?;
    let proven = account::find(call.read(), user).await?;
    let former = former.into_iter().map(|ended| ended.play);
    Ok(former.chain(proven.map(|proven| proven.play_id)).collect())
}
