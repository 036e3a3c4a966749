//! `cardscape schema manifest` and `cardscape schema set --game ttcg`

use std::process::ExitCode;

use anyhow::Context as _;
use cardscape_engine::{Game, MANIFEST_SCHEMA, set_file_schema};
use clap::Subcommand;

use super::{Outcome, USAGE, print_message, say};
use crate::config::SeedDataOptions;

#[derive(Subcommand)]
pub(super) enum SchemaCommand {
    /// Print the JSON Schema of manifests (game.toml)
    Manifest,
    /// Print the JSON Schema of set files: what all games have in common, or with --game those of one game
    Set {
        /// Code of a game of the seed data, whose kinds, attributes, effects and rarities the schema then knows
        #[arg(long, value_name = "CODE")]
        game: Option<String>,
        #[command(flatten)]
        seed_data: SeedDataOptions,
    },
}

impl SchemaCommand {
    pub(super) fn run(self) -> Outcome {
        let schema = match self {
            Self::Manifest => MANIFEST_SCHEMA.trim_end().to_owned(),
            Self::Set { game: None, .. } => format!("{:#}", set_file_schema()),
            Self::Set { game: Some(code), seed_data } => {
                let folder = seed_data
                    .dir()
                    .context("there is no seed-data here: name it with --seed-data")?;
                let file = folder.join("games").join(&code).join("game.toml");
                if !file.is_file() {
                    print_message(format_args!(
                        "cardscape: there is no game {code} in {}",
                        folder.display()
                    ));
                    return Ok(ExitCode::from(USAGE));
                }
                let text = std::fs::read_to_string(&file)
                    .with_context(|| format!("cannot read {}", file.display()))?;
                let game = Game::from_toml(&text).with_context(|| file.display().to_string())?;
                format!("{:#}", game.set_schema())
            }
        };
        say(schema)?;
        Ok(ExitCode::SUCCESS)
    }
}
