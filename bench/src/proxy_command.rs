//! `bench proxy`: the proxy by hand, controlled by lines on standard input.

use std::io::BufRead;
use std::net::SocketAddr;

use testkit::proxy::{ORDERS, Order, Proxy};

#[derive(clap::Args)]
#[command(after_help = format!("Orders on standard input, one a line; its end ends the proxy:\n\n{ORDERS}"))]
pub(crate) struct Arguments {
    /// Address to listen on; port 0 takes a free one, which is printed
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Server to pass on to, as host:port
    #[arg(long)]
    to: String,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let proxy = Proxy::listen(arguments.listen, &arguments.to)?;
    println!("{} -> {}", proxy.address(), arguments.to);
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        match line.parse::<Order>() {
            Ok(order) => println!("{}", proxy.obey(&order)),
            Err(problem) => eprintln!("{problem}"),
        }
    }
    Ok(())
}
