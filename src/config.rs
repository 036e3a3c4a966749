//! The only reader of command line, environment variables and configuration: clap's `env` is used here, nowhere else.

use std::ffi::OsString;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use cardscape_engine::near;
use cardscape_pictures::Fonts;
use clap::{Args, ValueEnum};
use ipnet::IpNet;
use tracing_subscriber::EnvFilter;

use crate::app::state::ApiSettings;
use crate::auth::permission::Role;
use crate::auth::second_factor::SecondFactorDemand;
use crate::domain::accounts::attempts::AttemptLimits;

/// Where the database is.
#[derive(Args, Clone)]
pub struct DatabaseOptions {
    /// A Postgres of your own, `postgres://user:password@host/database`. Without it the service runs a private one.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, value_name = "URL", value_parser = database_url)]
    pub database_url: Option<String>,

    /// Where the private Postgres and the generated keys live [default: $XDG_DATA_HOME/cardscape, as root /var/lib/cardscape]
    #[arg(long, env = "CARDSCAPE_DATA_DIR", value_name = "DIR")]
    data_dir: Option<PathBuf>,

    /// The file with the keys that sign tokens and hash serial codes, mode 0600. Needed with a database of your own
    /// (`cardscape keys generate FILE` makes one); otherwise generated into the data directory.
    #[arg(long, env = "CARDSCAPE_KEYS_FILE", value_name = "FILE")]
    pub keys_file: Option<PathBuf>,

    /// Directory with the PostgreSQL programs (initdb, postgres) [default: found on this machine]
    #[arg(long, env = "CARDSCAPE_PG_BIN", value_name = "DIR")]
    pub pg_bin: Option<PathBuf>,
}

impl DatabaseOptions {
    /// The data directory: the option, or the platform's place for it.
    pub fn data_dir(&self) -> PathBuf {
        if let Some(dir) = &self.data_dir {
            return dir.clone();
        }
        if rustix::process::geteuid().is_root() {
            return PathBuf::from("/var/lib/cardscape");
        }
        let xdg =
            std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let base = xdg.or_else(|| home.map(|home| home.join(".local/share")));
        base.unwrap_or_else(|| PathBuf::from(".")).join("cardscape")
    }
}

/// `PATH`: where the programs of PostgreSQL may be.
pub fn search_path() -> Option<OsString> {
    std::env::var_os("PATH")
}

/// `XDG_RUNTIME_DIR`: the user's own place for sockets.
pub fn runtime_dir() -> Option<PathBuf> {
    std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute())
}

