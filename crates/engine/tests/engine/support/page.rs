//! The page for administrators, `docs/GAMES.md`: its examples.

use std::fs;
use std::path::PathBuf;

use super::{HARBOUR, manifest};

/// A fenced block of the page.
#[derive(Debug, Clone)]
pub struct Block {
    /// Line of the opening fence, from 1.
    pub line: usize,
    pub language: String,
    pub text: String,
}

pub fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/GAMES.md")
}

pub fn blocks() -> Vec<Block> {
    let page = fs::read_to_string(path()).unwrap();
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for (at, line) in page.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(_) if open => open = false,
            Some(language) => {
                open = true;
                blocks.push(Block {
                    line: at + 1,
                    language: language.to_owned(),
                    text: String::new(),
                });
            }
            None if open => {
                let text = &mut blocks.last_mut().unwrap().text;
                text.push_str(line);
                text.push('\n');
            }
            None => {}
        }
    }
    assert!(!open, "a block of the page never ends");
    blocks
}

/// The manifest of the game of a block: the block itself if it is a whole game, or the sample game with the block at its end.
pub fn manifest_with(part: &str) -> String {
    if part.contains("rules_version") {
        return part.to_owned();
    }
    let base = manifest(HARBOUR);
    let is_rule = !part.contains("[[formats]]") && part.contains("[[formats.rules]]");
    let header = "[[formats]]\ncode = \"example\"\nname = \"Example\"\nversion = \"1\"\n";
    format!("{base}\n{}{part}", if is_rule { header } else { "" })
}

/// Every manifest that the page shows.
pub fn manifests() -> Vec<String> {
    let blocks = blocks();
    blocks
        .iter()
        .filter(|block| block.language == "toml")
        .map(|block| manifest_with(&block.text))
        .collect()
}
