//! Guilds, the tenants, with their settings (docs/rules.md 4 to 6).

pub mod grants;
pub mod import;
pub mod removal;

use std::collections::HashMap;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{
    Expr, ExprTrait, IntoColumnRef, LockBehavior, LockType, OnConflict, SelectStatement,
};
use sea_orm::{ActiveValue::Set, IntoActiveModel, Iterable, QueryOrder, QuerySelect};
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};
use utoipa::ToSchema;

use crate::account::{Verdict, Way, Ways};
use crate::by_id::no_relations;
use crate::{ChannelId, Conn, GuildId, Result, RoleId, RoleList, Timestamp};

#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "guild")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    pub name: String,
    /// May write to Shield (docs/rules.md 9).
    pub shield_writer: bool,
    pub mirror_bans: bool,
    pub mirror_bans_per_hour: i32,
    pub follow_bans: bool,
    pub nickname_template: String,
    pub time_zone: String,
    /// ISO day number, 1 = Monday.
    pub week_start: i32,
    pub strike_days: i32,
    pub score_weights: Json,
    pub allowed_privileged_roles: RoleList,
    pub staff_by_role: bool,
    pub link_ways: Ways,
    pub link_min_chat_days: i32,
    pub link_min_play_days: i32,
    pub link_flagged: Verdict,
    pub link_banned: Verdict,
    pub verified_role: Option<RoleId>,
    pub unverified_role: Option<RoleId>,
    pub nickname_bypass_roles: RoleList,
    pub role_bypass_roles: RoleList,
    pub sticky_roles: RoleList,
    pub link_message: Option<String>,
    pub join_notice: JoinNotice,
    pub join_channel: Option<ChannelId>,
    pub accent: Accent,
    pub created_at: Timestamp,
    /// Its rows are being deleted ([`removal`]): no other query finds the guild.
    pub removing_since: Option<Timestamp>,
}

no_relations!();

/// The part of a guild that its admins set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, DeriveIntoActiveModel, ToSchema)]
pub struct Settings {
    /// Bans of every game are mirrored to the chat platform.
    pub mirror_bans: bool,
    /// Bans of one key that are mirrored within any hour; further ones are held until they are allowed in the
    /// console.
    #[schema(minimum = 0, maximum = 10_000, example = 30)]
    pub mirror_bans_per_hour: i32,
    /// Bans that others make or lift on the chat platform are made and lifted here.
    pub follow_bans: bool,
    /// For nicknames where no binding names the member; empty: they are left alone. `{play_username}`,
    /// `{play_display_name}`, `{play_id}` and `{chat_username}` are filled in.
    #[schema(example = "{play_username}")]
    pub nickname_template: String,
    /// An IANA name. Days, weeks and months of quotas and statistics begin in it.
    #[schema(example = "Europe/Berlin")]
    pub time_zone: String,
    /// The first day of a week: 1 is Monday, 7 Sunday.
    #[schema(minimum = 1, maximum = 7)]
    pub week_start: i32,
    /// Days after which a strike expires.
    #[schema(minimum = 1, maximum = 3650, example = 90)]
    pub strike_days: i32,
    /// Points of the leaderboard by action type; those not named have their default.
    #[schema(value_type = HashMap<String, i64>, example = json!({ "ban": 5 }))]
    pub score_weights: Json,
    /// Privileged chat roles that Guildhall may grant: those that administrate, manage, or act on other
    /// members.
    #[schema(value_type = Vec<RoleId>)]
    pub allowed_privileged_roles: RoleList,
    /// Whoever holds a staff role on the chat platform is staff with it. Guildhall then gives a staff role only if it is one
    /// of `allowed_privileged_roles`.
    pub staff_by_role: bool,
    /// The ways by which members link themselves. None: only staff and keys link them.
    #[schema(value_type = Vec<Way>, example = json!(["code", "connection", "sign_in"]))]
    pub link_ways: Ways,
    /// The smallest age of a chat account whose owner links it, in days.
    #[schema(minimum = 0, maximum = 3650, example = 30)]
    pub link_min_chat_days: i32,
    /// The same of the game account.
    #[schema(minimum = 0, maximum = 3650, example = 30)]
    pub link_min_play_days: i32,
    /// What follows if somebody on the Shield list links themselves.
    pub link_flagged: Verdict,
    /// What follows if somebody who is banned in the guild links themselves.
    pub link_banned: Verdict,
    /// The role of every linked member.
    #[schema(required)]
    pub verified_role: Option<RoleId>,
    /// The role that a link takes away, and its end gives back.
    #[schema(required)]
    pub unverified_role: Option<RoleId>,
    /// Holders of one of these keep their nicknames in every sync.
    #[schema(value_type = Vec<RoleId>)]
    pub nickname_bypass_roles: RoleList,
    /// Holders of one of these keep their roles in every sync.
    #[schema(value_type = Vec<RoleId>)]
    pub role_bypass_roles: RoleList,
    /// Roles that no sync takes from anybody.
    #[schema(value_type = Vec<RoleId>)]
    pub sticky_roles: RoleList,
    /// What members are told who have just linked themselves.
    #[schema(required, max_length = 500, example = "Welcome! Choose your roles in #roles.")]
    pub link_message: Option<String>,
    /// What members are sent who join without a link, beside the role of such members.
    pub join_notice: JoinNotice,
    /// The channel of that notice.
    #[schema(required)]
    pub join_channel: Option<ChannelId>,
    /// The colour of the guild's pages.
    pub accent: Accent,
}