/// How the HTTP server behaves.
#[derive(Args, Clone)]
pub struct ServeOptions {
    /// Address and port to listen on.
    #[arg(
        long,
        env = "CARDSCAPE_LISTEN",
        default_value = "127.0.0.1:8080",
        value_name = "ADDRESS",
        value_parser = listen_address
    )]
    pub listen: SocketAddr,

    /// Where browsers find the service, for addresses that pages show to other sites: `https://cards.example` [default: pages show none]
    #[arg(long, env = "CARDSCAPE_PUBLIC_URL", value_name = "URL", value_parser = public_url)]
    public_url: Option<String>,

    /// Worker threads [default: one for each core]
    #[arg(long, env = "CARDSCAPE_WORKERS", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub workers: Option<u16>,

    /// Most database connections of one worker.
    #[arg(long, env = "CARDSCAPE_POOL_SIZE", default_value = "8", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub pool_size: u16,

    /// Database connections of the whole process for searches that are not answered from memory: those of moderators, misspelt names,
    /// suggestions.
    #[arg(long, env = "CARDSCAPE_SEARCH_CONNECTIONS", default_value = "2", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub search_connections: u16,

    /// Most cards that a regular expression, or another test that no index answers, is tried on.
    #[arg(long, env = "CARDSCAPE_SEARCH_CANDIDATES", default_value = "10000", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    search_candidates: u32,

    /// Memory for answers about cards that everybody may see, in MiB, and one and a half times as much for cards that decks are judged by; 0 caches none.
    #[arg(long, env = "CARDSCAPE_CARD_CACHE", default_value = "32", value_name = "MIB", value_parser = clap::value_parser!(u64).range(0..=65_536))]
    card_cache: u64,

    /// TrueType font with the emoji of pictures that are drawn as PNG, such as NotoColorEmoji.ttf [default: the one that the system has installed; without one, emoji are outlines]
    #[arg(long, env = "CARDSCAPE_EMOJI_FONT", value_name = "FILE", value_parser = emoji_font)]
    emoji_font: Option<Fonts>,

    /// Folder with games and sets that are loaded at the start [default: seed-data, if there is one]
    #[arg(long, env = "CARDSCAPE_SEED_DATA", value_name = "DIR")]
    pub seed_data: Option<PathBuf>,

    /// Requests per second from one network, in the long run; at least 1.
    #[arg(long, env = "CARDSCAPE_REQUESTS_PER_SECOND", default_value = "50", value_parser = clap::value_parser!(u32).range(1..))]
    requests_per_second: u32,

    /// Requests from one network at once; at least 1.
    #[arg(long, env = "CARDSCAPE_REQUEST_BURST", default_value = "200", value_parser = clap::value_parser!(u32).range(1..))]
    request_burst: u32,

    /// Multiplies every limit on attempts at passwords, codes and registrations. More than 1 only for events with many
    /// players behind one address, and for load tests; at least 1.
    #[arg(long, env = "CARDSCAPE_ATTEMPT_FACTOR", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    attempt_factor: u32,

    /// Shortest time between two builds of a game's bulk files, in seconds. 0: this instance builds none.
    #[arg(long, env = "CARDSCAPE_BULK_INTERVAL", default_value = "60", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(0..=86_400))]
    bulk_interval: u64,

    /// Whose accounts must have a second factor: until they have switched one on, they may only read what everybody may read, and change their password and second factor.
    #[arg(
        long,
        env = "CARDSCAPE_REQUIRE_SECOND_FACTOR",
        default_value = "none",
        value_name = "ROLE"
    )]
    require_second_factor: RequiredOf,

    /// Proxies whose X-Forwarded-For is believed, as networks: 10.0.0.0/8,::1/128
    #[arg(long, env = "CARDSCAPE_TRUSTED_PROXIES", value_delimiter = ',', value_name = "NETWORK", value_parser = network)]
    trusted_proxies: Vec<IpNet>,

    /// Networks that may read /metrics, beside this machine.
    #[arg(long, env = "CARDSCAPE_METRICS_NETWORKS", value_delimiter = ',', value_name = "NETWORK", value_parser = network)]
    metrics_networks: Vec<IpNet>,

    /// Origins from which browsers may send credentials, as `https://cards.example`: scheme, host and, if it is not the usual
    /// one, port
    #[arg(long, env = "CARDSCAPE_CORS_ORIGINS", value_delimiter = ',', value_name = "ORIGIN", value_parser = cors_origin)]
    cors_origins: Vec<Option<String>>,

    /// Networks that webhooks may post to, beside the public internet, and without TLS: your own. Every admin can post to every
    /// machine in them.
    #[arg(long, env = "CARDSCAPE_WEBHOOK_NETWORKS", value_delimiter = ',', value_name = "NETWORK", value_parser = network)]
    webhook_networks: Vec<IpNet>,

    /// Longest time for one request, in seconds.
    #[arg(long, env = "CARDSCAPE_REQUEST_TIMEOUT", default_value = "10", value_parser = clap::value_parser!(u64).range(1..=300))]
    request_timeout: u64,

    /// How long a stopping server still takes new requests while /readyz already says no, in seconds, so that load balancers
    /// look elsewhere in time. At least half a second, also with 0.
    #[arg(long, env = "CARDSCAPE_DRAIN_DELAY", default_value = "1", value_parser = clap::value_parser!(u64).range(0..=300))]
    pub drain_delay: u64,

    /// How long a start waits for a database server (`--database-url`) that cannot be reached, in seconds: it may be starting, too. The reason is
    /// logged at once.
    #[arg(long, env = "CARDSCAPE_DATABASE_WAIT", default_value = "30", value_parser = clap::value_parser!(u64).range(0..=300))]
    pub database_wait: u64,

    /// How long a stopping server waits for the requests it has accepted, in seconds. One second with 0.
    #[arg(long, env = "CARDSCAPE_SHUTDOWN_TIMEOUT", default_value = "15", value_parser = clap::value_parser!(u64).range(0..=300))]
    pub shutdown_timeout: u64,
}

