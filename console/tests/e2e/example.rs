//! The shortest test of a page: sign in, post a form, read what follows, undo it.

use testkit::{Deployment, in_turn};

use testkit::console::Console;

in_turn!(a_binding_is_added_and_undone);

async fn a_binding_is_added_and_undone(deployment: &Deployment) {
    let (guild, console) = (deployment.guild(), Console::owner(deployment).await);
    let bindings = format!("/console/guilds/{}/bindings", guild.id);
    console.get(&bindings).await.shows(200, "Captain");
    let group = guild.group.to_string();
    let rank = [("group_id", group.as_str()), ("rank", "7"), ("role_id", &guild.roles[0])];
    let added = console.submit(&bindings, &rank).await;
    added.shows(200, "Binding added.");
    let refused = console.post(&bindings, &[("group_id", "x"), ("rank", "7"), ("role_id", "1")]).await;
    refused.shows(422, "A group's number has digits only");
    console
        .undo(&added)
        .await
        .shows(200, &format!("Binding removed: Member, 7 in Group {}", guild.group - 5_000));
}
