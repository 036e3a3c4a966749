//! Dependencies between modules: the layers of `src/`, and no cycle of files across folders.
//!
//! Files are parsed, so that every form of a path is found: `use` with groups, globs and `self`, `super::…`, and paths in the middle of code.
//! A name that a module imports or exports again leads to the file that declares it.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::successors;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{ItemMod, ItemUse, UseTree, Visibility};

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

/// What a file refers to. All paths begin at the root of the crate.
struct Named {
    module: Vec<String>,
    paths: BTreeSet<Vec<String>>,
    /// The names that `use` adds to modules, and where they lead. Private ones, too: child modules may use them.
    aliases: BTreeMap<Vec<String>, Vec<String>>,
}

impl Named {
    /// The path from the root. Paths to other crates become paths to the module itself, because it has no child of that name.
    fn absolute(&self, path: &[String]) -> Vec<String> {
        let mut at = self.module.clone();
        let mut rest = path;
        while let Some(first) = rest.first() {
            match first.as_str() {
                "crate" => at.clear(),
                "super" => drop(at.pop()),
                "self" => {}
                _ => break,
            }
            rest = &rest[1..];
        }
        at.extend(rest.iter().cloned());
        at
    }

    fn add(&mut self, path: &[String]) {
        let path = self.absolute(path);
        self.paths.insert(path);
    }

    fn add_tree(&mut self, before: &[String], tree: &UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.add_tree(&with(&path.ident), &path.tree),
            UseTree::Name(name) if name.ident == "self" => self.add_name(before, before.last()),
            UseTree::Name(name) => self.add_name(&with(&name.ident), Some(&name.ident.to_string())),
            UseTree::Rename(name) => {
                let path = with(&name.ident);
                let path = if name.ident == "self" { before } else { path.as_slice() };
                self.add_name(path, Some(&name.rename.to_string()));
            }
            UseTree::Glob(_) => self.add(before),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_tree(before, tree);
                }
            }
        }
    }

    /// Adds a path that `use` makes available as `name`.
    fn add_name(&mut self, path: &[String], name: Option<&String>) {
        self.add(path);
        let target = self.absolute(path);
        let alias: Vec<String> = self.module.iter().chain(name).cloned().collect();
        // In `mod a; use a::a;` the name leads to the file of the module of the same name anyway.
        if !target.starts_with(&alias) {
            self.aliases.insert(alias, target);
        }
    }
}