/// The colour of links and main buttons on a guild's pages.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    EnumIter,
    DeriveActiveEnum,
    IntoStaticStr,
    VariantArray,
    ToSchema,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Accent {
    Indigo,
    Blue,
    Teal,
    Green,
    Amber,
    Orange,
    Rose,
    Purple,
    Slate,
}

impl Accent {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Where members are told how to link themselves who join without a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumIter, DeriveActiveEnum, ToSchema)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum JoinNotice {
    None,
    /// In `join_channel`.
    Channel,
    DirectMessage,
}

impl Model {
    /// A guild with the default settings (docs/rules.md 4 to 6 and 11).
    pub fn new(guild_id: GuildId, name: String, created_at: Timestamp) -> Self {
        Self {
            guild_id,
            name,
            shield_writer: false,
            mirror_bans: true,
            mirror_bans_per_hour: 30,
            follow_bans: false,
            nickname_template: "{play_username}".to_owned(),
            time_zone: "UTC".to_owned(),
            week_start: 1,
            strike_days: 90,
            score_weights: serde_json::json!({}),
            allowed_privileged_roles: RoleList::default(),
            staff_by_role: false,
            link_ways: Ways::usual(),
            link_min_chat_days: 0,
            link_min_play_days: 0,
            link_flagged: Verdict::Hold,
            link_banned: Verdict::Hold,
            verified_role: None,
            unverified_role: None,
            nickname_bypass_roles: RoleList::default(),
            role_bypass_roles: RoleList::default(),
            sticky_roles: RoleList::default(),
            link_message: None,
            join_notice: JoinNotice::None,
            join_channel: None,
            accent: Accent::Indigo,
            created_at,
            removing_since: None,
        }
    }

    pub fn settings(&self) -> Settings {
        Settings {
            mirror_bans: self.mirror_bans,
            mirror_bans_per_hour: self.mirror_bans_per_hour,
            follow_bans: self.follow_bans,
            nickname_template: self.nickname_template.clone(),
            time_zone: self.time_zone.clone(),
            week_start: self.week_start,
            strike_days: self.strike_days,
            score_weights: self.score_weights.clone(),
            allowed_privileged_roles: self.allowed_privileged_roles.clone(),
            staff_by_role: self.staff_by_role,
            link_ways: self.link_ways.clone(),
            link_min_chat_days: self.link_min_chat_days,
            link_min_play_days: self.link_min_play_days,
            link_flagged: self.link_flagged,
            link_banned: self.link_banned,
            verified_role: self.verified_role,
            unverified_role: self.unverified_role,
            nickname_bypass_roles: self.nickname_bypass_roles.clone(),
            role_bypass_roles: self.role_bypass_roles.clone(),
            sticky_roles: self.sticky_roles.clone(),
            link_message: self.link_message.clone(),
            join_notice: self.join_notice,
            join_channel: self.join_channel,
            accent: self.accent,
        }
    }
}