/// Refuses only an empty text: the message of a refusal contains the text, and a URL contains a password.
fn database_url(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("it is empty; DATABASE_URL must be the address of a database, such as postgres://user:password@host/database, \
                    or not be set at all, for a private PostgreSQL"
            .to_owned());
    }
    Ok(text.to_owned())
}

fn listen_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        let example = match text.parse::<IpAddr>() {
            Ok(address) => SocketAddr::new(address, 8080).to_string(),
            Err(_) => "127.0.0.1:8080 or [::1]:8080".to_owned(),
        };
        format!("it must be an IP address with a port, such as {example}")
    })
}

/// An origin: scheme, host and port. A path has no place in it, as pages link to each other from the root.
pub(crate) fn public_url(text: &str) -> Result<String, String> {
    const REFUSAL: &str =
        "it must be http:// or https:// with a host, such as https://cards.example, without a path";
    let url = url::Url::parse(text).map_err(|_| REFUSAL.to_owned())?;
    let is_origin = matches!(url.scheme(), "http" | "https")
        && url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    if is_origin { Ok(url.origin().ascii_serialization()) } else { Err(REFUSAL.to_owned()) }
}

/// An origin as browsers send it in the header `Origin`: the scheme and the host in lower case, and the port unless it is that of the scheme. `None`: there is
/// nothing, as in a file of variables where nobody has filled it in.
fn cors_origin(text: &str) -> Result<Option<String>, String> {
    if text.trim().is_empty() { Ok(None) } else { origin(text).map(Some) }
}

fn origin(text: &str) -> Result<String, String> {
    const REFUSAL: &str = "it must be an origin: scheme and host, and perhaps a port, such as https://cards.example or http://localhost:3000, \
         without a path";
    let text = text.trim();
    let url = url::Url::parse(text).map_err(|_| REFUSAL.to_owned())?;
    let host = url.host_str().filter(|host| !host.is_empty() && !host.contains('*'));
    let (Some(host), true) = (host, text.contains("://")) else { return Err(REFUSAL.to_owned()) };
    let has_more = !matches!(url.path(), "" | "/")
        || text.contains(['?', '#', '@', '\\'])
        || matches!(url.scheme(), "ftp" | "ws" | "wss" | "file");
    if has_more {
        return Err(REFUSAL.to_owned());
    }
    Ok(match (url.scheme(), url.port()) {
        ("http" | "https", _) => url.origin().ascii_serialization(),
        // The schemes of apps, such as capacitor://localhost.
        (scheme, None) => format!("{scheme}://{}", host.to_lowercase()),
        (scheme, Some(port)) => format!("{scheme}://{}:{port}", host.to_lowercase()),
    })
}

/// The bundled fonts and the emoji of a file.
fn emoji_font(path: &str) -> Result<Fonts, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("it cannot be read: {error}"))?;
    Fonts::bundled().with_emoji(bytes).map_err(|error| error.to_string())
}

/// Where packages of systems install Noto Color Emoji.
const EMOJI_FONTS: [&str; 4] = [
    // Debian and Ubuntu: fonts-noto-color-emoji.
    "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf",
    // Arch: noto-fonts-emoji; Alpine: font-noto-emoji.
    "/usr/share/fonts/noto/NotoColorEmoji.ttf",
    // Fedora: google-noto-color-emoji-fonts, google-noto-emoji-color-fonts.
    "/usr/share/fonts/google-noto-color-emoji-fonts/NotoColorEmoji.ttf",
    "/usr/share/fonts/google-noto-emoji/NotoColorEmoji.ttf",
];

