//! A first admin that is stored although Postgres seems not to answer: the log says how to get a password.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::Signal;
use serde_json::Value;

use super::{Home, text};

/// An address for the Postgres with this socket. The answer to the COMMIT of a transaction that writes these bytes is lost on the way.
fn lose_answer_to_commit(socket: PathBuf, written: &'static [u8]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let server = UnixStream::connect(&socket).unwrap();
            std::thread::spawn(move || pass_on(client, server, written));
        }
    });
    address
}

fn pass_on(mut client: TcpStream, mut server: UnixStream, written: &[u8]) -> io::Result<()> {
    let is_lost = Arc::new(AtomicBool::new(false));
    let (from, to, lost) = (server.try_clone()?, client.try_clone()?, is_lost.clone());
    std::thread::spawn(move || pass_back(from, to, &lost));
    let contains = |sent: &[u8], part: &[u8]| sent.windows(part.len()).any(|bytes| bytes == part);
    let (mut bytes, mut has_written) = ([0; 8192], false);
    loop {
        let length = client.read(&mut bytes)?;
        if length == 0 {
            return server.shutdown(Shutdown::Both);
        }
        let sent = &bytes[..length];
        has_written = has_written || contains(sent, written);
        if has_written && contains(sent, b"COMMIT") {
            is_lost.store(true, Ordering::SeqCst);
        }
        server.write_all(sent)?;
    }
}

/// Passes answers back, until one must be lost: then the connection is closed instead.
fn pass_back(
    mut server: UnixStream,
    mut client: TcpStream,
    is_lost: &AtomicBool,
) -> io::Result<()> {
    let mut bytes = [0; 8192];
    loop {
        let length = server.read(&mut bytes)?;
        if length == 0 || is_lost.load(Ordering::SeqCst) {
            return client.shutdown(Shutdown::Both);
        }
        client.write_all(&bytes[..length])?;
    }
}

#[tokio::test]
async fn the_log_says_that_the_answer_to_the_commit_of_the_first_admin_is_lost() {
    let home = Home::new();
    let server = home.serve();
    home.query("CREATE DATABASE second").await;
    let socket = home.0.join("run").canonicalize().unwrap().join(".s.PGSQL.5432");
    let address = lose_answer_to_commit(socket, b"account.created");
    let url = format!("postgres://cardscape@{address}/second");
    let keys = home.0.join("keys.json");
    let options = ["--database-url", &url, "--keys-file", keys.to_str().unwrap()];

    let other = Home::new();
    // No password is shown, so nobody waits for it.
    other.mark_started();
    let service = other.serve_with(&options);
    assert!(service.is_ready().await);
    let log = service.stop(Signal::TERM);
    let line = log.lines().find(|line| line.contains("admin reset-password admin"));
    let line: Value = serde_json::from_str(line.expect("a line in the log")).unwrap();
    assert_eq!(line["level"], "ERROR", "{line}");

    let reset = ["admin", "reset-password", "admin"];
    let output = other.command(&[&reset[..], &options[..2]].concat()).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    server.stop(Signal::TERM);
}
