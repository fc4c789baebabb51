//! /console/guilds/:guild/bindings, and the first steps.

use testkit::{Deployment, in_turn};

use testkit::console::Console;

in_turn!(
    a_group_offers_its_ranks_by_name,
    what_cannot_be_read_is_said_at_its_field,
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
    console.post(&bindings, &twice).await.shows(422, "The guild has this binding already");
}

async fn a_member_is_tested_without_a_change(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let bindings = format!("/console/guilds/{}/bindings", guild.id);
    let member = &guild.members[5];
    let tested = console.get(&format!("{bindings}?member={}", member.chat)).await;
    tested.shows(200, "gets the role").shows(200, "does not match").shows(200, &member.name);
    tested.shows(200, "Rank now");
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
