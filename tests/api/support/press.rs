//! Sets for print runs, minting, and the printed cards of a run.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use cardscape::auth::permission::Operator;
use cardscape::domain::catalogue::import::{GameSource, SourceFile};
use cardscape::store::StoreSettings;
use cardscape::store::printing::press::{
    self, MintError, MintOrder, Minted, PrintFormat, QrCodes, RunRequest, RunToMint,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::sync::oneshot;

use super::TestApp;
use super::app::key_file;
use crate::environment;

/// A printed card, with the text that a player reads on it.
#[derive(Clone, Debug)]
pub struct PaperCard {
    pub serial: String,
    pub name: String,
    pub number: String,
    pub rarity: String,
}

impl PaperCard {
    /// The submission of this card.
    pub fn submission(&self) -> Value {
        json!({ "serial": self.serial, "name": self.name })
    }
}

/// A path at which no file exists.
pub fn fresh_path(suffix: &str) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!(
        "cardscape-press-{}-{}{suffix}",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    );
    std::env::temp_dir().join(name)
}

/// Name of the card with this number in a set of [`TestApp::import_set`].
pub fn card_name(set: &str, number: &str) -> String {
    format!("The {set} card, numbered {number}!")
}

fn set_file(set: &str, cards: usize, hidden: bool) -> Value {
    let rarities = ["common", "uncommon", "rare", "ultra_rare", "mythic_rare", "primal_rare"];
    let cards: Vec<Value> = (1..=cards)
        .map(|number| {
            let number = format!("{number:03}");
            let printings: Vec<Value> = rarities
                .iter()
                .zip(0..)
                .map(|(rarity, tier)| json!({ "rarity": rarity, "attributes": { "attack": 250 + 10 * tier, "defense": 250 } }))
                .collect();
            json!({
                "number": number, "name": card_name(set, &number), "kind": "unit",
                "attributes": { "type": "dark", "subtypes": ["ghost"], "rank": 1, "attack": 250, "defense": 250 },
                "effects": [{ "style": "normal", "text": "Draw one card." }, { "style": "passive", "text": "Nothing happens." }],
                "printings": printings,
            })
        })
        .collect();
    json!({ "code": set, "name": format!("Set {set}"), "hidden": hidden, "unlock_threshold": 5, "cards": cards })
}

/// The files of TTCG with a set of this many cards, numbered from 001. Five submissions unlock a card.
pub fn numbered_set(set: &str, cards: usize, hidden: bool) -> GameSource {
    GameSource {
        manifest: SourceFile {
            name: "game.toml".to_owned(),
            text: include_str!("../../../seed-data/games/ttcg/game.toml").to_owned(),
        },
        sets: vec![SourceFile {
            name: format!("{set}.json"),
            text: set_file(set, cards, hidden).to_string(),
        }],
    }
}

/// A new run of a set of TTCG, without packs.
pub fn new_run(set: &str, copies_per_card: u64) -> RunToMint {
    RunToMint::New(RunRequest {
        game: "ttcg".to_owned(),
        set: set.to_owned(),
        copies_per_card,
        packs: None,
    })
}

impl TestApp {
    /// Imports a set of [`numbered_set`].
    pub async fn import_set(&self, set: &str, cards: usize, hidden: bool) {
        self.import(&numbered_set(set, cards, hidden)).await.unwrap();
    }

    /// Mints a run of a set into `file`.
    pub async fn mint(
        &self,
        set: &str,
        copies_per_card: u64,
        file: PathBuf,
    ) -> Result<Minted, MintError> {
        self.mint_run(new_run(set, copies_per_card), file, None).await
    }

    /// Mints a run; in packs if a path for the packing list is given.
    pub async fn mint_run(
        &self,
        run: RunToMint,
        file: PathBuf,
        packing_list: Option<PathBuf>,
    ) -> Result<Minted, MintError> {
        let format = PrintFormat::Csv;
        self.mint_order(MintOrder { run, file, format, qr_codes: None, packing_list }).await
    }

    /// Mints a run of a set into `file`, and labels for its codes into `sheet`.
    pub async fn mint_with_labels(
        &self,
        set: &str,
        copies_per_card: u64,
        file: PathBuf,
        sheet: PathBuf,
    ) -> Result<Minted, MintError> {
        let run = new_run(set, copies_per_card);
        let public_url = "https://cards.example".to_owned();
        let qr_codes = Some(QrCodes { public_url, sheet: Some(sheet) });
        let format = PrintFormat::Csv;
        self.mint_order(MintOrder { run, file, format, qr_codes, packing_list: None }).await
    }

