//! Packs: print file and packing list together, the clean-up after a mint that was killed, and checks without the service.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use cardscape::domain::printing::packs::PackParameters;
use cardscape::store::printing::press::{MintError, RunRequest, RunToMint};
use serde_json::json;

use crate::environment;
use crate::support::{
    PaperCard, Program, RequestExt as _, TestApp, fresh_path, read_print_file, run, sha256,
};

fn in_packs(copies_per_card: u64, packs: PackParameters) -> RunToMint {
    let packs = Some(packs);
    let (game, set) = ("ttcg".to_owned(), "dusk".to_owned());
    RunToMint::New(RunRequest { game, set, copies_per_card, packs })
}

/// A line of a packing list.
struct Item {
    pack: String,
    kind: String,
    number: String,
    rarity: String,
    print_line: String,
    shape: String,
    mg: u64,
}

fn read_packing_list(file: &Path) -> Vec<Item> {
    let text = std::fs::read_to_string(file).unwrap();
    let item = |line: &str| {
        let fields: Vec<String> = line.split(',').map(str::to_owned).collect();
        let [pack, _, kind, number, rarity, print_line, shape, mg] =
            <[String; 8]>::try_from(fields).unwrap();
        Item { pack, kind, number, rarity, print_line, shape, mg: mg.parse().unwrap() }
    };
    assert_eq!(text.lines().next(), Some("pack,place,item,number,rarity,print_line,shape,mg"));
    text.lines().skip(1).map(item).collect()
}

/// Checks a packing list against the print file: each copy is in one pack, and all packs have the same size and weight.
fn assert_packed(cards: &[PaperCard], items: &[Item], size: usize, weight: u64, tolerance: u64) {
    let mut packs: BTreeMap<&str, Vec<&Item>> = BTreeMap::new();
    let mut lines = BTreeSet::new();
    for item in items {
        packs.entry(&item.pack).or_default().push(item);
        if item.kind == "card" {
            let line: usize = item.print_line.parse().unwrap();
            let card = &cards[line - 1];
            assert_eq!((&card.number, &card.rarity), (&item.number, &item.rarity));
            assert!(lines.insert(line), "{line} is packed twice");
        }
    }
    assert_eq!(lines.len(), cards.len(), "every copy is packed");
    let left = packs.remove("remainder").map_or(0, |items| items.len());
    assert_eq!(left, cards.len() % size);
    assert_eq!(packs.len(), cards.len() / size);
    for (pack, items) in packs {
        let count = |kind: &str| items.iter().filter(|item| item.kind == kind).count();
        assert_eq!((count("card"), count("lore"), count("insert")), (size, 1, 1), "{pack}");
        let mg: u64 = items.iter().map(|item| item.mg).sum();
        assert!(mg.abs_diff(weight) <= tolerance, "pack {pack} weighs {mg} mg, not {weight}");
        let insert = items.iter().find(|item| item.kind == "insert").unwrap();
        assert!((1..=64).contains(&insert.shape.parse::<u32>().unwrap()));
    }
}

#[tokio::test]
async fn every_copy_is_in_one_pack_and_the_list_has_no_code() {
    let app = TestApp::start().await;
    app.import_set("dusk", 6, true).await;
    let admin = app.admin().await;
    let (file, list) = (fresh_path(".csv"), fresh_path(".packs.csv"));
    let packs = PackParameters {
        remainder: true,
        rarity_mg: BTreeMap::from([("primal_rare".to_owned(), 1815)]),
        ..PackParameters::default()
    };
    let minted = app.mint_run(in_packs(77, packs), file.clone(), Some(list.clone())).await.unwrap();
    let cards = read_print_file(&file);
    assert_eq!(cards.len(), 462);
    assert_packed(&cards, &read_packing_list(&list), 10, 18_150 + 900 + 200, 5);
    assert_eq!(std::fs::metadata(&list).unwrap().permissions().mode() & 0o777, 0o600);
    let text = std::fs::read_to_string(&list).unwrap();
    assert!(cards.iter().all(|card| !text.contains(&card.serial)));
    assert_eq!(minted.packing_sha256, Some(sha256(&list)));
    let found =
        app.get(&format!("/v1/print-runs/{}", minted.run)).by(&admin).answer().await.expect(200);
    assert_eq!(found["packing_sha256"], sha256(&list));
    let announced =
        app.get(&format!("/v1/print-commitments/{}", minted.commitment)).answer().await.expect(200);
    assert_eq!(
        (&announced["status"], &announced["packing_sha256"]),
        (&json!("printed"), &json!(sha256(&list)))
    );
    std::fs::remove_file(&file).unwrap();
    std::fs::remove_file(&list).unwrap();
}

