//! The yardstick for routes without a database: a fixed answer by only actix, in a separate process.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use actix_web::{App, HttpResponse, HttpServer, web};
use anyhow::Context as _;
use bytes::Bytes;

const BODY: &str = "{\"status\":\"ok\"}";
/// The longest file, in bytes.
const MOST: usize = 4 << 20;

/// The path of a file of so many bytes, at most [`MOST`].
pub(crate) fn file_of(bytes: u64) -> String {
    format!("/files/{bytes}")
}

/// The running process of the yardstick.
pub(crate) struct ThinServer {
    child: Child,
    pub address: SocketAddr,
}

impl ThinServer {
    pub(crate) fn start() -> anyhow::Result<Self> {
        let program = std::env::current_exe()?;
        let mut child = Command::new(program).arg("--thin").stdout(Stdio::piped()).spawn()?;
        let mut lines = BufReader::new(child.stdout.take().context("its output")?).lines();
        let address = lines.next().context("the thin server did not start")??.parse()?;
        Ok(Self { child, address })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for ThinServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs the yardstick and prints its address.
pub(crate) fn serve() -> anyhow::Result<()> {
    actix_web::rt::System::new().block_on(async {
        let answer = || async { HttpResponse::Ok().content_type("application/json").body(BODY) };
        let longest = Bytes::from(vec![b'x'; MOST]);
        let file = move |bytes: web::Path<usize>| {
            let body = longest.slice(..MOST.min(*bytes));
            async move { HttpResponse::Ok().content_type("application/octet-stream").body(body) }
        };
        let workers = std::thread::available_parallelism().map_or(2, usize::from);
        let app = move || {
            let files = web::get().to(file.clone());
            App::new().route("/files/{bytes}", files).default_service(web::to(answer))
        };
        let server = HttpServer::new(app).workers(workers).bind("127.0.0.1:0")?;
        println!("{}", server.addrs()[0]);
        server.run().await?;
        anyhow::Ok(())
    })
}
