//! /console/guilds/:guild/bindings, and the first steps.

use testkit::{Deployment, in_turn};

use testkit::console::Console;

in_turn!(
    a_group_offers_its_ranks_by_name,
    what_cannot_be_read_is_said_at_its_field,
    each_type_is_added_and_shown,
    a_binding_is_changed_in_place_and_changed_back,
    a_member_is_tested_without_a_change,
    the_first_steps_say_what_is_left
);

async fn a_group_offers_its_ranks_by_name(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let bindings = format!("/console/guilds/{}/bindings", guild.id);
    let listed = console.get(&bindings).await;
    let name = format!("Group {}", guild.group - 5_000);
    listed.shows(200, "Captain (200)").shows(200, &format!("{name} {}", guild.group));
    listed.shows(200, &format!("Rank in group {name}"));
    // The only group of the bindings is chosen at once.
    listed.shows(200, "Choose a rank").has_typed("group_id", &guild.group.to_string());
    let address = format!("{bindings}?group_id=https://www.roblox.com/communities/{}/Harbour", guild.group);
    console.get(&address).await.has_typed("group_id", &guild.group.to_string());
    let offered = console.get(&format!("{bindings}?group_id={}", guild.group)).await;
    offered.shows(200, "Choose a rank").shows(200, "Not in the group");
    // A role above the bot cannot be chosen, and the page says why.
    offered.shows(200, "stands at or above the bot's highest role");
}

async fn what_cannot_be_read_is_said_at_its_field(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let bindings = format!("/console/guilds/{}/bindings", guild.id);
    console.get(&format!("{bindings}?group_id=987654321")).await.shows(200, "Roblox has no group 987654321.");
    console.get(&format!("{bindings}?group_id=my+group")).await.shows(200, "has digits only");
    let group = guild.group.to_string();
    let unranked = [("group_id", group.as_str()), ("rank", "256"), ("role_id", &guild.roles[0])];
    console.post(&bindings, &unranked).await.refuses("rank", "", "Choose a rank of the group, 0 to 255.");
    let twice = [("group_id", group.as_str()), ("rank", "200"), ("role_id", &guild.roles[3])];
    console.post(&bindings, &twice).await.shows(422, "The server has this binding already");
}

async fn each_type_is_added_and_shown(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let bindings = format!("/console/guilds/{}/bindings", guild.id);
    // Without a group only the types that need none are offered.
    let choices = async |query: &str| {
        console
            .get(&format!("{bindings}{query}"))
            .await
            .form_asking("nickname_template")
            .choices("type")
            .to_vec()
    };
    assert_eq!(choices("?group_id=x").await, ["verified", "unverified"]);
    assert_eq!(choices("").await.len(), 6);
    let (group, trainee) = (guild.group.to_string(), (guild.group * 1_000 + 1).to_string());
    let role = guild.roles[0].as_str();
    for (fields, shown) in [
        (&[("type", "group_rank_range"), ("min_rank", "40"), ("max_rank", "60")][..], "Ranks 40 to 60"),
        (&[("type", "group_member")], "All members of the group"),
        (&[("type", "group_role"), ("group_role_id", &trainee)], "Role Trainee"),
        (
            &[("type", "verified"), ("nickname_template", "{chat_username}"), ("priority", "3")],
            "All linked members",
        ),
        (&[("type", "unverified")], "Members without a link"),
    ] {
        let fields = [fields, &[("group_id", group.as_str()), ("role_id", role), ("rank", "")][..]].concat();
        let added = console.submit(&bindings, &fields).await;
        added.shows(200, "Binding added.");
        assert!(added.texts("td").iter().any(|text| text == shown), "{shown}");
    }
    console.get(&bindings).await.shows(200, "nickname {chat_username}, priority 3").shows(200, "By link");
    let removed = api_id(deployment, "verified").await;
    let removed = console.submit(&format!("{bindings}/{removed}/remove"), &[]).await;
    removed.shows(200, "Binding removed");
    console
        .undo(&removed)
        .await
        .shows(200, "Binding added.")
        .shows(200, "nickname {chat_username}, priority 3");

    let common = [("group_id", group.as_str()), ("role_id", role)];
    let refuses = async |fields: &[(&str, &str)], field: &str, typed: &str, text: &str| {
        let all = [fields, &common[..]].concat();
        console.post(&bindings, &all).await.refuses(field, typed, text);
    };
    let foreign = [("type", "group_member"), ("min_rank", "4")];
    refuses(&foreign, "min_rank", "4", "does not belong").await;
    refuses(&[("type", "group_rank_range"), ("min_rank", "4")], "max_rank", "", "missing").await;
    refuses(
        &[("type", "verified"), ("nickname_template", "{rang}")],
        "nickname_template",
        "{rang}",
        "{rank_name}",
    )
    .await;
    refuses(&[("type", "verified"), ("priority", "x")], "priority", "x", "Enter a number from 0 to 1000.")
        .await;
}