/// Lore cards that belong to the set have codes. Each replaces the lore card without a code in a pack.
#[tokio::test]
async fn t_4_2b_every_pack_has_exactly_one_lore_card() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let lore = ["155", "156", "157", "158"];
    let packs = PackParameters {
        lore_cards: lore.map(str::to_owned).to_vec(),
        remainder: true,
        ..PackParameters::default()
    };
    let (file, list) = (fresh_path(".csv"), fresh_path(".packs.csv"));
    let run = RunRequest {
        game: "ttcg".to_owned(),
        set: "hearth".to_owned(),
        copies_per_card: 7,
        packs: Some(packs),
    };
    app.mint_run(RunToMint::New(run), file.clone(), Some(list.clone())).await.unwrap();
    let (cards, items) = (read_print_file(&file), read_packing_list(&list));
    std::fs::remove_file(&file).unwrap();
    std::fs::remove_file(&list).unwrap();
    let mut of_pack: BTreeMap<&str, usize> = BTreeMap::new();
    let mut packed = BTreeSet::new();
    for item in &items {
        let is_lore_card = lore.contains(&&*item.number);
        match &*item.kind {
            "card" => assert!(!is_lore_card),
            "lore-copy" => assert!(is_lore_card),
            "lore" => assert!(!is_lore_card && item.print_line.is_empty()),
            _ => {}
        }
        if item.kind.starts_with("lore") {
            *of_pack.entry(&item.pack).or_default() += 1;
        }
        if !item.print_line.is_empty() {
            assert!(packed.insert(item.print_line.parse::<usize>().unwrap()));
        }
    }
    assert_eq!(of_pack.len(), 154 * 7 / 10);
    assert!(of_pack.values().all(|&count| count == 1), "{of_pack:?}");
    assert_eq!(items.iter().filter(|item| item.kind == "lore-copy").count(), 4 * 7);
    assert!(packed.into_iter().eq(1..=cards.len()), "every copy is packed");
}

#[tokio::test]
async fn a_refused_mint_with_packs_leaves_no_file_and_no_run() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    let (file, list) = (fresh_path(".csv"), fresh_path(".packs.csv"));
    let usual = PackParameters::default;
    let mint = async |run: RunToMint, list: Option<&PathBuf>| {
        app.mint_run(run, file.clone(), list.cloned()).await.unwrap_err()
    };
    assert!(matches!(mint(in_packs(7, usual()), Some(&list)).await, MintError::Packs(_)));
    assert!(matches!(mint(in_packs(5, usual()), None).await, MintError::PackingList(_)));
    let unpacked = RunRequest {
        game: "ttcg".to_owned(),
        set: "dusk".to_owned(),
        copies_per_card: 5,
        packs: None,
    };
    assert!(matches!(mint(RunToMint::New(unpacked), Some(&list)).await, MintError::PackingList(_)));
    assert!(!file.exists() && !list.exists());

    // If one of the two files exists already, it is not changed, and the other is not left behind.
    for (taken, other) in [(&file, &list), (&list, &file)] {
        std::fs::write(taken, "somebody's").unwrap();
        assert!(
            matches!(mint(in_packs(5, usual()), Some(&list)).await, MintError::FileExists(path) if path == *taken)
        );
        assert_eq!(std::fs::read_to_string(taken).unwrap(), "somebody's");
        assert!(!other.exists());
        std::fs::remove_file(taken).unwrap();
    }
    assert!(
        matches!(mint(in_packs(5, usual()), Some(&file)).await, MintError::FileExists(_)),
        "both files have the same path"
    );
    assert!(!file.exists());
    let nowhere = file.join("deeper");
    assert!(matches!(mint(in_packs(5, usual()), Some(&nowhere)).await, MintError::File { .. }));
    for table in ["print_runs", "print_commitments", "copies"] {
        assert_eq!(app.db().value(&format!("SELECT count(*) FROM {table}")).await, "0", "{table}");
    }
}

