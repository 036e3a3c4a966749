//! A database with another encoding than UTF8 is refused before it has tables.

use super::*;

#[tokio::test]
async fn a_database_with_another_encoding_is_refused() {
    let home = Home::new();
    let service = home.serve();
    let keys = home.0.join("keys.json");
    for (name, encoding) in [("ascii", "SQL_ASCII"), ("latin", "LATIN1")] {
        home.query(&format!(
            "CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0"
        ))
        .await;
        let url = home.url().replace("postgres:///cardscape?", &format!("postgres:///{name}?"));
        let there = ["--database-url", &url, "--keys-file", keys.to_str().unwrap()];
        for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["migrate"]] {
            let output = home.command(&[command, &there].concat()).output().unwrap();
            let message = text(&output);
            assert_eq!(output.status.code(), Some(70), "{command:?}: {message}");
            assert!(
                message.contains(&format!("the database {name} has the encoding {encoding}")),
                "{command:?}: {message}"
            );
            assert!(
                message.contains("createdb NAME --owner=ROLE --encoding=UTF8"),
                "{command:?}: {message}"
            );
        }
        let create = ["admin", "create", "somebody"];
        let output = home.command(&[&create[..], &there].concat()).output().unwrap();
        assert!(text(&output).contains("no tables of Cardscape"), "{}", text(&output));
    }
    service.stop(Signal::TERM);
}
