//! PATCH /guilds/:guildId/settings (docs/rules.md 8)

use entities::account::Verdict;
use entities::guild::{self, Accent, JoinNotice, Settings};
use entities::{ChannelId, RoleId, RoleList};
use serde_json::Value;

use crate::endpoints::audit;
use crate::endpoints::bindings::change::{ROLES_CHANGED, check_giver};
use crate::endpoints::guilds::log_channels::channel::check_channel;
use crate::endpoints::guilds::settings::values::{LinkWays, NicknameTemplate, ScoreWeights, TimeZone};
use crate::endpoints::prelude::*;
use crate::request::values::{List, Nullable, Whole};

/// A whole list of roles.
type Roles = List<RoleId, 100>;

/// The age of an account.
type Days = Whole<0, 3650>;

request! {
    pub(crate) struct SettingsPatch {
        mirror_bans: Patch<bool>,
        /// 0: every ban of a key waits until its copy is allowed.
        #[example(30)]
        mirror_bans_per_hour: Patch<Whole<0, 10_000>>,
        /// Bans that others make or lift on the chat platform are made and lifted here.
        follow_bans: Patch<bool>,
        /// At most 200 characters; `{play_username}`, `{play_display_name}`, `{play_id}` and `{chat_username}` are filled
        /// in. Empty: nicknames are left alone. A binding with a template comes first.
        nickname_template: Patch<NicknameTemplate>,
        /// An IANA name.
        time_zone: Patch<TimeZone>,
        /// 1 is Monday, 7 Sunday.
        week_start: Patch<Whole<1, 7>>,
        #[example(90)]
        strike_days: Patch<Whole<1, 3650>>,
        /// The whole table: an action type that it leaves out has its default.
        score_weights: Patch<ScoreWeights>,
        /// The whole list of the privileged chat roles that Guildhall may grant: those that administrate,
        /// manage, or act on other members.
        allowed_privileged_roles: Patch<Roles>,
        /// Whoever holds a staff role on the chat platform is staff with it. Guildhall then gives a staff role only if it is
        /// one of `allowed_privileged_roles`.
        staff_by_role: Patch<bool>,
        /// The whole list of ways by which members link themselves, each once. Empty: only staff and keys link them.
        link_ways: Patch<LinkWays>,
        /// The smallest age of a chat account whose owner links it, in days.
        #[example(30)]
        link_min_chat_days: Patch<Days>,
        /// The same of the game account.
        #[example(30)]
        link_min_play_days: Patch<Days>,
        /// What follows if somebody on the Shield list links themselves.
        link_flagged: Patch<Verdict>,
        /// What follows if somebody who is banned in the guild links themselves.
        link_banned: Patch<Verdict>,
        /// The role of every linked member; null: none.
        verified_role: Patch<Nullable<RoleId>>,
        /// The role that a link takes away, and its end gives back; null: none.
        #[example("912345678901234568")]
        unverified_role: Patch<Nullable<RoleId>>,
        /// The whole list of roles whose holders keep their nicknames in every sync.
        nickname_bypass_roles: Patch<Roles>,
        /// The whole list of roles whose holders keep their roles in every sync.
        role_bypass_roles: Patch<Roles>,
        /// The whole list of roles that no sync takes from anybody.
        sticky_roles: Patch<Roles>,
        /// What members are told who have just linked themselves; null: nothing.
        #[example("Welcome! Choose your roles in #roles.")]
        link_message: Patch<Nullable<Text<500>>>,
        /// What members are sent who join without a link, beside the role of such members: how to link, by direct
        /// message or in `join_channel`.
        join_notice: Patch<JoinNotice>,
        /// The channel of that notice; null: none.
        join_channel: Patch<Nullable<ChannelId>>,
        /// The colour of links and main buttons on the guild's pages.
        accent: Patch<Accent>,
    }
}

impl SettingsPatch {
    fn applied_to(self, settings: Settings) -> Settings {
        let list = |sent: Patch<Roles>, known| sent.0.map_or(known, |sent| RoleList(sent.0));
        Settings {
            mirror_bans: self.mirror_bans.0.unwrap_or(settings.mirror_bans),
            mirror_bans_per_hour: self
                .mirror_bans_per_hour
                .0
                .map_or(settings.mirror_bans_per_hour, |sent| sent.0),
            follow_bans: self.follow_bans.0.unwrap_or(settings.follow_bans),
            nickname_template: self.nickname_template.0.map_or(settings.nickname_template, |sent| sent.0),
            time_zone: self.time_zone.0.map_or(settings.time_zone, |sent| sent.0),
            week_start: self.week_start.0.map_or(settings.week_start, |sent| sent.0),
            strike_days: self.strike_days.0.map_or(settings.strike_days, |sent| sent.0),
            score_weights: self.score_weights.0.map_or(settings.score_weights, |sent| Value::Object(sent.0)),
            allowed_privileged_roles: list(self.allowed_privileged_roles, settings.allowed_privileged_roles),
            staff_by_role: self.staff_by_role.0.unwrap_or(settings.staff_by_role),
            link_ways: self.link_ways.0.map_or(settings.link_ways, |sent| sent.0),
            link_min_chat_days: self.link_min_chat_days.0.map_or(settings.link_min_chat_days, |sent| sent.0),
            link_min_play_days: self.link_min_play_days.0.map_or(settings.link_min_play_days, |sent| sent.0),
            link_flagged: self.link_flagged.0.unwrap_or(settings.link_flagged),
            link_banned: self.link_banned.0.unwrap_or(settings.link_banned),
            verified_role: self.verified_role.0.map_or(settings.verified_role, |sent| sent.0),
            unverified_role: self.unverified_role.0.map_or(settings.unverified_role, |sent| sent.0),
            nickname_bypass_roles: list(self.nickname_bypass_roles, settings.nickname_bypass_roles),
            role_bypass_roles: list(self.role_bypass_roles, settings.role_bypass_roles),
            sticky_roles: list(self.sticky_roles, settings.sticky_roles),
            link_message: self
                .link_message
                .0
                .map_or(settings.link_message, |sent| sent.0.map(|Text(text)| text)),
            join_notice: self.join_notice.0.unwrap_or(settings.join_notice),
            join_channel: self.join_channel.0.map_or(settings.join_channel, |sent| sent.0),
            accent: self.accent.0.unwrap_or(settings.accent),
        }
    }

