//! Types of bindings, the names that they give, and whom syncs spare (docs/rules.md 5).

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use testkit::{Api, Deployment, Guild, Member, both_modes, eventually, in_turn};

both_modes!(
    each_type_gives_takes_and_names,
    an_unverified_binding_is_for_members_whose_link_has_ended,
    a_bulk_sync_says_which_bindings_it_followed,
    syncs_spare_whom_the_settings_say,
    a_test_explains_the_bindings_of_the_guild,
);

in_turn!(the_highest_priority_names_the_member);

/// The deployment's guild without bindings.
pub(crate) async fn unbound(deployment: &Deployment) -> (Api, &Guild) {
    let api = deployment.api();
    for binding in api.get("/bindings/list").await.ok()["bindings"].as_array().unwrap() {
        api.delete(&format!("/bindings/remove/{}", binding["id"])).await.ok();
    }
    (api, deployment.guild())
}

pub(crate) async fn add(api: &Api, binding: Value) -> i64 {
    api.post("/bindings/add", binding).await.ok()["id"].as_i64().unwrap()
}

/// With these fields in place of its own.
pub(crate) fn with(mut binding: Value, fields: &Value) -> Value {
    binding.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    binding
}

/// The member's ranks in the guild's group, and roles and nickname on the chat platform.
async fn set(deployment: &Deployment, member: &Member, ranks: &[i64], roles: &[&str], nick: Value) {
    let guild = deployment.guild();
    let change = json!({ "group_id": guild.group, "play_id": member.play, "ranks": ranks, "display_name": "Bob",
                         "guild_id": guild.id, "chat_id": member.chat, "roles": roles, "nick": nick });
    deployment.simulator.change_member(change).await;
}

async fn sync(api: &Api, member: &Member) -> Value {
    api.post("/interactions/sync", json!({ "user_id": member.chat })).await.ok()
}

async fn last_sync(api: &Api, guild: &Guild) -> Value {
    let path = format!("/guilds/{}/audit-logs?action=sync.member&limit=1", guild.id);
    api.get(&path).await.ok()["entries"][0].clone()
}

async fn each_type_gives_takes_and_names(deployment: &Deployment) {
    let (api, guild) = unbound(deployment).await;
    let (member, role, group) = (guild.right(), guild.roles[0].as_str(), guild.group);
    let name = &member.name;
    for (binding, template, nick, outside) in [
        (
            json!({ "type": "group_rank_range", "group_id": group, "min_rank": 40, "max_rank": 60 }),
            "[{rank}] {play_username}",
            format!("[50] {name}"),
            &[1, 100][..],
        ),
        (
            json!({ "type": "group_member", "group_id": group }),
            "{rank_name} {play_display_name}",
            "Officer Bob".to_owned(),
            &[],
        ),
        (
            // The role of rank 50.
            json!({ "type": "group_role", "group_id": group, "group_role_id": group * 1_000 + 1 }),
            "{rank_name}",
            "Trainee".to_owned(),
            &[100],
        ),
    ] {
        set(deployment, member, &[50, 100], &[], Value::Null).await;
        let own = json!({ "role_id": role, "nickname_template": template });
        let id = add(&api, with(binding.clone(), &own)).await;
        let done = sync(&api, member).await;
        assert_eq!(
            (&done["added_roles"], &done["nickname_updated"]),
            (&json!([role]), &json!(true)),
            "{binding}"
        );
        let seen = deployment.simulator.member(guild, &member.chat).await;
        assert_eq!((&seen["roles"], &seen["nick"]), (&json!([role]), &json!(nick)), "{binding}");
        let entry = last_sync(&api, guild).await["metadata"].clone();
        assert_eq!(entry["bindings"], json!([{ "role_id": role, "binding_ids": [id] }]), "{entry}");
        assert_eq!(entry["nickname_binding_id"], id, "{entry}");
        let ranks = &entry["ranks"][0];
        assert_eq!((&ranks["group_id"], &ranks["ranks"]), (&json!(group), &json!([50, 100])), "{entry}");

        set(deployment, member, outside, &[role], json!(nick)).await;
        let done = sync(&api, member).await;
        assert_eq!(done["removed_roles"], json!([role]), "{binding}");
        let seen = deployment.simulator.member(guild, &member.chat).await;
        assert_eq!((&seen["roles"], &seen["nick"]), (&json!([]), &json!(name)), "{binding}");
        let entry = last_sync(&api, guild).await["metadata"].clone();
        assert_eq!(entry["bindings"], json!([{ "role_id": role, "binding_ids": [id] }]), "{entry}");
        assert_eq!(entry["nickname_binding_id"], Value::Null, "{entry}");
        api.delete(&format!("/bindings/remove/{id}")).await.ok();
    }
    set(deployment, member, &[], &[], Value::Null).await;
    let verified = json!({ "type": "verified", "role_id": role, "nickname_template": "{chat_username}" });
    add(&api, verified).await;
    assert_eq!(sync(&api, member).await["added_roles"], json!([role]));
    let seen = deployment.simulator.member(guild, &member.chat).await;
    assert_eq!((&seen["roles"], &seen["nick"]), (&json!([role]), &json!(format!("user{}", member.chat))));
}

