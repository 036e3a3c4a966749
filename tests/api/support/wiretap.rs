//! A proxy between the service and Postgres that records every statement.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use percent_encoding::percent_decode_str;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixStream};

/// A recording route to the database. It runs on the runtime that started it.
pub struct Wiretap {
    url: String,
    statements: Arc<Mutex<Statements>>,
}

/// Statements recorded since the last query.
#[derive(Default)]
struct Statements {
    executed: Vec<String>,
    prepared: Vec<String>,
}

impl Wiretap {
    /// Starts a proxy for the database at `url`, which must use a Unix socket:
    /// `postgres:///NAME?host=FOLDER&user=USER`.
    pub async fn start(url: &str) -> Self {
        let (database, rest) = url.strip_prefix("postgres:///").unwrap().split_once('?').unwrap();
        let parameter = |name: &str| {
            let value = rest.split('&').find_map(|part| part.strip_prefix(name)).unwrap();
            percent_decode_str(value).decode_utf8().unwrap().into_owned()
        };
        let socket = PathBuf::from(parameter("host=")).join(".s.PGSQL.5432");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let url = format!(
            "postgres://{}@127.0.0.1:{port}/{database}?sslmode=disable",
            parameter("user=")
        );
        let statements = Arc::<Mutex<Statements>>::default();
        let recorded = statements.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = UnixStream::connect(&socket).await.unwrap();
                tokio::spawn(pass_on(client, server, recorded.clone()));
            }
        });
        Self { url, statements }
    }

    /// The address of the database through the proxy.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Takes the statements run since the last call that contain the name of one of the tables.
    pub fn take_statements(&self, tables: &[&str]) -> Vec<String> {
        about(tables, std::mem::take(&mut self.statements.lock().unwrap().executed))
    }

    /// Takes the statements prepared since the last call that contain the name of one of the tables.
    pub fn prepared(&self, tables: &[&str]) -> Vec<String> {
        about(tables, std::mem::take(&mut self.statements.lock().unwrap().prepared))
    }
}

fn about(tables: &[&str], statements: Vec<String>) -> Vec<String> {
    let names_one = |sql: &String| tables.iter().any(|table| sql.contains(table));
    statements.into_iter().filter(names_one).collect()
}

async fn pass_on(client: TcpStream, server: UnixStream, statements: Arc<Mutex<Statements>>) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    tokio::spawn(async move { tokio::io::copy(&mut from_server, &mut to_client).await });
    let (mut bytes, mut begun, mut named) = (Vec::new(), false, HashMap::new());
    while from_client.read_buf(&mut bytes).await.is_ok_and(|read| read > 0) {
        // The first message has no type.
        loop {
            let head = if begun { 5 } else { 4 };
            let Some(length) = bytes.get(head - 4..head) else { break };
            let length = u32::from_be_bytes(length.try_into().unwrap()) as usize + head - 4;
            if bytes.len() < length {
                break;
            }
            let message: Vec<u8> = bytes.drain(..length).collect();
            if begun {
                listen(&message, &mut named, &statements);
            }
            begun = true;
            if to_server.write_all(&message).await.is_err() {
                return;
            }
        }
    }
}

/// Records the statements that a message executes.
fn listen(message: &[u8], named: &mut HashMap<String, String>, statements: &Mutex<Statements>) {
    let mut texts = message[5..].split(|byte| *byte == 0);
    let mut text = || String::from_utf8_lossy(texts.next().unwrap_or_default()).into_owned();
    match message[0] {
        // Parse: name and text.
        b'P' => {
            let (name, sql) = (text(), text());
            statements.lock().unwrap().prepared.push(sql.clone());
            named.insert(name, sql);
        }
        // Bind: the portal, and the name of the statement.
        b'B' => {
            let (_, name) = (text(), text());
            statements.lock().unwrap().executed.push(named.get(&name).cloned().unwrap_or_default());
        }
        b'Q' => statements.lock().unwrap().executed.push(text()),
        _ => {}
    }
}
