//! What the guild's bindings do for a user, and why.

use entities::binding::{self, RuleFields};
use entities::{BindingId, ChatId, RoleId, guild, link};
use jobs::sync_rules;
use platforms::{ChatMember, GuildRules, Memberships, PlatformError, SyncedPlayer, Verdict};

use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
#[schema(as = BindingTestExplanation)]
pub(crate) struct Explained {
    /// All bindings of the guild, oldest first. Empty if there is a `problem`.
    bindings: Vec<Judged>,
    /// What a sync would change now, as far as the bot may. Null: nothing, because the user has no link or is not a member.
    #[schema(required)]
    changes: Option<Changes>,
    /// Why the guild's bindings cannot be compared: a platform does not answer, or a group no longer exists.
    #[schema(required, example = "no such game group")]
    problem: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = JudgedBinding)]
pub(crate) struct Judged {
    id: BindingId,
    #[serde(flatten)]
    rule: RuleFields,
    matches: bool,
    /// A stable word for programs: `matches`, `linked`, `not_linked`, `not_in_group`, `other_rank` or `other_role`.
    #[schema(example = "other_rank")]
    reason: &'static str,
    #[schema(example = "the user has another rank in the group")]
    message: String,
}

#[derive(Serialize, ToSchema)]
#[schema(as = BindingTestChanges)]
pub(crate) struct Changes {
    added_roles: Vec<RoleId>,
    removed_roles: Vec<RoleId>,
    /// Null: the nickname stays.
    #[schema(required, example = "[Captain] builder")]
    nickname: Option<String>,
    /// The binding that names the member; null: none, or the nickname stays.
    #[schema(required)]
    nickname_binding_id: Option<BindingId>,
    /// The member holds one of `role_bypass_roles`.
    keeps_roles: bool,
    /// The member holds one of `nickname_bypass_roles`.
    keeps_nickname: bool,
}

impl Explained {
    pub(crate) async fn read(
        call: &Call,
        user: ChatId,
        link: Option<&link::Model>,
    ) -> Result<Self, ApiError> {
        let guild = guild::find(call.read(), call.guild()).await?.or_not_found("guild")?;
        let rules = sync_rules::of(call.read(), &guild).await?;
        Ok(match ask(call, &rules, user, link).await {
            Ok(explained) => explained,
            Err(error) => Self { bindings: Vec::new(), changes: None, problem: Some(error.to_string()) },
        })
    }

    fn of(rules: &GuildRules, link: Option<&link::Model>, memberships: &Memberships) -> Self {
        let verdicts = rules.verdicts(link.map(|link| link.play_id), memberships);
        let judged = |(binding, verdict): (&binding::Binding, Verdict)| Judged {
            id: binding.id,
            rule: binding.rule.clone().into(),
            matches: verdict.matches(),
            reason: verdict.word(),
            message: verdict.to_string(),
        };
        Self { bindings: verdicts.map(judged).collect(), changes: None, problem: None }
    }
}

async fn ask(
    call: &Call,
    rules: &GuildRules,
    user: ChatId,
    link: Option<&link::Model>,
) -> Result<Explained, PlatformError> {
    let Some(link) = link else { return Ok(Explained::of(rules, None, &Memberships::new())) };
    let (chat, play) = (&call.state.platforms.chat, &call.state.platforms.play);
    let (players, groups) = ([link.play_id], rules.groups());
    let (member, memberships, names) = tokio::join!(
        chat.member(call.platform(), user),
        play.memberships(call.platform(), &players, &groups),
        play.names(call.platform(), &players),
    );
    let (member, memberships) = (member?, memberships?);
    // Without the names of now a sync uses the stored one.
    let names = names.unwrap_or_default().remove(&link.play_id);
    let player = SyncedPlayer::of(link, names.as_ref());
    let changes = member.map(|member| changes(rules, &member, player, &memberships));
    Ok(Explained { changes, ..Explained::of(rules, Some(link), &memberships) })
}

fn changes(
    rules: &GuildRules,
    member: &ChatMember,
    player: SyncedPlayer<'_>,
    memberships: &Memberships,
) -> Changes {
    let change = rules.change(member, player, memberships);
    let reasons = rules.reasons(&change, player.id, memberships);
    Changes {
        added_roles: change.add,
        removed_roles: change.remove,
        nickname: change.nick,
        nickname_binding_id: reasons.nickname,
        keeps_roles: rules.keeps_roles(member),
        keeps_nickname: rules.keeps_nickname(member),
    }
}