    /// The roles that decide what syncs give and take, where they are sent: the fields of [`roles`].
    fn roles(&self) -> [Option<Vec<RoleId>>; 5] {
        let one = |sent: &Patch<Nullable<RoleId>>| sent.0.map(|role| role.0.into_iter().collect());
        let list = |sent: &Patch<Roles>| sent.0.as_ref().map(|sent| sent.0.clone());
        [
            one(&self.verified_role),
            one(&self.unverified_role),
            list(&self.nickname_bypass_roles),
            list(&self.role_bypass_roles),
            list(&self.sticky_roles),
        ]
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("updateSettings", "Change settings")
        .about("Fields that are absent keep their values.")
        .body::<SettingsPatch>()
        .data::<Settings>()
        .message("settings updated")
        .refuses(409, &[ROLES_CHANGED])
        .refuses(422, &["same_role", "no_channel", "channel_refused"])
}

/// The names of [`SettingsPatch::roles`], with what they are now.
fn roles(settings: &Settings) -> [(&'static str, Vec<RoleId>); 5] {
    [
        ("verified_role", settings.verified_role.into_iter().collect()),
        ("unverified_role", settings.unverified_role.into_iter().collect()),
        ("nickname_bypass_roles", settings.nickname_bypass_roles.0.clone()),
        ("role_bypass_roles", settings.role_bypass_roles.0.clone()),
        ("sticky_roles", settings.sticky_roles.0.clone()),
    ]
}

/// A sync gives and takes these roles, as those of bindings, or spares their holders: a person sets and clears only
/// those that they could give by hand (docs/rules.md 5).
async fn check_roles(
    call: &Call,
    patch: &SettingsPatch,
    settings: &Settings,
) -> Result<[Vec<RoleId>; 5], ApiError> {
    let known = roles(settings);
    for ((field, before), sent) in known.iter().zip(patch.roles()) {
        let Some(after) = sent else { continue };
        for role in before.iter().filter(|role| !after.contains(role)) {
            check_giver(call, field, *role, false).await?;
        }
        for role in after.iter().filter(|role| !before.contains(role)) {
            check_giver(call, field, *role, matches!(*field, "verified_role" | "unverified_role")).await?;
        }
    }
    Ok(known.map(|(_, roles)| roles))
}

fn check_distinct(settings: &Settings) -> Result<(), ApiError> {
    match settings.verified_role {
        Some(role) if settings.unverified_role == Some(role) => Err(ApiError::rule(
            "same_role",
            "`verified_role` and `unverified_role` must be different roles: a link gives one and takes the other",
        )),
        _ => Ok(()),
    }
}

fn check_notice(settings: &Settings) -> Result<(), ApiError> {
    match (settings.join_notice, settings.join_channel) {
        (JoinNotice::Channel, None) => Err(ApiError::rule(
            "no_channel",
            "`join_channel` must name the channel in which members who join are told how to link",
        )),
        _ => Ok(()),
    }
}

/// A body without fields is valid here: it changes nothing.
pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let patch: SettingsPatch = call.body()?;
    let powerful = [
        ("allowed_privileged_roles", patch.allowed_privileged_roles.0.is_some()),
        ("staff_by_role", patch.staff_by_role.0.is_some()),
    ];
    for (field, _) in powerful.iter().filter(|(_, is_sent)| *is_sent) {
        call.caller.administrates(field)?;
    }
    let known = guild::find(call.read(), call.guild()).await?.or_not_found("guild")?.settings();
    let checked = check_roles(&call, &patch, &known).await?;
    if let Some(Nullable(Some(channel))) = patch.join_channel.0
        && known.join_channel != Some(channel)
    {
        check_channel(&call, "join_channel", channel).await?;
    }
    let mut work = UnitOfWork::begin(&call).await?;
    let before = guild::find_for_update(work.tx(), call.guild()).await?.or_not_found("guild")?.settings();
    if patch.roles().iter().any(Option::is_some) && roles(&before).map(|(_, role)| role) != checked {
        return Err(ApiError::conflict(
            ROLES_CHANGED,
            "somebody else has just changed these roles: try again",
        ));
    }
    let after = patch.applied_to(before.clone());
    check_distinct(&after)?;
    check_notice(&after)?;
    let Some(changes) = audit::changes(&before, &after)? else {
        return Ok(Reply::data(&after)?.with_message("nothing to change: the settings are like that already"));
    };
    guild::save_settings(work.tx(), call.guild(), after.clone()).await?;
    if after.staff_by_role && !before.staff_by_role {
        work.look_at_members().await?;
    }
    work.audit("settings.update", call.guild(), changes);
    work.commit(Reply::data(&after)?.with_message("settings updated")).await
}
