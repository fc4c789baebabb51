//! Accounts that members have proven: one row for each person of the instance (docs/rules.md 11). Nothing that belongs to a guild
//! reads it: a guild knows a game account only by a link, to which the member agreed there.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::OnConflict;
use sea_orm::{Condition, FromJsonQueryResult, QuerySelect};
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;
use utoipa::ToSchema;

use crate::by_id::no_relations;
use crate::{ChatId, Conn, PlayId, Result, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "account")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub chat_id: ChatId,
    pub play_id: PlayId,
    pub play_username: String,
    pub way: Way,
    pub proven_at: Timestamp,
}

no_relations!();

/// How a member proves their game account.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    EnumIter,
    DeriveActiveEnum,
    ToSchema,
    IntoStaticStr,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = LinkWay)]
#[strum(serialize_all = "snake_case")]
pub enum Way {
    /// A code that the member types in a game.
    Code,
    /// Words that the member puts into the text of their profile on the game platform.
    Profile,
    /// A game account that the chat platform has verified.
    Connection,
    /// Signing in with the game platform.
    SignIn,
}

impl Way {
    pub const ALL: [Self; 4] = [Self::Code, Self::Profile, Self::Connection, Self::SignIn];

    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A set of ways, as a guild's settings have it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult, ToSchema)]
pub struct Ways(pub Vec<Way>);

impl Ways {
    /// The ways of a new guild. Words in a profile are seen by everybody, so a guild switches them on.
    pub fn usual() -> Self {
        Self(vec![Way::Code, Way::Connection, Way::SignIn])
    }

    /// In the order of [`Way::ALL`]; `None`: one of them comes twice.
    pub fn distinct(ways: &[Way]) -> Option<Self> {
        let found: Vec<Way> = Way::ALL.into_iter().filter(|way| ways.contains(way)).collect();
        (found.len() == ways.len()).then_some(Self(found))
    }
}

/// What follows if somebody on a list wants to link, the mildest first.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    EnumIter,
    DeriveActiveEnum,
    ToSchema,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = LinkVerdict)]
pub enum Verdict {
    /// They are linked like everybody else.
    Admit,
    /// Staff decide.
    Hold,
    Refuse,
}

pub async fn find(conn: &impl Conn, chat: ChatId) -> Result<Option<Model>> {
    Entity::find_by_id(chat).one(conn).await
}

/// The proof, locked until the transaction ends: no newer proof of the game account is committed meanwhile.
pub async fn find_for_update(conn: &impl Conn, chat: ChatId) -> Result<Option<Model>> {
    Entity::find_by_id(chat).lock_exclusive().one(conn).await
}

/// Records a proof. It ends an older one of the same game account by another chat user, which is returned.
pub async fn prove(conn: &impl Conn, proof: Model) -> Result<Option<Model>> {
    let other = Condition::all().add(Column::PlayId.eq(proof.play_id)).add(Column::ChatId.ne(proof.chat_id));
    let loser = Entity::delete_many().filter(other).exec_with_returning(conn).await?.into_iter().next();
    let renewed = OnConflict::column(Column::ChatId)
        .update_columns([Column::PlayId, Column::PlayUsername, Column::Way, Column::ProvenAt])
        .to_owned();
    let row = ActiveModel::from(proof).reset_all();
    Entity::insert(row).on_conflict(renewed).exec_without_returning(conn).await?;
    Ok(loser)
}

/// Forgets the proof. False: there is none.
pub async fn forget(conn: &impl Conn, chat: ChatId) -> Result<bool> {
    Ok(Entity::delete_by_id(chat).exec(conn).await?.rows_affected == 1)
}
