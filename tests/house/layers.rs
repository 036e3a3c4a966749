//! Dependencies between modules: the layers of `src/`, and no cycle of files across folders.
//!
//! Files are parsed, so that every form of a path is found: `use` with groups, globs and `self`, `super::…`, and paths in the middle of code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{ItemMod, ItemUse, UseTree};

use super::sources;

/// The layers from the lowest to the highest. A layer may use the layers on the lines above it, but not those on the same line.
const LAYERS: [&[&str]; 9] = [
    &["domain"],
    &["work"],
    &["auth"],
    &["store"],
    &["memory"],
    &["app"],
    &["http", "jobs", "webhooks"],
    &["api", "web"],
    &["cli", "config"],
];

/// Exceptions: the first layer may use the second, which is on the same line.
const BESIDE: [(&str, &str); 2] = [("jobs", "webhooks"), ("cli", "config")];

/// The module path of a file: `src/a/b.rs` and `src/a/b/mod.rs` are `[a, b]`.
fn module_of(file: &Path) -> Vec<String> {
    let inner = file.strip_prefix("src").unwrap().with_extension("");
    let mut parts: Vec<String> =
        inner.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod" || last == "lib" || last == "main") {
        parts.pop();
    }
    parts
}

/// The paths within this crate that a file refers to, from the root of the crate.
struct Named {
    module: Vec<String>,
    paths: BTreeSet<Vec<String>>,
}

impl Named {
    fn add(&mut self, path: &[String]) {
        let mut at = self.module.clone();
        let mut rest = path;
        match rest.first().map(String::as_str) {
            Some("crate") => {
                at.clear();
                rest = &rest[1..];
            }
            Some("super" | "self") => {
                while let Some(first) = rest.first() {
                    match first.as_str() {
                        "super" => drop(at.pop()),
                        "self" => {}
                        _ => break,
                    }
                    rest = &rest[1..];
                }
            }
            // Other paths lead to other crates or to child modules, which are in the same folder.
            _ => return,
        }
        at.extend(rest.iter().cloned());
        self.paths.insert(at);
    }

    fn add_tree(&mut self, before: &[String], tree: &UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.add_tree(&with(&path.ident), &path.tree),
            UseTree::Name(name) => self.add(&with(&name.ident)),
            UseTree::Rename(name) => self.add(&with(&name.ident)),
            UseTree::Glob(_) => self.add(before),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_tree(before, tree);
                }
            }
        }
    }
}

impl<'ast> Visit<'ast> for Named {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        // Tests may use every module.
        let is_test = item.attrs.iter().any(|attribute| attribute.path().is_ident("cfg"));
        if item.content.is_some() && !is_test {
            self.module.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.module.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.add_tree(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.add(&segments);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        // The tokens of a macro need not be Rust syntax, so paths are searched in their text.
        let text = item.tokens.to_string().replace(' ', "");
        for path in text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
            if path.starts_with("crate::") || path.starts_with("super::") {
                let segments: Vec<String> = path.split("::").map(str::to_owned).collect();
                self.add(&segments);
            }
        }
        visit::visit_macro(self, item);
    }
}

/// For each file of `src/`, the paths within the crate that it refers to.
fn named() -> BTreeMap<PathBuf, BTreeSet<Vec<String>>> {
    let read = |(path, text): (PathBuf, String)| {
        let file = syn::parse_file(&text).unwrap();
        let mut named = Named { module: module_of(&path), paths: BTreeSet::new() };
        named.visit_file(&file);
        (path, named.paths)
    };
    sources("src").into_iter().map(read).collect()
}

fn layer_of(module: &[String]) -> Option<usize> {
    let first = module.first()?;
    LAYERS.iter().position(|layer| layer.contains(&first.as_str()))
}

#[test]
fn no_layer_uses_a_higher_layer() {
    let (mut lower, mut wrong) = (0, Vec::new());
    for (file, paths) in named() {
        let module = module_of(&file);
        let Some(own) = layer_of(&module) else { continue };
        for path in paths {
            let Some(other) = layer_of(&path) else { continue };
            lower += usize::from(other < own);
            let is_beside =
                other == own && path[0] != module[0] && !BESIDE.contains(&(&module[0], &path[0]));
            if other > own || is_beside {
                wrong.push(format!("{} names {}", file.display(), path.join("::")));
            }
        }
    }
    assert!(lower > 1_000, "{lower}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_folder_is_a_layer() {
    for (file, _) in sources("src") {
        let module = module_of(&file);
        assert!(module.is_empty() || layer_of(&module).is_some(), "{}", file.display());
    }
}

/// The folder that a file belongs to: `a.rs` belongs to `a/` if that folder exists.
fn folder_of(file: &Path) -> PathBuf {
    let own = file.with_extension("");
    if Path::new(super::ROOT).join(&own).is_dir() { own } else { file.parent().unwrap().to_owned() }
}

#[test]
fn no_cycle_of_files_crosses_folders() {
    let named = named();
    let files: BTreeMap<Vec<String>, &PathBuf> =
        named.keys().map(|file| (module_of(file), file)).collect();
    // The file that a path leads to: that of the longest prefix that is a module.
    let home = |path: &[String]| {
        (1..=path.len()).rev().find_map(|length| files.get(&path[..length]).copied())
    };
    let knows: BTreeMap<&PathBuf, BTreeSet<&PathBuf>> = named
        .iter()
        .map(|(file, paths)| {
            let others = paths.iter().filter_map(|path| home(path)).filter(|other| *other != file);
            (file, others.collect())
        })
        .collect();
    let reached = |from: &PathBuf| {
        let (mut found, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(file) = next.pop() {
            for other in &knows[file] {
                if found.insert(*other) {
                    next.push(other);
                }
            }
        }
        found
    };
    let reach: BTreeMap<&PathBuf, BTreeSet<&PathBuf>> =
        knows.keys().map(|file| (*file, reached(file))).collect();
    let mut cycles = BTreeSet::new();
    for (file, others) in &reach {
        for other in others {
            let direct = knows[file].contains(other);
            if direct && reach[other].contains(file) && folder_of(file) != folder_of(other) {
                cycles.insert(format!("{} → {}", file.display(), other.display()));
            }
        }
    }
    assert!(cycles.is_empty(), "part of a cycle: {cycles:#?}");
}