async fn an_unverified_binding_is_for_members_whose_link_has_ended(deployment: &Deployment) {
    let (api, guild) = unbound(deployment).await;
    let (member, [inside, unverified, ..]) = (guild.right(), &guild.roles);
    add(&api, json!({ "type": "unverified", "role_id": unverified })).await;
    let template = "{rank_name} {play_username}";
    let named = json!({ "type": "group_member", "group_id": guild.group, "role_id": inside, "nickname_template": template });
    add(&api, named).await;
    set(deployment, member, &[50], &[unverified], Value::Null).await;
    let done = sync(&api, member).await;
    assert_eq!((&done["added_roles"], &done["removed_roles"]), (&json!([inside]), &json!([unverified])));
    assert_eq!(
        deployment.simulator.member(guild, &member.chat).await["nick"],
        format!("Trainee {}", member.name)
    );

    let is = async |roles: Value, nick: Value| {
        eventually("roles and nickname of the link", Duration::from_secs(20), async || {
            let seen = deployment.simulator.member(guild, &member.chat).await;
            (seen["roles"] == roles && seen["nick"] == nick).then_some(())
        })
        .await;
    };
    let link = format!("/guilds/{}/links/{}", guild.id, member.chat);
    api.delete(&link).await.ok();
    // The nickname that the binding gave goes with the link.
    is(json!([unverified]), Value::Null).await;
    api.send(Method::PUT, &link, Some(json!({ "play_id": member.play }))).await.ok();
    is(json!([inside]), json!(format!("Trainee {}", member.name))).await;
}

async fn a_bulk_sync_says_which_bindings_it_followed(deployment: &Deployment) {
    let (api, guild) = unbound(deployment).await;
    let (member, [old, new, ..]) = (guild.right(), &guild.roles);
    let of_group = |kind: &str, role: &str| json!({ "type": kind, "group_id": guild.group, "role_id": role });
    let named =
        with(of_group("group_member", new), &json!({ "nickname_template": "{rank} {play_username}" }));
    let named = add(&api, named).await;
    let left = with(of_group("group_rank", old), &json!({ "rank": 255 }));
    let left = add(&api, left).await;
    set(deployment, member, &[50], &[old], Value::Null).await;
    api.post("/interactions/sync/all", json!({})).await.ok();
    let path = format!("/guilds/{}/audit-logs?action=sync.member&limit=100", guild.id);
    let entry = eventually("the member's entry", Duration::from_secs(30), async || {
        let entries = api.get(&path).await.ok()["entries"].clone();
        entries.as_array().unwrap().iter().find(|entry| entry["target_id"] == member.chat.as_str()).cloned()
    })
    .await;
    let metadata = &entry["metadata"];
    let behind = |role: &str| {
        let behind = metadata["bindings"].as_array().unwrap().iter().find(|one| one["role_id"] == role);
        behind.unwrap_or_else(|| panic!("{metadata}"))["binding_ids"].clone()
    };
    assert_eq!((behind(old), behind(new)), (json!([left]), json!([named])), "{metadata}");
    assert_eq!(metadata["nickname_binding_id"], named, "{metadata}");
    assert_eq!(metadata["ranks"][0]["ranks"], json!([50]), "{metadata}");
}

async fn syncs_spare_whom_the_settings_say(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let (member, path) = (guild.right(), format!("/guilds/{}/settings", guild.id));
    let [_, due, surplus, bypass] = &guild.roles;
    let setting = async |lists: Value| {
        let settings = api.patch(&path, lists.clone()).await.ok();
        for (name, roles) in lists.as_object().unwrap() {
            assert_eq!(settings[name], *roles);
        }
    };
    let state = async || {
        let seen = deployment.simulator.member(guild, &member.chat).await;
        (seen["roles"].clone(), seen["nick"].clone())
    };
    set(deployment, member, &[50], &[surplus, bypass], json!("Boss")).await;
    setting(json!({ "nickname_bypass_roles": [bypass], "role_bypass_roles": [bypass] })).await;
    let done = sync(&api, member).await;
    assert_eq!((&done["added_roles"], &done["nickname_updated"]), (&json!([]), &json!(false)));
    assert_eq!(state().await, (json!([surplus, bypass]), json!("Boss")));
    setting(json!({ "nickname_bypass_roles": [], "role_bypass_roles": [bypass] })).await;
    assert_eq!(sync(&api, member).await["nickname_updated"], true);
    assert_eq!(state().await, (json!([surplus, bypass]), json!(member.name)));
    setting(json!({ "role_bypass_roles": [], "sticky_roles": [surplus] })).await;
    let done = sync(&api, member).await;
    assert_eq!((&done["added_roles"], &done["removed_roles"]), (&json!([due]), &json!([bypass])));
    setting(json!({ "sticky_roles": [] })).await;
    assert_eq!(sync(&api, member).await["removed_roles"], json!([surplus]));
    for (name, bad) in [
        ("sticky_roles", json!(["x"])),
        ("role_bypass_roles", json!("7")),
        ("nickname_bypass_roles", Value::Null),
    ] {
        api.patch(&path, json!({ name: bad })).await.refused(400, &[name]);
    }
}

