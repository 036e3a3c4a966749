//! The yardstick for answers from the database: a separate process that runs the same statements with the same parameters,
//! with only tokio-postgres and an actix route.

use std::cell::Cell;
use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use actix_web::{App, HttpResponse, HttpServer, web};
use anyhow::Context as _;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{Format, FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, NoTls, Statement};

use crate::service::Home;
use crate::statements::Recorded;

/// Connections of each worker: as many as in the pools of the service.
const CONNECTIONS: usize = 8;

/// The running process of the yardstick.
pub(crate) struct BareServer {
    child: Child,
    pub address: SocketAddr,
    /// A path for each recorded request.
    pub paths: Vec<String>,
}

impl BareServer {
    pub(crate) async fn start(
        home: &Home,
        database: &str,
        recorded: &Recorded,
    ) -> anyhow::Result<Self> {
        let file = home.data.join("bench-statements.json");
        tokio::fs::write(&file, serde_json::to_vec(recorded)?).await?;
        let mut child = Command::new(std::env::current_exe()?)
            .args(["--bare", database])
            .arg(&file)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut lines = BufReader::new(child.stdout.take().context("its output")?).lines();
        let address = lines.next().context("the bare server did not start")??.parse()?;
        let path = |statement: usize, request: usize| format!("/{statement}/{request}");
        let requests = recorded.statements.iter().enumerate();
        let paths = requests
            .flat_map(|(at, (_, list))| (0..list.len()).map(move |request| path(at, request)))
            .collect();
        Ok(Self { child, address, paths })
    }
}

impl Drop for BareServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A value of any type, as the bytes that Postgres sent.
struct Bytes<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Bytes<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// A parameter of any type, as text.
#[derive(Debug)]
struct Text(String);

impl ToSql for Text {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.extend_from_slice(self.0.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    to_sql_checked!();
}

type Parameters = Vec<Option<Text>>;

/// The state of a worker thread.
struct Worker {
    connections: Vec<(Client, Vec<Statement>)>,
    next: Cell<usize>,
    parameters: Vec<Vec<Parameters>>,
}

/// Runs the yardstick and prints its address.
pub(crate) fn serve(url: &str, file: &Path) -> anyhow::Result<()> {
    let recorded: Recorded = serde_json::from_slice(&std::fs::read(file)?)?;
    let url = url.to_owned();
    actix_web::rt::System::new().block_on(async move {
        let workers = std::thread::available_parallelism().map_or(2, usize::from);
        let server = HttpServer::new(move || {
            let (url, recorded) = (url.clone(), recorded.clone());
            App::new()
                .data_factory(move || open(url.clone(), recorded.clone()))
                .route("/{statement}/{request}", web::get().to(answer))
        });
        let server = server.workers(workers).bind("127.0.0.1:0")?;
        println!("{}", server.addrs()[0]);
        server.run().await?;
        anyhow::Ok(())
    })
}

async fn open(url: String, recorded: Recorded) -> Result<Worker, tokio_postgres::Error> {
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
        actix_web::rt::spawn(connection);
        let mut statements = Vec::new();
        for (statement, _) in &recorded.statements {
            statements.push(client.prepare(statement).await?);
        }
        connections.push((client, statements));
    }
    let texts = |list: Vec<Option<String>>| list.into_iter().map(|text| text.map(Text)).collect();
    let parameters = recorded.statements.into_iter();
    let parameters = parameters.map(|(_, requests)| requests.into_iter().map(texts).collect());
    Ok(Worker { connections, next: Cell::new(0), parameters: parameters.collect() })
}

async fn answer(worker: web::Data<Worker>, path: web::Path<(usize, usize)>) -> HttpResponse {
    let (statement, request) = path.into_inner();
    let at = worker.next.get();
    worker.next.set((at + 1) % worker.connections.len());
    let (client, statements) = &worker.connections[at];
    let parameters = worker.parameters[statement][request].iter();
    let parameters: Vec<&(dyn ToSql + Sync)> =
        parameters.map(|parameter| parameter as &(dyn ToSql + Sync)).collect();
    match client.query(&statements[statement], &parameters).await {
        Ok(rows) => {
            let mut body = Vec::new();
            for row in &rows {
                for column in 0..row.len() {
                    if let Some(Bytes(value)) = row.get(column) {
                        body.extend_from_slice(value);
                    }
                }
            }
            HttpResponse::Ok().body(body)
        }
        Err(error) => HttpResponse::InternalServerError().body(error.to_string()),
    }
}
