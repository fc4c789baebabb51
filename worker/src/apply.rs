//! The platform calls that apply one member's change without undoing the changes of others (docs/rules.md 5).
//!
//! Up to two differences are set by single calls, which change no other field. More are set by one update with the full
//! role list, computed from the member as read again under that update's permit. After the wait for its permit a call
//! is checked again: the job may be cancelled or rescued by another worker, a binding may be removed, or the member's link
//! may have ended or be to another game account.

use entities::{ChatId, PlayId, RoleId, binding, link};
use platforms::{
    CallContext, CallPermit, Change, ChatMember, ChatPlatform, MemberCall, MemberChange, MemberUpdate,
    Missing, PlatformError,
};
use queue::run::{JobContext, JobError};
use sea_orm::DbErr;
use tokio_util::sync::CancellationToken;

/// The reason in the guild's audit log on the chat platform.
const REASON: &str = "role and nickname sync";

/// The completed changes, and the refused ones.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    pub(crate) done: Change,
    pub(crate) refused: Vec<Refusal>,
    /// Why the rest was not tried.
    pub(crate) halt: Option<Halt>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// `None`: the nickname.
    pub(crate) role: Option<RoleId>,
    pub(crate) error: PlatformError,
}

/// Why a member's calls ended early.
#[derive(Debug)]
pub(crate) enum Halt {
    Platform(PlatformError),
    Job(JobError),
    /// Cancelled while it waited for a permit: no call was sent.
    Stopped,
}

impl From<PlatformError> for Halt {
    fn from(error: PlatformError) -> Self {
        Self::Platform(error)
    }
}

impl From<JobError> for Halt {
    fn from(error: JobError) -> Self {
        Self::Job(error)
    }
}

impl From<DbErr> for Halt {
    fn from(error: DbErr) -> Self {
        Self::Job(error.into())
    }
}

/// A member, and the game account for which they are changed; `None`: because they are linked to none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Whom {
    pub(crate) user: ChatId,
    pub(crate) play: Option<PlayId>,
}

/// Sends the calls of one job.
#[derive(Clone, Copy)]
pub(crate) struct Sender<'a> {
    pub(crate) chat: &'a ChatPlatform,
    pub(crate) call: CallContext,
    pub(crate) job: &'a JobContext,
    /// Cancelled: no further call is sent.
    pub(crate) stop: &'a CancellationToken,
    /// Roles that syncs no longer manage are left alone.
    pub(crate) bound_only: bool,
}

