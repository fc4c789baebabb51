//! Links of other bots are imported in the console.

use serde_json::{Value, json};
use testkit::console::Console;
use testkit::{Deployment, OUTSIDER, in_turn};

in_turn!(
    what_each_line_does_is_shown_before_it_is_done,
    what_cannot_be_read_stands_at_the_field,
    links_that_stand_in_the_way_end_only_if_that_is_asked_for,
);

fn page(deployment: &Deployment) -> String {
    format!("/console/guilds/{}/members/import", deployment.guild().id)
}

async fn link_of(deployment: &Deployment, chat: &str) -> Value {
    let path = format!("/guilds/{}/links/{chat}", deployment.guild().id);
    deployment.api().get(&path).await.ok()["link"].clone()
}

const SHOW: &str = "Show what would be done";

async fn what_each_line_does_is_shown_before_it_is_done(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let kept = &guild.members[5];
    let list = console.get(&format!("/console/guilds/{}/members", guild.id)).await;
    let form = console.get(&list.link("Import links")).await;
    let csv = format!(
        "Discord ID;note;robloxId;username\n{OUTSIDER};a;880005;late\n{};b;{};{}\nx;c;7;d\n",
        kept.chat, kept.play, kept.name
    );
    let asked = console.press(&form, SHOW, &[("csv", &csv)]).await;
    asked.has_typed("column_chat", "0").has_typed("column_play", "2").has_typed("column_name", "3");
    let rows = asked.texts("tbody tr");
    assert!(rows[0].contains("late 880005") && rows[0].contains("will be linked"), "{rows:?}");
    assert!(rows[1].contains("linked already"), "{rows:?}");
    assert!(rows[2].contains("cannot be read") && rows[2].contains("No Discord id"), "{rows:?}");
    assert_eq!(link_of(deployment, OUTSIDER).await, Value::Null, "nothing was written");
    let done = console.press(&asked, "Link 1 member", &[]).await;
    done.shows(200, "What was done").shows(200, "A sync of all members");
    assert_eq!(link_of(deployment, OUTSIDER).await["play_id"], 880_005);
    let imports = console.get(&format!("/console/guilds/{}/imports/made/links", guild.id)).await;
    imports.shows(200, "1 link");
    let list = json!([{ "discordId": OUTSIDER, "robloxId": 880_005, "username": "late" }]).to_string();
    let again = console.press(&form, SHOW, &[("csv", &list)]).await;
    assert!(again.texts("tbody tr")[0].contains("linked already"), "{}", again.text());
    assert!(!again.text().contains("Link 0"), "{}", again.text());
    let undone = console.press(&done, "Undo this import", &[]).await;
    undone.shows(200, "The import is undone: 1 link ended.");
    assert_eq!(link_of(deployment, OUTSIDER).await, Value::Null);
    assert_eq!(link_of(deployment, &kept.chat).await["play_id"], kept.play, "linked before");
}

async fn what_cannot_be_read_stands_at_the_field(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    let form = console.get(&page(deployment)).await;
    let typed = "roblox_id,username\n7,ann";
    let refused = console.press(&form, SHOW, &[("csv", typed)]).await;
    refused.refuses("column_chat", "", "Choose the column with the Discord ids.");
    console.press(&form, SHOW, &[("csv", "")]).await.refuses("csv", "", "the file is empty");
}

async fn links_that_stand_in_the_way_end_only_if_that_is_asked_for(deployment: &Deployment) {
    let console = Console::owner(deployment).await;
    let from = &deployment.guild().members[6];
    let csv = format!("{OUTSIDER},{},{}", from.play, from.name);
    let form = console.get(&page(deployment)).await;
    let refused = console.press(&form, SHOW, &[("csv", &csv)]).await;
    refused.shows(200, "linked to another account").shows(200, &format!("{} is linked with", from.chat));
    let asked = console.press(&form, SHOW, &[("csv", &csv), ("replace", "yes")]).await;
    asked.shows(200, "will replace a link");
    console.press(&asked, "Link 1 member", &[]).await.shows(200, "linked in place of another");
    assert_eq!(link_of(deployment, OUTSIDER).await["play_id"], from.play);
    assert_eq!(link_of(deployment, &from.chat).await, Value::Null);
}
