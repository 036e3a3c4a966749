//! A service and its database server may start in any order.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use super::{Home, program};

#[test]
fn a_service_waits_for_a_server_that_starts_after_it() {
    let home = Home::new();
    let first = home.serve();
    let url = home.url();
    first.stop(Signal::TERM);

    let keys = home.0.join("keys.json");
    let mut waiting = program()
        .args(["serve", "--listen", "127.0.0.1:0", "--database-url", &url, "--keys-file"])
        .arg(&keys)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(waiting.stderr.take().unwrap()).lines();
    let message = log.find(|line| line.as_ref().unwrap().contains("trying again"));
    assert!(message.is_some(), "the log states why the service waits");
    // The pipe must be read: otherwise it fills up and the service blocks on writing.
    let log = std::thread::spawn(move || log.map_while(Result::ok).collect::<Vec<_>>());

    let server = home.serve();
    let mut lines = BufReader::new(waiting.stdout.take().unwrap()).lines();
    let ready = lines.find(|line| line.as_ref().unwrap().starts_with("Cardscape is ready"));
    let ready = ready.expect("the service starts when the server is available").unwrap();
    let base = ready.strip_prefix("Cardscape is ready: ").unwrap();
    let next = lines.next().unwrap().unwrap();
    assert_eq!(next, format!("The API, to read and to try: {base}/docs/"));
    kill_process(Pid::from_child(&waiting), Signal::TERM).unwrap();
    let status = waiting.wait().unwrap();
    let log = log.join().unwrap();
    assert!(status.success(), "{log:?}");
    let again = log.iter().filter(|line| line.contains("trying again")).count();
    assert!(again <= 3, "a reason is logged once, not at every attempt: {log:?}");
    server.stop(Signal::TERM);
}
