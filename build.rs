//! The embedded migrations are read at compile time: rebuild when they change. And the program knows whether it was optimised.
fn main() {
    println!("cargo:rerun-if-changed=migrations");
    let level = std::env::var("OPT_LEVEL").unwrap_or_default();
    println!("cargo:rustc-env=CARDSCAPE_OPT_LEVEL={level}");
}
