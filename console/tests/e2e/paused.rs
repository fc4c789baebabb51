//! The notices to people of a server while an operator has paused its jobs, or a class of all jobs.

use testkit::{Deployment, both_modes};

use super::instance::enqueue;
use testkit::console::Console;

both_modes!(people_of_a_paused_server_are_told(own), people_are_told_where_a_paused_class_concerns_them(own));

/// Pages whose actions wait, and whether each says so.
async fn told(deployment: &Deployment, console: &Console, job: &str, text: &str) -> [bool; 4] {
    let (guild, member) = (&deployment.guild().id, &deployment.guild().lacking().chat);
    let pages = ["sync".to_owned(), "jobs".to_owned(), format!("jobs/{job}"), format!("members/{member}")];
    let mut told = [false; 4];
    for (page, told) in pages.iter().zip(&mut told) {
        *told = console.get(&format!("/console/guilds/{guild}/{page}")).await.contains(text);
    }
    told
}

async fn people_of_a_paused_server_are_told(deployment: &Deployment) {
    let (owner, guild) = (Console::owner(deployment).await, deployment.guild());
    let pause = ["jobs", "pause", "--guild", &guild.id, "--reason", "too many <syncs>"];
    deployment.command(&pause).await.succeeded();
    let job = enqueue(deployment, &guild.lacking().chat).await;
    let text = "The operator paused the jobs of this server: too many <syncs>";
    assert_eq!(told(deployment, &owner, &job, text).await, [true; 4]);
    deployment.command(&["jobs", "resume", "--guild", &guild.id]).await.succeeded();
    assert_eq!(told(deployment, &owner, &job, "The operator paused").await, [false; 4]);
}

async fn people_are_told_where_a_paused_class_concerns_them(deployment: &Deployment) {
    let (owner, guild) = (Console::owner(deployment).await, deployment.guild());
    deployment.command(&["jobs", "pause", "interactive", "--reason", "a slow Discord"]).await.succeeded();
    let job = enqueue(deployment, &guild.lacking().chat).await;
    let text = "The operator paused syncs of single members, role changes and tickets on all servers: a slow";
    assert_eq!(told(deployment, &owner, &job, text).await, [false, true, true, true]);
}
