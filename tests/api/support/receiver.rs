//! A receiver of webhooks on loopback, and the dispatcher that posts to it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use cardscape::app::operations::webhooks::render;
use cardscape::webhooks::Dispatcher;
use cardscape::webhooks::sender::Sender;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use standardwebhooks::{Webhook, WebhookError};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};

use super::{Player, RequestExt as _, TestApp};

/// A webhook that an admin created.
#[derive(Clone, Debug)]
pub struct Hook {
    pub id: String,
    pub path: String,
    pub secret: String,
}

impl TestApp {
    /// The dispatcher of this instance, which the running service calls every second.
    pub fn dispatcher(&self) -> Arc<Dispatcher> {
        let here = "127.0.0.0/8".parse().unwrap();
        Arc::new(Dispatcher {
            store: self.store().clone(),
            keys: self.keys().clone(),
            clock: self.clock().clone(),
            sender: Sender::new(vec![here]).unwrap(),
            render,
            stopping: tokio::sync::watch::channel(false).1,
        })
    }

    /// Posts all due deliveries.
    pub async fn post_webhooks(&self) {
        self.dispatcher().run_once().await.unwrap();
    }

    /// Creates a webhook for these kinds of events.
    pub async fn webhook(&self, admin: &Player, url: &str, kinds: &[&str]) -> Hook {
        let body = json!({ "url": url, "kinds": kinds });
        let created = self.post("/v1/webhooks").by(admin).json(&body).answer().await.expect(201);
        let id = created["id"].as_str().unwrap().to_owned();
        let secret = created["secret"].as_str().unwrap().to_owned();
        Hook { path: format!("/v1/webhooks/{id}"), id, secret }
    }
}

/// A received request.
#[derive(Clone, Debug)]
pub struct Received {
    pub target: String,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Received {
    pub fn header(&self, name: &str) -> &str {
        &self.headers[name]
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The sequence number of the event.
    pub fn seq(&self) -> i64 {
        self.json()["seq"].as_i64().unwrap()
    }

    /// For each signature, whether it was created with the secret. The age is not checked. Uses the library of the standard.
    pub fn signed_with(&self, secret: &str) -> Vec<bool> {
        let time = self.header("webhook-timestamp").parse().unwrap();
        let expected = Webhook::new(secret)
            .unwrap()
            .sign(self.header("webhook-id"), time, &self.body)
            .unwrap();
        self.header("webhook-signature").split(' ').map(|one| one == expected).collect()
    }

    /// Verifies signature, time and headers with the library of the standard, as a receiver in Rust would.
    pub fn verify_with(&self, secret: &str) -> Result<(), WebhookError> {
        let headers = self.headers.iter().map(|(name, value)| {
            (
                HeaderName::from_bytes(name.as_bytes()).unwrap(),
                HeaderValue::from_str(value).unwrap(),
            )
        });
        Webhook::new(secret)?.verify(&self.body, &headers.collect::<HeaderMap>())
    }
}

#[derive(Default)]
struct Inbox {
    received: Mutex<Vec<Received>>,
    answers: Mutex<VecDeque<String>>,
    arrival: Notify,
}

/// An HTTP server that records requests and sends the responses that a test sets.
pub struct Receiver {
    pub url: String,
    inbox: Arc<Inbox>,
    /// One permit for each response, while responses are held back.
    gate: Arc<Semaphore>,
}

impl Receiver {
    /// Starts a receiver. It responds to every request with 204 until other responses are set.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook?key=of-the-receiver", listener.local_addr().unwrap());
        let (inbox, gate) = (Arc::<Inbox>::default(), Arc::new(Semaphore::new(1_000_000)));
        let (served_inbox, at_gate) = (inbox.clone(), gate.clone());
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(stream, served_inbox.clone(), at_gate.clone()));
            }
        });
        Self { url, inbox, gate }
    }

    /// Sets the next responses: status lines without the version, followed by header lines.
    pub fn answer(&self, answers: &[&str]) {
        self.inbox
            .answers
            .lock()
            .unwrap()
            .extend(answers.iter().map(|answer| (*answer).to_owned()));
    }

    /// Holds responses back from now on.
    pub fn hold(&self) {
        self.gate.forget_permits(usize::MAX);
    }

    /// Sends all held responses, and later ones without delay.
    pub fn release(&self) {
        self.gate.add_permits(1_000_000);
    }

    /// The requests received so far.
    pub fn received(&self) -> Vec<Received> {
        self.inbox.received.lock().unwrap().clone()
    }

    /// Waits until this many requests were received.
    pub async fn wait_for(&self, count: usize) -> Vec<Received> {
        loop {
            let more = self.inbox.arrival.notified();
            let received = self.received();
            if received.len() >= count {
                return received;
            }
            more.await;
        }
    }
}

async fn serve(mut stream: TcpStream, inbox: Arc<Inbox>, gate: Arc<Semaphore>) {
    let Some(received) = read(&mut stream).await else { return };
    inbox.received.lock().unwrap().push(received);
    inbox.arrival.notify_waiters();
    gate.acquire().await.unwrap().forget();
    let answer = inbox.answers.lock().unwrap().pop_front();
    let answer = answer.unwrap_or_else(|| "204 No Content".to_owned());
    let _ = stream
        .write_all(format!("HTTP/1.1 {answer}\r\nconnection: close\r\n\r\n").as_bytes())
        .await;
    let _ = stream.shutdown().await;
}

async fn read(stream: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let text = String::from_utf8(bytes[..head].to_vec()).unwrap();
    let target = text.split(' ').nth(1).unwrap().to_owned();
    let headers: BTreeMap<String, String> = text
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers["content-length"].parse().unwrap();
    while bytes.len() < head + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    Some(Received { target, headers, body: bytes[head..].to_vec() })
}