/// The bundled fonts, and the emoji of the first of these files that can be read, if there is one.
fn installed_fonts(paths: &[&str]) -> Fonts {
    paths.iter().find_map(|path| emoji_font(path).ok()).unwrap_or_else(Fonts::bundled)
}

fn network(text: &str) -> Result<IpNet, String> {
    text.parse().map_err(|_| {
        let example = match text.parse::<IpAddr>() {
            Ok(address) => IpNet::from(address).to_string(),
            Err(_) => "10.0.0.0/8 or fd00::/8".to_owned(),
        };
        format!("it must be a network, such as {example}")
    })
}

/// From which role on something is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RequiredOf {
    /// Of nobody.
    None,
    /// Of moderators and admins.
    Moderator,
    /// Of admins.
    Admin,
}

impl From<RequiredOf> for SecondFactorDemand {
    fn from(option: RequiredOf) -> Self {
        Self::from_role(match option {
            RequiredOf::None => None,
            RequiredOf::Moderator => Some(Role::Moderator),
            RequiredOf::Admin => Some(Role::Admin),
        })
    }
}

impl ServeOptions {
    /// The settings of the HTTP side.
    pub fn api_settings(&self) -> ApiSettings {
        ApiSettings {
            requests_per_second: self.requests_per_second,
            request_burst: self.request_burst,
            attempt_limits: AttemptLimits::scaled(self.attempt_factor),
            second_factor_demand: self.require_second_factor.into(),
            trusted_proxies: self.trusted_proxies.clone(),
            metrics_networks: self.metrics_networks.clone(),
            cors_origins: self.cors_origins.iter().flatten().cloned().collect(),
            public_url: self.public_url.clone(),
            request_timeout: Duration::from_secs(self.request_timeout),
            search_candidates: self.search_candidates,
            webhook_networks: self.webhook_networks.clone(),
            card_cache_bytes: self.card_cache * 1024 * 1024,
            picture_fonts: self.emoji_font.clone().unwrap_or_else(|| installed_fonts(&EMOJI_FONTS)),
            ..ApiSettings::default()
        }
    }

    /// Shortest time between two builds of a game's bulk files; `None`: this instance builds none.
    pub fn bulk_interval(&self) -> Option<Duration> {
        (self.bulk_interval > 0).then(|| Duration::from_secs(self.bulk_interval))
    }

    /// The folder to seed from: the option, or `seed-data` here or beside the program.
    pub fn seed_data(&self) -> Option<PathBuf> {
        self.seed_data.clone().or_else(find_seed_data)
    }
}

/// Where games and sets lie, for commands that need no database.
#[derive(Args, Clone)]
pub struct SeedDataOptions {
    /// Folder with games and sets [default: seed-data here, or beside the program]
    #[arg(long, env = "CARDSCAPE_SEED_DATA", value_name = "DIR")]
    seed_data: Option<PathBuf>,
}

impl SeedDataOptions {
    /// The folder: the option, or `seed-data` here or beside the program.
    pub fn dir(&self) -> Option<PathBuf> {
        self.seed_data.clone().or_else(find_seed_data)
    }
}

/// `seed-data` here or beside the program.
fn find_seed_data() -> Option<PathBuf> {
    let beside =
        std::env::current_exe().ok().and_then(|exe| exe.parent().map(|dir| dir.join("seed-data")));
    [Some(PathBuf::from("seed-data")), beside].into_iter().flatten().find(|dir| Path::is_dir(dir))
}

/// How the log is written.
#[derive(Args, Clone)]
pub struct LogOptions {
    /// Form of the log on standard error [default: text on a terminal, else json]
    #[arg(long, global = true, env = "CARDSCAPE_LOG_FORMAT")]
    pub log_format: Option<LogFormat>,

    /// What to log, as tracing directives: info, cardscape=debug
    // actix calls every malformed request an error of the server; it has a line of ours already.
    #[arg(
        long,
        global = true,
        env = "CARDSCAPE_LOG",
        default_value = "info,actix_http::h1::dispatcher=off",
        value_name = "DIRECTIVES",
        value_parser = log_directives
    )]
    pub log: String,
}

