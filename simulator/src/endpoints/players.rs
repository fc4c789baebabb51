//! Users of the game platform by their names, and pictures of their heads.

use std::collections::HashMap;

use entities::PlayId;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::endpoints::play::users_error;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;

const USERS_PER_CALL: usize = 100;
const SIZES: [&str; 11] = [
    "48x48", "50x50", "60x60", "75x75", "100x100", "110x110", "150x150", "180x180", "352x352", "420x420",
    "720x720",
];
const FORMATS: [&str; 3] = ["Png", "Jpeg", "Webp"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UsernamesForm {
    usernames: Vec<String>,
    #[serde(default, rename = "excludeBannedUsers")]
    _exclude_banned_users: bool,
}

/// Unknown names are omitted; upper and lower case are the same.
pub(crate) fn by_name(simulator: &Simulator, input: &Input) -> Reply {
    let Ok(form) = serde_json::from_slice::<UsernamesForm>(&input.body) else {
        return users_error(400, 0, "The request body is not valid.");
    };
    if form.usernames.len() > USERS_PER_CALL {
        return users_error(400, 2, "Too many usernames.");
    }
    let state = simulator.state();
    let mut wanted: HashMap<String, &str> = HashMap::new();
    for name in &form.usernames {
        wanted.entry(name.to_lowercase()).or_insert(name);
    }
    let found = state.names.iter().filter_map(|(id, name)| {
        let requested = wanted.get(&name.to_lowercase())?;
        Some(json!({ "requestedUsername": requested, "hasVerifiedBadge": false, "id": id, "name": name,
                     "displayName": name }))
    });
    Reply::ok(json!({ "data": found.collect::<Vec<Value>>() }))
}

/// Unknown users are omitted.
pub(crate) fn headshots(simulator: &Simulator, input: &Input) -> Reply {
    let ids = input.query("userIds").unwrap_or_default().split(',').map(|id| id.trim().parse::<PlayId>());
    let Some(ids) = ids.collect::<Result<Vec<_>, _>>().ok().filter(|ids| ids.len() <= USERS_PER_CALL) else {
        return users_error(400, 4, "The requested Ids are invalid, of an invalid type or missing.");
    };
    if !input.query("size").is_some_and(|size| SIZES.contains(&size)) {
        return users_error(
            400,
            3,
            "The requested size is invalid. Please see documentation for valid thumbnail size parameter name and format.",
        );
    }
    if !input.query("format").is_none_or(|format| FORMATS.contains(&format)) {
        return users_error(400, 6, "The format is invalid.");
    }
    let (state, base) = (simulator.state(), input.base_url());
    let known = ids.iter().filter(|id| state.names.contains_key(id));
    let data = known.map(|id| {
        json!({ "targetId": id, "state": "Completed", "imageUrl": format!("{base}/headshots/{id}.png"),
                "version": "TN3" })
    });
    Reply::ok(json!({ "data": data.collect::<Vec<Value>>() }))
}