fn has_glob(tree: &UseTree) -> bool {
    match tree {
        UseTree::Path(path) => has_glob(&path.tree),
        UseTree::Group(group) => group.items.iter().any(has_glob),
        UseTree::Glob(_) => true,
        UseTree::Name(_) | UseTree::Rename(_) => false,
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
        let is_private = matches!(item.vis, Visibility::Inherited);
        assert!(is_private || !has_glob(&item.tree), "{:?}: export each name", self.module);
        self.add_tree(&[], &item.tree);
    }

    /// `pub(in crate::a)` names a module, but uses nothing of it.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        // A single name is declared in the file, or imported.
        if segments.len() > 1 {
            self.add(&segments);
        }
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

/// For each file, what it refers to.
fn named(files: Vec<(PathBuf, String)>) -> BTreeMap<PathBuf, Named> {
    let read = |(path, text): (PathBuf, String)| {
        let file = syn::parse_file(&text).unwrap();
        let (paths, aliases) = (BTreeSet::new(), BTreeMap::new());
        let mut named = Named { module: module_of(&path), paths, aliases };
        named.visit_file(&file);
        (path, named)
    };
    files.into_iter().map(read).collect()
}

fn layer_of(module: &[String]) -> Option<usize> {
    let first = module.first()?;
    LAYERS.iter().position(|layer| layer.contains(&first.as_str()))
}

#[test]
fn no_layer_uses_a_higher_layer() {
    let (mut lower, mut wrong) = (0, Vec::new());
    for (file, Named { module, paths, .. }) in named(sources("src")) {
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

/// Where a path leads: names that are imported or exported again are followed to what they stand for.
fn resolve(path: &[String], aliases: &BTreeMap<Vec<String>, Vec<String>>) -> Vec<String> {
    let follow = |path: &Vec<String>| {
        (1..=path.len()).rev().find_map(|length| {
            let target = aliases.get(&path[..length])?;
            Some([target.as_slice(), &path[length..]].concat())
        })
    };
    // A module and a function may have the same name, so that names may seem to lead to each other without end.
    successors(Some(path.to_vec()), follow).take(20).last().unwrap()
}

/// The dependencies that are part of a cycle and cross folders.
fn cycles(named: &BTreeMap<PathBuf, Named>) -> Vec<String> {
    let files: BTreeMap<&[String], &PathBuf> =
        named.iter().map(|(file, named)| (named.module.as_slice(), file)).collect();
    let aliases: BTreeMap<Vec<String>, Vec<String>> =
        named.values().flat_map(|named| named.aliases.clone()).collect();
    // The file that a path leads to: that of the longest prefix that is a module.
    let home = |path: &[String]| {
        let path = resolve(path, &aliases);
        (1..=path.len()).rev().find_map(|length| files.get(&path[..length]).copied())
    };
    // A file `a.rs` belongs to the folder `a/` if that folder exists.
    let folder_of = |file: &Path| {
        let own = file.with_extension("");
        let has_folder = named.keys().any(|other| other.starts_with(&own));
        if has_folder { own } else { file.parent().unwrap().to_owned() }
    };
    let knows: BTreeMap<&PathBuf, BTreeSet<&PathBuf>> = named
        .iter()
        .map(|(file, named)| {
            let others = named.paths.iter().filter_map(|path| home(path));
            (file, others.filter(|other| *other != file).collect())
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
    let mut cycles = Vec::new();
    for (file, others) in &knows {
        for other in others {
            if reach[other].contains(file) && folder_of(file) != folder_of(other) {
                cycles.push(format!("{} → {}", file.display(), other.display()));
            }
        }
    }
    cycles
}

#[test]
fn no_cycle_of_files_crosses_folders() {
    let cycles = cycles(&named(sources("src")));
    assert!(cycles.is_empty(), "part of a cycle: {cycles:#?}");
}

/// The cycles of files with these texts.
fn cycles_of<const N: usize>(files: [(&str, &str); N]) -> Vec<String> {
    let files = files.map(|(path, text)| (PathBuf::from(path), text.to_owned()));
    cycles(&named(files.into()))
}

#[test]
fn a_re_export_hides_no_cycle() {
    let pool =
        "use crate::store::{accounts::{self as own}}; fn f() { own::credentials::confirm() }";
    let credentials = "use crate::{domain::Id, store::Link}; fn confirm() {}";
    for export in ["pub use db::pool::Connection as Link;", "use self::db::{pool::{self as Link}};"]
    {
        let found = cycles_of([
            ("src/store/mod.rs", export),
            ("src/store/db/pool.rs", pool),
            ("src/store/accounts/mod.rs", "pub mod credentials;"),
            ("src/store/accounts/credentials.rs", credentials),
        ]);
        let expected = [
            "src/store/accounts/credentials.rs → src/store/db/pool.rs",
            "src/store/db/pool.rs → src/store/accounts/credentials.rs",
        ];
        assert_eq!(found, expected, "{export}");
    }
    // Who imports a name does not depend on the module that exports it again.
    let found = cycles_of([
        ("src/store/mod.rs", "pub use db::pool::Connection as Link;"),
        ("src/store/db/pool.rs", "use crate::store::accounts::Account;"),
        ("src/store/accounts/mod.rs", "pub use person::Account;"),
        ("src/store/accounts/person.rs", ""),
        ("src/store/accounts/credentials.rs", credentials),
    ]);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn a_module_and_what_is_below_its_children_form_no_cycle() {
    let children = [
        ("src/cli/effects.rs", "mod sort;"),
        ("src/cli/effects/sort.rs", "use super::super::Outcome;"),
        ("src/cli/outcome.rs", "pub(super) type Outcome = u8;"),
    ];
    let [effects, sort, outcome] = children;
    let found =
        cycles_of([("src/cli/mod.rs", "use effects::sort; struct Outcome;"), effects, sort]);
    let expected =
        ["src/cli/effects/sort.rs → src/cli/mod.rs", "src/cli/mod.rs → src/cli/effects/sort.rs"];
    assert_eq!(found, expected);
    let parent = "use effects::sort; use outcome::Outcome;";
    let found = cycles_of([("src/cli/mod.rs", parent), effects, sort, outcome]);
    assert_eq!(found, Vec::<String>::new());
}