/// Directives that the log understands.
fn log_directives(text: &str) -> Result<String, String> {
    const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
    for directive in text.split(',').map(str::trim).filter(|directive| !directive.is_empty()) {
        let level = directive.to_ascii_lowercase();
        let is_level = LEVELS.contains(&&*level) || matches!(level.as_bytes(), [b'0'..=b'5']);
        // Any other word would be the name of a module, and a mistyped level would switch the log off.
        if !level.contains([':', '=', '[']) && !is_level {
            let meant =
                near(&level, LEVELS).first().map(|meant| format!(" (did you mean {meant}?)"));
            let (meant, levels) = (meant.unwrap_or_default(), LEVELS.join(", "));
            return Err(format!(
                "{directive:?} is no level{meant}: levels are {levels}; for a module, write {directive}=info"
            ));
        }
    }
    EnvFilter::try_new(text).map(|_| text.to_owned()).map_err(|error| {
        let levels = LEVELS.join(", ");
        format!("it must be a level ({levels}), or modules with levels, such as info,cardscape=debug: {error}")
    })
}

/// Form of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_urls_are_origins() {
        for (text, url) in [
            ("https://cards.example", "https://cards.example"),
            ("https://cards.example/", "https://cards.example"),
            ("HTTP://Cards.Example:8080", "http://cards.example:8080"),
            ("https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"),
        ] {
            assert_eq!(public_url(text).unwrap(), url);
        }
        for text in [
            "",
            "cards.example",
            "ftp://cards.example",
            "https://cards.example/cards",
            "https://cards.example/?x",
            "https://cards.example/#x",
            "https://user@cards.example",
            "https://\"><script>",
        ] {
            assert!(public_url(text).is_err(), "{text}");
        }
    }

    #[test]
    fn origins_are_written_as_browsers_send_them() {
        for (text, origin) in [
            ("https://cards.example", "https://cards.example"),
            (" HTTPS://Cards.Example:443/ ", "https://cards.example"),
            ("http://LOCALHOST:80", "http://localhost"),
            ("http://localhost:3000", "http://localhost:3000"),
            ("https://[2001:DB8::1]:8443", "https://[2001:db8::1]:8443"),
            ("https://bücher.example", "https://xn--bcher-kva.example"),
            ("capacitor://LocalHost", "capacitor://localhost"),
        ] {
            assert_eq!(cors_origin(text).unwrap().as_deref(), Some(origin), "{text}");
        }
        for text in ["", " "] {
            assert_eq!(cors_origin(text), Ok(None), "{text:?}");
        }
        for text in [
            "null",
            "*",
            "cards.example",
            "https:cards.example",
            "//cards.example",
            "localhost:3000",
            "https://",
            "https://*.example",
            "https://cards.example/app",
            "https://cards.example?x",
            "https://cards.example/#x",
            "https://user@cards.example",
            "https://cards.example https://other.example",
            "https://cards.example:x",
        ] {
            assert!(cors_origin(text).is_err(), "{text}");
        }
    }

    #[test]
    fn wrong_log_directives_are_refused() {
        for text in ["info", "INFO,cardscape=debug", "off", "h2=off", "cardscape::jobs", ""] {
            assert_eq!(log_directives(text).unwrap(), text);
        }
        for text in [
            "cardscape=verbose",
            "info,cardscape=loud",
            "debgu",
            "warm",
            "warning",
            "err",
            "verbose",
            "6",
        ] {
            assert!(log_directives(text).is_err(), "{text}");
        }
        assert!(log_directives("debgu").unwrap_err().contains("did you mean debug?"));
    }

    #[test]
    fn the_first_readable_emoji_font_is_used() {
        let (missing, no_font) =
            ("/there/is/no/such.ttf", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        assert!(!installed_fonts(&[missing, no_font]).has_emoji());
        let font = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/pictures/tests/fixtures/emoji.ttf");
        assert!(installed_fonts(&[missing, no_font, font]).has_emoji());
    }
}