async fn a_test_explains_the_bindings_of_the_guild(deployment: &Deployment) {
    let (api, guild) = unbound(deployment).await;
    let (member, [inside, high, unverified, ..]) = (guild.right(), &guild.roles);
    let template = json!({ "nickname_template": "{rank_name}" });
    let of_group = |kind: &str, role: &str| json!({ "type": kind, "group_id": guild.group, "role_id": role });
    let ids = [
        add(&api, with(of_group("group_member", inside), &template)).await,
        add(&api, with(of_group("group_rank_range", high), &json!({ "min_rank": 100, "max_rank": 255 })))
            .await,
        add(&api, json!({ "type": "unverified", "role_id": unverified })).await,
    ];
    set(deployment, member, &[50], &[high], Value::Null).await;
    let test =
        |chat: &str| json!({ "chat_id": chat, "type": "group_rank", "group_id": guild.group, "rank": 50 });
    let told = api.post("/bindings/test", test(&member.chat)).await.ok();
    assert_eq!(
        (&told["matches"], &told["current_rank"], &told["problem"]),
        (&json!(true), &json!(50), &Value::Null)
    );
    let judged: Vec<_> = told["bindings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (one["id"].as_i64().unwrap(), one["matches"].as_bool().unwrap(), one["reason"].as_str().unwrap())
        })
        .collect();
    assert_eq!(judged, [(ids[0], true, "matches"), (ids[1], false, "other_rank"), (ids[2], false, "linked")]);
    let changes = json!({ "added_roles": [inside], "removed_roles": [high], "nickname": "Trainee",
                          "nickname_binding_id": ids[0], "keeps_roles": false, "keeps_nickname": false });
    assert_eq!(told["changes"], changes);
    // Nothing was changed.
    assert_eq!(deployment.simulator.member(guild, &member.chat).await["roles"], json!([high]));

    for (kind, matches) in [("verified", true), ("unverified", false)] {
        let told = api.post("/bindings/test", json!({ "chat_id": member.chat, "type": kind })).await.ok();
        assert_eq!((&told["matches"], &told["current_rank"]), (&json!(matches), &json!(0)));
    }
    let stranger = "1999999999999999999";
    let told = api.post("/bindings/test", json!({ "chat_id": stranger, "type": "unverified" })).await.ok();
    assert_eq!((&told["matches"], &told["changes"]), (&json!(true), &Value::Null));
    assert_eq!(
        (&told["bindings"][0]["reason"], &told["bindings"][2]["matches"]),
        (&json!("not_linked"), &json!(true))
    );
    api.post("/bindings/test", test(stranger)).await.refused(404, &[]);
    // A binding of a group that is gone stops syncs, and the answer says so.
    add(&api, json!({ "type": "group_member", "group_id": 424_242, "role_id": high })).await;
    let told = api.post("/bindings/test", test(&member.chat)).await.ok();
    assert_eq!((&told["matches"], &told["changes"]), (&json!(true), &Value::Null));
    assert!(told["problem"].as_str().unwrap().contains("group"), "{told}");
}

async fn the_highest_priority_names_the_member(deployment: &Deployment) {
    let (api, guild) = unbound(deployment).await;
    let (member, roles) = (guild.right(), &guild.roles);
    let named = |kind: &str, role: &str, template: &str, priority: i64| json!({ "type": kind, "role_id": role, "nickname_template": template, "priority": priority });
    let inside = with(named("group_member", &roles[0], "first", 5), &json!({ "group_id": guild.group }));
    let first = add(&api, inside).await;
    let second = add(&api, named("verified", &roles[1], "second", 5)).await;
    set(deployment, member, &[50], &[], Value::Null).await;
    let nick = async || {
        sync(&api, member).await;
        deployment.simulator.member(guild, &member.chat).await["nick"].clone()
    };
    let update = async |id: i64, fields: Value| {
        api.patch("/bindings/update", with(json!({ "binding_id": id }), &fields)).await.ok();
    };
    assert_eq!(nick().await, "first", "the oldest of equal ones");
    update(second, json!({ "priority": 6 })).await;
    assert_eq!(nick().await, "second");
    update(second, json!({ "nickname_template": null })).await;
    assert_eq!(nick().await, "first");
    update(first, json!({ "nickname_template": "" })).await;
    set(deployment, member, &[50], &[], json!("own")).await;
    assert_eq!(nick().await, "own", "an empty template leaves nicknames alone");
    update(first, json!({ "nickname_template": null })).await;
    assert_eq!(nick().await, member.name.as_str());
}
