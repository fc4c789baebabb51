//! The game platform's wire client: Roblox Open Cloud v2 for groups, the users API for names and profiles.

mod by_name;
mod errors;
mod headshot;
mod memberships;
mod profile;
mod roles;
mod types;
mod universes;

use std::collections::HashMap;
use std::time::Duration;

use entities::{GroupId, PlayId};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use http::HeaderName;
use reqwest::Method;
use reqwest::header::HeaderValue;
use runtime::PLAY_KEY;
use serde::de::DeserializeOwned;
use serde_json::json;

pub(crate) use errors::classify;
pub(crate) use headshot::{HEADSHOTS_PER_CALL, Headshot};
use runtime::TimedCache;
use types::{NameBody, NamesBody, Page, RolesById};
pub use universes::Universe;

use crate::context::CallContext;
use crate::error::{PlatformError, Result};
use crate::play::{MEMBERSHIP_USERS_PER_CALL, Memberships, NAMES_PER_CALL, PlayNames};
use crate::routes::play as routes;
use crate::wire::{Request, Standing, Wire, credential};

const KEY_HEADER: HeaderName = HeaderName::from_static("x-api-key");
/// Maximum ids per `POST /v1/users`.
/// Concurrent batches of one request.
const BATCHES_AT_ONCE: usize = 4;
/// How long a group's role list is cached; a membership with an unknown role refreshes it at once.
const ROLES_KEPT: Duration = Duration::from_mins(5);
const GROUPS_KEPT: usize = 1000;

pub(crate) struct PlayHosts {
    pub(crate) cloud: String,
    pub(crate) users: String,
    pub(crate) thumbnails: String,
    pub(crate) games: String,
}

pub struct PlayPlatform {
    wire: Wire,
    hosts: PlayHosts,
    credential: Option<HeaderValue>,
    roles: TimedCache<GroupId, RolesById>,
}

impl PlayPlatform {
    pub(crate) fn new(wire: Wire, hosts: PlayHosts, key: Option<&str>) -> Result<Self> {
        let credential = credential(key.map(|key| key.trim().to_owned()), PLAY_KEY)?;
        let roles = TimedCache::new(GROUPS_KEPT, ROLES_KEPT);
        Ok(Self { wire, hosts, credential, roles })
    }

    /// The budget and the last failures, for operators. Calls nothing.
    pub async fn standing(&self) -> Standing {
        self.wire.standing(self.credential.is_some()).await
    }

    /// A call to the Open Cloud, which always needs the key.
    fn cloud(&self, route: &'static str, path: &str) -> Result<Request> {
        let credential = self.credential.clone().ok_or(PlatformError::NotConfigured(PLAY_KEY))?;
        let url = format!("{}{path}", self.hosts.cloud);
        Ok(Request::new(Method::GET, route, url).header(KEY_HEADER, credential))
    }

    /// All items of a list, page after page. More than `most` pages are a loop.
    async fn items<T: DeserializeOwned>(
        &self,
        context: CallContext,
        list: Request,
        most: usize,
    ) -> Result<Vec<T>> {
        let (mut items, mut request) = (Vec::new(), list.clone());
        for _ in 0..most {
            let page: Page<T> = self.wire.json(context, &request).await?;
            items.extend(page.items);
            match page.next_page_token.filter(|token| !token.is_empty()) {
                Some(token) => request = list.clone().query("pageToken", token),
                None => return Ok(items),
            }
        }
        Err(PlatformError::unavailable(list.route, "the pages do not end"))
    }

    async fn names_batch(&self, context: CallContext, users: Vec<PlayId>) -> Result<NamesBody> {
        let request = Request::new(Method::POST, routes::USERS, format!("{}/v1/users", self.hosts.users))
            .body(json!({ "userIds": users, "excludeBannedUsers": false }));
        self.wire.json(context, &request).await
    }
    /// Any number of users: requested in batches of 50, a few at a time. An unknown group is `NotFound(Group)`,
    /// never an empty result, so a typing error cannot remove roles.
    pub async fn memberships(
        &self,
        call: CallContext,
        users: &[PlayId],
        groups: &[GroupId],
    ) -> Result<Memberships> {
        if users.is_empty() || groups.is_empty() {
            return Ok(Memberships::new());
        }
        // First, so that an unknown group is an error and not an empty result.
        for group in groups {
            self.roles_by_id(call, *group).await?;
        }
        let batches: Vec<Vec<PlayId>> = users.chunks(MEMBERSHIP_USERS_PER_CALL).map(<[_]>::to_vec).collect();
        let answers = batches.into_iter().map(|batch| self.batch_memberships(call, batch, groups));
        stream::iter(answers)
            .buffer_unordered(BATCHES_AT_ONCE)
            .try_fold(Memberships::new(), |mut all, batch| async move {
                all.extend(batch);
                Ok(all)
            })
            .await
    }

    /// Current names. Users that do not exist are absent.
    pub async fn names(&self, call: CallContext, users: &[PlayId]) -> Result<HashMap<PlayId, PlayNames>> {
        let batches: Vec<Vec<PlayId>> = users.chunks(NAMES_PER_CALL).map(<[_]>::to_vec).collect();
        let answers = batches.into_iter().map(|batch| self.names_batch(call, batch));
        stream::iter(answers)
            .buffer_unordered(BATCHES_AT_ONCE)
            .try_fold(HashMap::new(), |mut all, names| async move {
                all.extend(
                    names
                        .data
                        .into_iter()
                        .map(|NameBody { id, name, display_name }| (id, PlayNames { name, display_name })),
                );
                Ok(all)
            })
            .await
    }

    /// The unique ones of the current names.
    pub async fn usernames(&self, call: CallContext, users: &[PlayId]) -> Result<HashMap<PlayId, String>> {
        Ok(self.names(call, users).await?.into_iter().map(|(id, names)| (id, names.name)).collect())
    }
}