/// The binding of this type.
async fn api_id(deployment: &Deployment, kind: &str) -> String {
    let listed = deployment.api().get("/bindings/list").await.ok()["bindings"].clone();
    let found = listed.as_array().unwrap().iter().find(|binding| binding["type"] == kind).unwrap();
    found["id"].to_string()
}

async fn a_binding_is_changed_in_place_and_changed_back(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let bindings = format!("/console/guilds/{}/bindings", guild.id);
    let listed = async || deployment.api().get("/bindings/list").await.ok()["bindings"].clone();
    let before = listed().await;
    let list = console.get(&bindings).await;
    let form = console.get(&list.link("Change Captain")).await;
    form.shows(200, "Change a binding").has_typed("rank", "200").has_typed("role_id", &guild.roles[3]);
    form.has_typed("group_id", &guild.group.to_string()).has_typed("priority", "0");

    let emptied = console.press(&form, "Save binding", &[("rank", "")]).await;
    emptied.refuses("rank", "", "Choose a rank of the group, 0 to 255.");
    let wrong = console.press(&form, "Save binding", &[("nickname_template", "{rang}")]).await;
    wrong.refuses("nickname_template", "{rang}", "{rank_name}");
    assert_eq!(listed().await, before);

    // The rank of the type before is not asked for.
    let typed = [("type", "group_rank_range"), ("min_rank", "190"), ("max_rank", "255"), ("priority", "7")];
    let changed = console.press(&form, "Save binding", &typed).await;
    changed.shows(200, "Binding changed: Captain, Ranks 190 to 255 in Group");
    assert!(changed.texts("td").iter().any(|text| text == "Ranks 190 to 255"), "{}", changed.text());
    console.undo(&changed).await.shows(200, "Binding changed: Captain, Captain (200) in Group");
    assert_eq!(listed().await, before, "the same binding, as it was");
    let same = console.press(&form, "Save binding", &[]).await;
    same.shows(200, "Nothing to change");

    // Another group offers its ranks, and none leaves the binding alone.
    let other = console.get(&format!("{}?group_id=my+group", form.path())).await;
    other.shows(200, "has digits only");
    assert!(other.forms().iter().all(|form| form.button("Save binding").is_none()), "{}", other.text());
    console.get(&format!("{bindings}/987654321")).await.shows(404, "There is no such page");
}

async fn a_member_is_tested_without_a_change(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let bindings = format!("/console/guilds/{}/bindings", guild.id);
    let member = &guild.members[5];
    let tested = console.get(&format!("{bindings}?member={}", member.chat)).await;
    tested.shows(200, "gets the role").shows(200, "does not match").shows(200, &member.name);
    tested.shows(200, "Rank now").shows(200, "has another rank").shows(200, "A sync would");
    let ranks = tested.texts("#test td");
    assert!(
        ["Captain (200)", "Captain"].iter().all(|text| ranks.iter().any(|rank| rank == text)),
        "{ranks:?}"
    );
    console.get(&format!("{bindings}?member={}", member.name)).await.shows(200, "gets the role");
    console.get(&format!("{bindings}?member={}", member.play)).await.shows(200, "gets the role");
    console.get(&format!("{bindings}?member=999999")).await.shows(200, "No linked member has this id");
    console.get(&format!("{bindings}?member=nobody")).await.shows(200, "No linked member is named");
}

async fn the_first_steps_say_what_is_left(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let steps = console.get(&format!("/console/guilds/{}/first-run", guild.id)).await;
    steps.shows(200, "Discord accepts the bot's token.").shows(200, "The bot is in your server.");
    steps.shows(200, "The bot can give the 5 roles below its own.").shows(200, "4 set.");
}