impl Sender<'_> {
    /// The whole change of a member. Role calls and the nickname's call run in parallel: the platform limits them
    /// separately.
    pub(crate) async fn apply(&self, whom: Whom, change: &Change) -> Applied {
        if change.is_several() { self.rewrite(whom, change).await } else { self.few(whom, change).await }
    }

    async fn few(&self, whom: Whom, change: &Change) -> Applied {
        let (mut applied, nickname) = tokio::join!(self.roles(whom, change), self.nickname(whom, change));
        applied.merge(nickname);
        applied
    }

    /// One call for each role, one after the other.
    pub(crate) async fn roles(&self, whom: Whom, change: &Change) -> Applied {
        let mut applied = Applied::default();
        let added = change.add.iter().map(|role| (*role, MemberChange::AddRole(*role)));
        let removed = change.remove.iter().map(|role| (*role, MemberChange::RemoveRole(*role)));
        for (role, call) in added.chain(removed) {
            match self.send(whom, &call).await {
                Ok(true) if matches!(call, MemberChange::AddRole(_)) => applied.done.add.push(role),
                Ok(true) => applied.done.remove.push(role),
                Ok(false) => {}
                Err(Halt::Platform(error)) if concerns_the_change(&error) => {
                    applied.refused.push(Refusal { role: Some(role), error });
                }
                Err(halt) => {
                    applied.halt = Some(halt);
                    break;
                }
            }
        }
        applied
    }

    /// An update without roles.
    pub(crate) async fn nickname(&self, whom: Whom, change: &Change) -> Applied {
        let mut applied = Applied::default();
        let Some(nick) = &change.nick else { return applied };
        let update = MemberChange::Update(MemberUpdate { roles: None, nick: Some(set(nick)) });
        match self.send(whom, &update).await {
            Ok(true) => applied.done.nick = Some(nick.clone()),
            Ok(false) => {}
            Err(Halt::Platform(error)) if concerns_the_change(&error) => {
                applied.refused.push(Refusal { role: None, error });
            }
            Err(halt) => applied.halt = Some(halt),
        }
        applied
    }

    /// The full list and the nickname in one update. The bot cannot rename the guild's owner at any rank, and the
    /// platform refuses the roles with the nickname, so a refusal is followed by an attempt without the nickname.
    pub(crate) async fn rewrite(&self, whom: Whom, change: &Change) -> Applied {
        self.try_rewrite(whom, change).await.unwrap_or_else(Applied::from)
    }

    async fn try_rewrite(&self, whom: Whom, change: &Change) -> Result<Applied, Halt> {
        let (mut change, mut refused, mut again) = (change.clone(), Vec::new(), true);
        loop {
            let permit = self.permit(MemberCall::Update).await?;
            let (member, due) = self.read_again(whom, &change).await?;
            if !due.is_several() {
                drop(permit);
                let mut applied = Box::pin(self.few(whom, &due)).await;
                applied.refused.append(&mut refused);
                return Ok(applied);
            }
            self.job.before_effect().await?;
            let roles = due.changes_roles().then(|| due.roles_after(&member.roles));
            let update = MemberUpdate { roles, nick: due.nick.as_deref().map(set) };
            match self.chat.change_member(permit, whom.user, MemberChange::Update(update), REASON).await {
                Ok(()) => {
                    self.job.count_write();
                    return Ok(Applied { done: due, refused, halt: None });
                }
                Err(PlatformError::RateLimited { .. }) if again => again = false,
                Err(error @ PlatformError::Forbidden { .. }) if due.nick.is_some() => {
                    change.nick = None;
                    refused.push(Refusal { role: None, error });
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The member and the due change, both read now. Uses the most urgent priority, because the update's permit is held
    /// meanwhile.
    async fn read_again(&self, whom: Whom, change: &Change) -> Result<(ChatMember, Change), Halt> {
        let call = CallContext::interactive(self.call.guild);
        let member =
            self.chat.member(call, whom.user).await?.ok_or(PlatformError::NotFound(Missing::Member))?;
        if !self.is_for(whom).await? {
            return Ok((member, Change::default()));
        }
        let due = change.still_due(&member);
        if !self.bound_only {
            return Ok((member, due));
        }
        let managed = binding::managed_roles(self.job.database().read(), call.guild, &due.roles()).await?;
        Ok((member, due.only(&managed)))
    }

    /// Whether the member's link is still the one that the change is for.
    async fn is_for(&self, whom: Whom) -> Result<bool, DbErr> {
        let link = link::find_by_chat(self.job.database().read(), self.call.guild, whom.user).await?;
        Ok(link.map(|link| link.play_id) == whom.play)
    }

    /// False: the change is no longer due, because of the link, or syncs no longer manage the role; no call was sent. Waits
    /// out the short pause of a 429.
    async fn send(&self, whom: Whom, change: &MemberChange) -> Result<bool, Halt> {
        let role = match change {
            MemberChange::AddRole(role) | MemberChange::RemoveRole(role) => Some(*role),
            MemberChange::Update(_) => None,
        };
        let mut again = true;
        loop {
            let permit = self.permit(change.call()).await?;
            if !self.is_for(whom).await? {
                return Ok(false);
            }
            if let Some(role) = role.filter(|_| self.bound_only) {
                let read = self.job.database().read();
                if binding::managed_roles(read, self.call.guild, &[role]).await?.is_empty() {
                    return Ok(false);
                }
            }
            self.job.before_effect().await?;
            match self.chat.change_member(permit, whom.user, change.clone(), REASON).await {
                Err(PlatformError::RateLimited { .. }) if again => again = false,
                settled => {
                    settled?;
                    self.job.count_write();
                    return Ok(true);
                }
            }
        }
    }

    async fn permit(&self, kind: MemberCall) -> Result<CallPermit, Halt> {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(Halt::Stopped),
            permit = self.chat.reserve(self.call, kind) => Ok(permit?),
        }
    }
}

impl Applied {
    fn merge(&mut self, other: Self) {
        self.done.merge(other.done);
        self.refused.extend(other.refused);
        self.halt = self.halt.take().or(other.halt);
    }
}

impl From<Halt> for Applied {
    /// Halted before its first call.
    fn from(halt: Halt) -> Self {
        Self { halt: Some(halt), ..Self::default() }
    }
}

/// An empty nickname is none.
fn set(nick: &str) -> Option<String> {
    (!nick.is_empty()).then(|| nick.to_owned())
}

/// The platform refused this role or nickname; the member's other calls may succeed.
fn concerns_the_change(error: &PlatformError) -> bool {
    matches!(
        error,
        PlatformError::Forbidden { .. }
            | PlatformError::Invalid { .. }
            | PlatformError::NotFound(Missing::Role)
    )
}