/// Announces, prints and reveals a run and checks it on the command line. Then changes everything that is checked.
#[tokio::test]
async fn a_revealed_run_can_be_checked_without_the_service() {
    let app = TestApp::start().await;
    app.import_set("dusk", 3, false).await;
    let admin = app.admin().await;
    let program = Program::new(&app);
    let body = json!({ "copies_per_card": 20, "packs": { "cards_per_pack": 6 } });
    let of_dusk = "/v1/games/ttcg/sets/dusk/print-commitments";
    let announced = app.post(of_dusk).by(&admin).json(&body).answer().await.expect(201);
    let id = announced["id"].as_str().unwrap();
    let (file, list, opened) =
        (fresh_path(".ndjson"), fresh_path(".packs.csv"), fresh_path(".json"));
    let [out, packing_list, opened_path] =
        [&file, &list, &opened].map(|path| path.to_str().unwrap());
    let mint = [
        "mint",
        "--commitment",
        id,
        "--format",
        "ndjson",
        "--out",
        out,
        "--packing-list",
        packing_list,
    ];
    let minted = run(program.command(&mint)).await;
    let stdout = String::from_utf8(minted.stdout).unwrap();
    assert!(minted.status.success(), "{stdout}{}", String::from_utf8_lossy(&minted.stderr));
    for expected in ["10 packs of 6 cards", id, &sha256(&file), &sha256(&list)] {
        assert!(stdout.contains(expected), "{expected}: {stdout}");
    }
    assert_eq!(run(program.command(&mint)).await.status.code(), Some(1), "printed already");

    let verify = async |more: &[&str]| {
        let mut command = environment::command(env!("CARGO_BIN_EXE_cardscape"));
        command.arg("verify-run").arg(opened_path).args(more);
        run(command).await
    };
    let location = format!("/v1/print-commitments/{id}");
    std::fs::write(&opened, app.get(&location).answer().await.text()).unwrap();
    assert_eq!(verify(&[]).await.status.code(), Some(1), "not revealed");
    app.put(&format!("{location}/reveal")).by(&admin).answer().await.expect(200);
    let answer = app.get(&location).answer().await;
    std::fs::write(&opened, answer.text()).unwrap();
    let both = ["--print-file", out, "--packing-list", packing_list];
    let checked = verify(&both).await;
    let text = String::from_utf8(checked.stdout).unwrap();
    assert!(checked.status.success(), "{text}{}", String::from_utf8_lossy(&checked.stderr));
    assert_eq!(
        text.matches("as announced").count() + text.matches("follows from plan and seed").count(),
        2,
        "{text}"
    );
    let shown = verify(&["--show-packing-list"]).await.stdout;
    assert_eq!(shown, std::fs::read(&list).unwrap(), "the same seed and plan give the same bytes");

    let assert_refused = async |more: &[&str], why: &str| {
        let checked = verify(more).await;
        let text = String::from_utf8(checked.stderr).unwrap();
        assert_eq!(checked.status.code(), Some(1), "{why}: {text}");
        assert!(text.contains(why), "{why}: {text}");
        text
    };
    assert_refused(&["--commitment", &"0".repeat(64)], "the hash is another").await;
    let printed = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = printed.lines().collect();
    let serials: Vec<String> = lines
        .iter()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["code"].as_str().unwrap().to_owned()
        })
        .collect();
    for (spoilt, why) in [
        (lines[1..].join("\n"), "code 10 should be"),
        ([&lines[..], &lines[..1]].concat().join("\n"), "more codes"),
        (printed.replacen("uncommon", "rare", 1), "should be for card 001 in rarity uncommon"),
        (printed.replacen(&serials[3], &serials[3].replace('-', "+"), 1), "code 4 should be"),
        (lines[..59].join("\n"), "code 60 should be"),
        (printed.replacen(&serials[1], &serials[0], 1), "lines 1 and 2 have the same code"),
    ] {
        std::fs::write(&file, spoilt).unwrap();
        let text = assert_refused(&both, why).await;
        assert!(serials.iter().all(|serial| !text.contains(serial)), "{text}");
    }
    let packed = std::fs::read_to_string(&list).unwrap();
    for spoilt in [
        packed.replacen("1,1,card", "1,2,card", 1),
        format!("{packed}\n"),
        packed[..packed.len() - 1].to_owned(),
    ] {
        std::fs::write(&list, spoilt).unwrap();
        assert_refused(&["--packing-list", packing_list], "is not the one that follows").await;
    }
    let opening = answer.json()["opening"].as_str().unwrap().to_owned();
    std::fs::write(&opened, format!("{opening}\n")).unwrap();
    assert!(
        verify(&["--commitment", announced["commitment"].as_str().unwrap()]).await.status.success()
    );
    assert_eq!(verify(&[]).await.status.code(), Some(2), "no commitment is given");
    std::fs::write(
        &opened,
        opening.replacen("\"copies_per_card\":20", "\"copies_per_card\":21", 1),
    )
    .unwrap();
    assert_refused(
        &["--commitment", announced["commitment"].as_str().unwrap()],
        "card 001 does not get its copies",
    )
    .await;
    for path in [&file, &list, &opened] {
        std::fs::remove_file(path).unwrap();
    }
}