pub async fn find(conn: &impl Conn, guild: GuildId) -> Result<Option<Model>> {
    standing(guild).one(conn).await
}

fn standing(guild: GuildId) -> Select<Entity> {
    Entity::find_by_id(guild).filter(Column::RemovingSince.is_null())
}

/// Like [`find`], with the row locked until the transaction ends, which serializes changes to one guild. Rows that refer
/// to the guild can be inserted meanwhile.
pub async fn find_for_update(conn: &impl Conn, guild: GuildId) -> Result<Option<Model>> {
    standing(guild).lock(LockType::NoKeyUpdate).one(conn).await
}

/// Restricts a statement over many guilds to those that exist and are not being removed, and blocks removals
/// until the transaction ends. So it neither fails nor waits because of one guild.
pub(crate) fn only_standing(rows: &mut SelectStatement, guild: impl IntoColumnRef) {
    rows.from(Entity)
        .and_where(Expr::col((Entity, Column::GuildId)).eq(Expr::col(guild)))
        .and_where(Expr::col((Entity, Column::RemovingSince)).is_null())
        .lock_with_tables_behavior(LockType::KeyShare, [Entity], LockBehavior::SkipLocked);
}

/// Includes those that are being removed.
pub async fn list(conn: &impl Conn) -> Result<Vec<Model>> {
    Entity::find().order_by_asc(Column::GuildId).all(conn).await
}

/// The names of these guilds; unknown ones are absent.
pub async fn names(conn: &impl Conn, guilds: Vec<GuildId>) -> Result<HashMap<GuildId, String>> {
    let rows = Entity::find()
        .select_only()
        .columns([Column::GuildId, Column::Name])
        .filter(Column::RemovingSince.is_null())
        .filter(Column::GuildId.is_in(guilds));
    Ok(rows.into_tuple::<(GuildId, String)>().all(conn).await?.into_iter().collect())
}

/// Whether there is any guild.
pub async fn any(conn: &impl Conn) -> Result<bool> {
    let first = Entity::find().select_only().column(Column::GuildId).limit(1);
    Ok(first.into_tuple::<GuildId>().one(conn).await?.is_some())
}

/// Of all, also those that are being removed. An older schema has the columns that it reads.
pub async fn count(conn: &impl Conn) -> Result<u64> {
    let counted = Entity::find().select_only().column_as(Column::GuildId.count(), "guilds");
    Ok(counted.into_tuple::<i64>().one(conn).await?.unwrap_or(0).unsigned_abs())
}

/// Adds the guild, or gives an existing one this name, these settings and this Shield permission.
pub async fn upsert(conn: &impl Conn, guild: Model) -> Result<()> {
    let kept =
        |column: &Column| matches!(column, Column::GuildId | Column::CreatedAt | Column::RemovingSince);
    let given = Column::iter().filter(|column| !kept(column));
    let conflict = OnConflict::column(Column::GuildId).update_columns(given).to_owned();
    Entity::insert(ActiveModel::from(guild).reset_all())
        .on_conflict(conflict)
        .exec_without_returning(conn)
        .await?;
    Ok(())
}

pub async fn save_settings(conn: &impl Conn, guild: GuildId, settings: Settings) -> Result<()> {
    // Of what may be absent the derived conversion writes only what is there.
    let (verified_role, unverified_role) = (Set(settings.verified_role), Set(settings.unverified_role));
    let link_message = Set(settings.link_message.clone());
    let join_channel = Set(settings.join_channel);
    let settings = settings.into_active_model();
    let guild_id = Set(guild);
    let change =
        ActiveModel { guild_id, verified_role, unverified_role, link_message, join_channel, ..settings };
    Entity::update(change).exec(conn).await?;
    Ok(())
}

/// Sets whether the guild may write to Shield; `None` if the guild is unknown.
pub async fn allow_shield(conn: &impl Conn, guild: GuildId, allowed: bool) -> Result<Option<Model>> {
    let changed = Entity::update_many()
        .col_expr(Column::ShieldWriter, Expr::value(allowed))
        .filter(Column::GuildId.eq(guild))
        .exec_with_returning(conn)
        .await?;
    Ok(changed.into_iter().next())
}