    async fn mint_order(&self, order: MintOrder) -> Result<Minted, MintError> {
        self.mint_watched(order, |_| {}).await
    }

    /// Mints an order, and calls `progress` with the number of codes that are generated and stored.
    pub async fn mint_watched(
        &self,
        order: MintOrder,
        progress: impl Fn(u64) + Send + Sync + 'static,
    ) -> Result<Minted, MintError> {
        let settings = StoreSettings::new(self.db().url());
        press::mint(
            self.store(),
            &settings,
            &Operator::at_the_machine(),
            &self.keys().serials()[0],
            order,
            self.clock(),
            Arc::new(progress),
        )
        .await
    }

    /// Mints a run of 4096 codes at least, and calls `meanwhile` while its print file is written: the run is planned, and not
    /// stored.
    pub async fn mint_during(
        &self,
        run: RunToMint,
        file: PathBuf,
        meanwhile: impl AsyncFnOnce(),
    ) -> Result<Minted, MintError> {
        let format = PrintFormat::Csv;
        let order = MintOrder { run, file, format, qr_codes: None, packing_list: None };
        let (planned, is_planned) = oneshot::channel();
        let (done, is_done) = mpsc::channel::<()>();
        let pause = Mutex::new(Some((planned, is_done)));
        let progress = move |_: u64| {
            let pause = pause.lock().unwrap().take();
            // The first call is by the thread that writes the print file, after 4096 codes.
            if let Some((planned, is_done)) = pause {
                planned.send(()).unwrap();
                is_done.recv().unwrap();
            }
        };
        let meanwhile = async {
            is_planned.await.expect("the print file has enough codes");
            meanwhile().await;
            done.send(()).unwrap();
        };
        let (minted, ()) =
            tokio::join!(Box::pin(self.mint_watched(order, progress)), Box::pin(meanwhile));
        minted
    }

    /// Mints a run and returns its cards, in the order of the print file.
    pub async fn print(&self, set: &str, copies_per_card: u64) -> Vec<PaperCard> {
        let file = fresh_path(".csv");
        self.mint(set, copies_per_card, file.clone()).await.unwrap();
        let cards = read_print_file(&file);
        std::fs::remove_file(&file).unwrap();
        cards
    }
}

pub fn read_print_file(file: &std::path::Path) -> Vec<PaperCard> {
    let text = std::fs::read_to_string(file).unwrap();
    let card = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let [serial, "ttcg", set, number, rarity] = fields[..] else {
            panic!("unexpected line in the print file: {line}")
        };
        PaperCard {
            serial: serial.to_owned(),
            name: card_name(set, number),
            number: number.to_owned(),
            rarity: rarity.to_owned(),
        }
    };
    text.lines().skip(1).map(card).collect()
}

/// The command-line program on the database of an application.
pub struct Program<'a> {
    app: &'a TestApp,
    keys: PathBuf,
}

impl<'a> Program<'a> {
    /// Uses the keys of the application: a database accepts no others after codes were printed with them.
    pub fn new(app: &'a TestApp) -> Self {
        let keys = fresh_path(".json");
        let mut file =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(&keys).unwrap();
        file.write_all(key_file()).unwrap();
        Self { app, keys }
    }

    /// The program with these arguments.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = environment::command(env!("CARGO_BIN_EXE_cardscape"));
        command.args(arguments).stdin(Stdio::null());
        command.env("DATABASE_URL", self.app.db().url()).env("CARDSCAPE_KEYS_FILE", &self.keys);
        command
    }

    /// `cardscape mint` for TTCG.
    pub fn mint(&self, arguments: &[&str]) -> Command {
        self.command(&[&["mint", "--game", "ttcg"], arguments].concat())
    }

    /// Runs `cardscape mint` for TTCG and returns its output.
    pub async fn output(&self, arguments: &[&str]) -> Output {
        run(self.mint(arguments)).await
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.keys);
    }
}

/// Runs a command to its end.
pub async fn run(mut command: Command) -> Output {
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

/// SHA-256 of a file, in hexadecimal digits.
pub fn sha256(file: &Path) -> String {
    Sha256::digest(std::fs::read(file).unwrap()).iter().map(|byte| format!("{byte:02x}")).collect()
}
