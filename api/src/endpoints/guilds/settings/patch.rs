//! PATCH /guilds/:guildId/settings (docs/rules.md 8)

use entities::guild::{self, Settings};
use entities::{RoleId, RoleList};
use serde_json::Value;

use crate::endpoints::audit;
use crate::endpoints::guilds::settings::values::{NicknameTemplate, ScoreWeights, TimeZone};
use crate::endpoints::prelude::*;
use crate::request::values::{List, Whole};

/// Of `allowed_privileged_roles`.
const PRIVILEGED_ROLES_MAX: usize = 100;

request! {
    pub(crate) struct SettingsPatch {
        mirror_bans: Patch<bool>,
        /// 0: every ban of a key waits until its copy is allowed.
        #[example(30)]
        mirror_bans_per_hour: Patch<Whole<0, 10_000>>,
        /// At most 200 characters; `{play_username}` and `{play_id}` are filled in. Empty: nicknames are left alone.
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
        allowed_privileged_roles: Patch<List<RoleId, PRIVILEGED_ROLES_MAX>>,
    }
}

impl SettingsPatch {
    fn applied_to(self, settings: Settings) -> Settings {
        Settings {
            mirror_bans: self.mirror_bans.0.unwrap_or(settings.mirror_bans),
            mirror_bans_per_hour: self
                .mirror_bans_per_hour
                .0
                .map_or(settings.mirror_bans_per_hour, |sent| sent.0),
            nickname_template: self.nickname_template.0.map_or(settings.nickname_template, |sent| sent.0),
            time_zone: self.time_zone.0.map_or(settings.time_zone, |sent| sent.0),
            week_start: self.week_start.0.map_or(settings.week_start, |sent| sent.0),
            strike_days: self.strike_days.0.map_or(settings.strike_days, |sent| sent.0),
            score_weights: self.score_weights.0.map_or(settings.score_weights, |sent| Value::Object(sent.0)),
            allowed_privileged_roles: self
                .allowed_privileged_roles
                .0
                .map_or(settings.allowed_privileged_roles, |sent| RoleList(sent.0)),
        }
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("updateSettings", "Change settings")
        .about("Fields that are absent keep their values.")
        .body::<SettingsPatch>()
        .data::<Settings>()
        .message("settings updated")
}

/// A body without fields is valid here: it changes nothing.
pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let patch: SettingsPatch = call.body()?;
    if patch.allowed_privileged_roles.0.is_some() {
        call.caller.administrates("allowed_privileged_roles")?;
    }
    let mut work = UnitOfWork::begin(&call).await?;
    let before = guild::find_for_update(work.tx(), call.guild()).await?.or_not_found("guild")?.settings();
    let after = patch.applied_to(before.clone());
    let Some(changes) = audit::changes(&before, &after)? else {
        return Ok(Reply::data(&after)?.with_message("nothing to change: the settings are like that already"));
    };
    guild::save_settings(work.tx(), call.guild(), after.clone()).await?;
    work.audit("settings.update", call.guild(), changes);
    work.commit(Reply::data(&after)?.with_message("settings updated")).await
}
