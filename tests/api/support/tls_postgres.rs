//! A Postgres with TLS and a certificate that is generated for the test.

use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use super::fresh_path;

/// User and group for the server if the tests run as root, because Postgres refuses root.
type Account = Option<(u32, u32)>;

/// A server on a TCP port. It is stopped when this value is dropped.
pub struct TlsPostgres {
    process: Child,
    folder: PathBuf,
    port: u16,
    /// The certificate of the authority that signed the server's certificate.
    pub authority: PathBuf,
    /// The certificate of another authority.
    pub stranger: PathBuf,
}

/// The password of the server's user `cardscape`.
const PASSWORD: &str = "a password of a server";

impl TlsPostgres {
    /// Starts a server with a certificate for `name`; it accepts only connections with TLS.
    pub async fn start(name: &str) -> Self {
        let account = account();
        let folder = fresh_path(".tls");
        std::fs::create_dir(&folder).unwrap();
        let write = |file: &str, text: &str| {
            let path = folder.join(file);
            std::fs::write(&path, text).unwrap();
            path
        };
        let own = authority("Authority of the test");
        let server_key = KeyPair::generate().unwrap();
        let server = CertificateParams::new([name.to_owned()]).unwrap();
        let server = server.signed_by(&server_key, &own).unwrap();
        let authority_file = write("authority.pem", &own.pem());
        let stranger = write("stranger.pem", &authority("Somebody else").pem());
        let certificate = write("server.pem", &server.pem());
        let key = write("server.key", &server_key.serialize_pem());
        let password = write("password", PASSWORD);
        std::fs::set_permissions(&key, PermissionsExt::from_mode(0o600)).unwrap();
        if let Some((user, group)) = account {
            for path in [&folder, &key] {
                chown(path, Some(user), Some(group)).unwrap();
            }
        }
        let data = folder.join("data");
        let initdb = program("initdb", account)
            .args(["--no-sync", "--encoding=UTF8", "--locale=C.UTF-8", "--auth=scram-sha-256"])
            .args(["--username=cardscape", "--pgdata"])
            .arg(&data)
            .arg(format!("--pwfile={}", password.display()))
            .output()
            .unwrap();
        assert!(initdb.status.success(), "{}", String::from_utf8_lossy(&initdb.stderr));
        std::fs::write(data.join("pg_hba.conf"), "hostssl all all 127.0.0.1/32 scram-sha-256\n")
            .unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = program("postgres", account)
            .arg("-D")
            .arg(&data)
            .args([
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "unix_socket_directories=",
                "-c",
                "fsync=off",
            ])
            .args(["-c", "ssl=on", "-c", &format!("port={port}")])
            .args(["-c", &format!("ssl_cert_file={}", certificate.display())])
            .args(["-c", &format!("ssl_key_file={}", key.display())])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { process, folder, port, authority: authority_file, stranger };
        for _ in 0..400 {
            // The last line of this file is the state of the server.
            let state = std::fs::read_to_string(data.join("postmaster.pid")).unwrap_or_default();
            if state.lines().last().is_some_and(|line| line.trim() == "ready") {
                return server;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("Postgres does not start");
    }

    /// The maintenance database, on a host name of this machine, with these parameters.
    pub fn url(&self, host: &str, parameters: &str) -> String {
        let password = PASSWORD.replace(' ', "%20");
        format!("postgres://cardscape:{password}@{host}:{}/postgres?{parameters}", self.port)
    }
}

impl Drop for TlsPostgres {
    fn drop(&mut self) {
        let id = i32::try_from(self.process.id()).ok().and_then(rustix::process::Pid::from_raw);
        // A fast shutdown: the server ends its sessions itself.
        let _ = rustix::process::kill_process(id.unwrap(), rustix::process::Signal::INT);
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn authority(name: &str) -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new([]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(rcgen::DnType::CommonName, name);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

fn account() -> Account {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let id = |option: &str, name: &str| {
        let output = Command::new("id").args([option, name]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().parse().ok()
    };
    let of = |name: &str| Some((id("-u", name)?, id("-g", name)?));
    of("postgres").or_else(|| of("nobody"))
}

/// A program of PostgreSQL.
fn program(name: &str, account: Account) -> Command {
    let mut folders: Vec<PathBuf> =
        std::env::var_os("CARDSCAPE_PG_BIN").map(PathBuf::from).into_iter().collect();
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    folders.extend(versions.map(|version| version.path().join("bin")));
    let found = folders.iter().map(|folder| folder.join(name)).find(|path| Path::is_file(path));
    let mut command = Command::new(found.expect("PostgreSQL is installed (make postgres)"));
    command.env_clear().current_dir("/");
    if let Some((user, group)) = account {
        command.uid(user).gid(group);
    }
    command
}
