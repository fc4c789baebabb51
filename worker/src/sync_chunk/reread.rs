//! Reads a chunk's members again, by pages of ids: one call covers up to 1,000 of them.

use std::collections::{HashMap, HashSet};

use entities::ChatId;
use platforms::{CallContext, ChatMember, ChatPlatform, MEMBERS_PER_PAGE, PlatformError};

/// The users still in the guild. `users` is in ascending order, as in the plan; gaps are skipped, so there are
/// never more calls than users.
pub(super) async fn members(
    chat: &ChatPlatform,
    call: CallContext,
    users: &[ChatId],
) -> Result<HashMap<ChatId, ChatMember>, PlatformError> {
    let asked: HashSet<ChatId> = users.iter().copied().collect();
    let mut found = HashMap::with_capacity(asked.len());
    let mut left = users;
    while let Some(first) = left.first() {
        let page = chat.members_page(call, before(*first), MEMBERS_PER_PAGE).await?;
        let last = page.last().map(|member| member.chat_id);
        let was_last = page.len() < usize::from(MEMBERS_PER_PAGE);
        found.extend(
            page.into_iter().filter(|member| asked.contains(&member.chat_id)).map(|m| (m.chat_id, m)),
        );
        let covered = match last {
            Some(last) if !was_last => left.partition_point(|user| *user <= last),
            _ => left.len(),
        };
        // At least one, so that an unordered response cannot cause an endless loop.
        left = left.get(covered.max(1)..).unwrap_or_default();
    }
    Ok(found)
}

fn before(user: ChatId) -> Option<ChatId> {
    ChatId::try_from(user.get() - 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::chat;

    #[test]
    fn a_page_begins_right_before_the_first_requested_member() {
        assert_eq!(before(chat(8)), Some(chat(7)));
        assert_eq!(before(chat(1)), None);
    }
}