#[tokio::test]
async fn the_command_reads_the_parameters_of_packs() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    let program = Program::new(&app);
    let parameters = fresh_path(".json");
    std::fs::write(&parameters, r#"{ "cards_per_pack": 8, "rarity_mg": { "rare": 1810 } }"#)
        .unwrap();
    let from_file = format!("--packs={}", parameters.display());
    let plan = ["--set", "dusk", "--copies-per-card", "10", "--dry-run"];
    let dry = async |more: &[&str]| program.output(&[&plan[..], more].concat()).await;
    let stdout = |output: &std::process::Output| String::from_utf8(output.stdout.clone()).unwrap();
    let usual = dry(&["--packs"]).await;
    assert!(usual.status.success());
    assert!(
        stdout(&usual).contains("2 packs of 10 cards and a lore card, 0 copies left over"),
        "{}",
        stdout(&usual)
    );
    let left = dry(&[&from_file, "--remainder"]).await;
    assert!(
        stdout(&left).contains("2 packs of 8 cards and a lore card, 4 copies left over"),
        "{}",
        stdout(&left)
    );
    assert!(
        stdout(&left).contains("a pack weighs 15580 mg, 5 mg more or less"),
        "{}",
        stdout(&left)
    );
    assert_eq!(dry(&[&from_file]).await.status.code(), Some(1), "four copies are left over");
    assert!(dry(&[&from_file, "--pack-size", "5"]).await.status.success());
    assert_eq!(dry(&["--remainder"]).await.status.code(), Some(2), "--remainder without --packs");
    assert_eq!(dry(&["--packs=/nowhere/at/all.json"]).await.status.code(), Some(2));
    std::fs::write(&parameters, r#"{ "pack_size": 8 }"#).unwrap();
    assert_eq!(dry(&[&from_file]).await.status.code(), Some(2));
    std::fs::remove_file(&parameters).unwrap();
    assert_eq!(app.db().value("SELECT count(*) FROM print_commitments").await, "0");
}

/// The size limit of the process stops the write of one of the two files in the middle, as a full disk would.
#[tokio::test]
async fn a_full_disk_is_a_clear_error_and_leaves_no_file_and_no_run() {
    let app = TestApp::start().await;
    app.import_set("dusk", 4, true).await;
    let program = Program::new(&app);
    let (file, list) = (fresh_path(".csv"), fresh_path(".packs.csv"));
    let [out, packing_list] = [&file, &list].map(|path| path.to_str().unwrap());
    // The packing list is written first. With many cards in a pack it is shorter than the print file.
    for (limit, fails) in [("8", packing_list), ("75", out)] {
        let mint = program.mint(&[
            "--set",
            "dusk",
            "--copies-per-card",
            "500",
            "--packs",
            "--pack-size",
            "200",
            "--out",
            out,
            "--packing-list",
            packing_list,
        ]);
        let mut limited = environment::command("bash");
        limited.args(["-c", &format!("trap '' XFSZ; ulimit -f {limit}; exec \"$@\""), "bash"]);
        limited.arg(mint.get_program()).args(mint.get_args()).stdin(Stdio::null());
        limited.envs(mint.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = run(limited).await;
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(70), "{stderr}");
        assert!(stderr.contains(&format!("cannot write {fails}: File too large")), "{stderr}");
        assert!(!file.exists() && !list.exists());
    }
    for table in ["print_runs", "print_commitments", "copies"] {
        assert_eq!(app.db().value(&format!("SELECT count(*) FROM {table}")).await, "0", "{table}");
    }
}

#[tokio::test]
async fn a_mint_with_packs_killed_at_any_moment_leaves_a_complete_run_or_none() {
    let app = TestApp::start().await;
    app.import_set("dusk", 4, true).await;
    let admin = app.admin().await;
    let program = Program::new(&app);
    let mut files = Vec::new();
    for round in 0..10u64 {
        let (file, list) = (fresh_path(".csv"), fresh_path(".packs.csv"));
        let [out, packing_list] = [&file, &list].map(|path| path.to_str().unwrap());
        // Every second run was announced before.
        let mut mint = match round % 2 {
            0 => program.mint(&[
                "--set",
                "dusk",
                "--copies-per-card",
                "2500",
                "--packs",
                "--out",
                out,
                "--packing-list",
                packing_list,
            ]),
            _ => {
                let body = json!({ "copies_per_card": 2500, "packs": {} });
                let of_dusk = "/v1/games/ttcg/sets/dusk/print-commitments";
                let announced = app.post(of_dusk).by(&admin).json(&body).answer().await.expect(201);
                let id = announced["id"].as_str().unwrap().to_owned();
                program.command(&[
                    "mint",
                    "--commitment",
                    &id,
                    "--out",
                    out,
                    "--packing-list",
                    packing_list,
                ])
            }
        };
        let mut mint = mint.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // The times range from the start over the writing of the files and of the copies to the end.
        tokio::time::sleep(Duration::from_millis(40 + round * 80)).await;
        mint.kill().unwrap();
        mint.wait().unwrap();
        files.push((file, list));
    }
    // The next mint discards the runs of the killed mints. It does not wait until their copies are deleted.
    app.print("dusk", 1).await;
    super::mint::delete_all(&app).await;

    for (query, expected) in [
        ("SELECT count(*) FROM print_runs WHERE status = 'pending'", "0"),
        (
            "SELECT count(*) FROM print_runs r WHERE (SELECT count(*) FROM copies c WHERE c.print_run_id = r.id) \
          <> CASE status WHEN 'active' THEN copy_count ELSE 0 END",
            "0",
        ),
        (
            "SELECT count(*) FROM print_runs r WHERE status = 'active' \
          AND NOT EXISTS (SELECT 1 FROM print_commitments m WHERE m.print_run_id = r.id)",
            "0",
        ),
        (
            "SELECT copies_per_card = (SELECT sum(copies_per_card) FROM print_runs WHERE status = 'active') FROM sets",
            "true",
        ),
    ] {
        assert_eq!(app.db().value(query).await, expected, "{query}");
    }
    let mut whole = 0;
    for (file, list) in &files {
        if file.exists() && list.exists() {
            let known = format!(
                "SELECT count(*) FROM print_runs WHERE status = 'active' AND file_sha256 = '\\x{}' AND packing_sha256 = '\\x{}'",
                sha256(file),
                sha256(list)
            );
            if app.db().value(&known).await == "1" {
                assert_packed(&read_print_file(file), &read_packing_list(list), 10, 19_100, 5);
                whole += 1;
            }
        }
        for path in [file, list] {
            let _ = std::fs::remove_file(path);
        }
    }
    let active =
        "SELECT count(*) FROM print_runs WHERE status = 'active' AND copies_per_card = 2500";
    assert_eq!(app.db().number(active).await, whole, "each active run has its files");
}
