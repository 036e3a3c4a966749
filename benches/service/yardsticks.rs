//! The yardsticks of rows.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use cardscape::auth::password::PasswordHasher;
use cardscape::domain::accounts::password::Password;
use tokio_postgres::Client;

use crate::load::count;
use crate::recipes::{Row, Yardstick};

/// Number of scripts of a reading yardstick, one for each row. Every connection prepares the statements of all.
const SCRIPTS: usize = 12;

/// Runs pgbench with the statements of a yardstick.
pub(crate) struct Pgbench {
    program: PathBuf,
    socket: PathBuf,
    files: Vec<PathBuf>,
    variables: Vec<String>,
    /// Settings of its sessions.
    settings: String,
}

/// Reads use generic plans: each script would otherwise be planned five times, and there are as many scripts as rows.
const READ_SETTINGS: &str = "-c plan_cache_mode=force_generic_plan";
/// Writes run without triggers and checks of foreign keys.
const WRITE_SETTINGS: &str = "-c session_replication_role=replica";
/// The settings of the service's own sessions, as far as they change what a statement costs.
const OWN_SETTINGS: &str = "SELECT coalesce(string_agg('-c default_toast_compression=lz4', ''), '') FROM pg_settings \
     WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)";

impl Pgbench {
    /// Writes the scripts, and for a writing yardstick the tables that it needs.
    pub(crate) async fn new(
        program: &Path,
        socket: &Path,
        folder: &Path,
        client: &Client,
        yardstick: &Yardstick,
        rows: &[Row],
    ) -> anyhow::Result<Option<Self>> {
        let (statements, settings) = match yardstick {
            Yardstick::Reads(statements) => (*statements, READ_SETTINGS.to_owned()),
            Yardstick::Writes(statements) => (*statements, WRITE_SETTINGS.to_owned()),
            Yardstick::OwnWrites(statements) => {
                (*statements, client.query_one(OWN_SETTINGS, &[]).await?.get(0))
            }
            _ => return Ok(None),
        };
        let folder = folder.join("bench-scripts");
        std::fs::create_dir_all(&folder)?;
        let mut bench = Self {
            program: program.to_owned(),
            socket: socket.to_owned(),
            files: Vec::new(),
            variables: Vec::new(),
            settings,
        };
        let mut texts: Vec<String> = statements.iter().map(|text| one_line(text)).collect();
        if let Yardstick::Writes(_) = yardstick {
            for text in &mut texts {
                *text = into_separate_tables(client, text).await?;
            }
        }
        if let Yardstick::Writes(_) | Yardstick::OwnWrites(_) = yardstick {
            let text = Self::write_script(client, &texts, rows).await?;
            bench.add(&folder, &text)?;
            return Ok(Some(bench));
        }
        let step = rows.len().div_ceil(SCRIPTS).max(1);
        for (number, row) in rows.iter().step_by(step).enumerate() {
            let mut script = String::new();
            for text in &texts {
                let mut text = text.clone();
                for (name, value) in row.iter().filter(|(name, _)| mentions(&texts, name)) {
                    text = text.replace(&format!(":{name}"), &format!(":r{number}_{name}"));
                    bench.variables.push(format!("r{number}_{name}={value}"));
                }
                script += &text;
                script += ";\n";
            }
            bench.add(&folder, &script)?;
            // Without variables all scripts are equal, so one is enough.
            if bench.variables.is_empty() {
                break;
            }
        }
        Ok(Some(bench))
    }

    fn add(&mut self, folder: &Path, script: &str) -> anyhow::Result<()> {
        let file = folder.join(format!("{}.sql", self.files.len()));
        std::fs::write(&file, script)?;
        self.files.push(file);
        Ok(())
    }

    /// Writes a script with one transaction for a row that is drawn from a table.
    async fn write_script(
        client: &Client,
        texts: &[String],
        rows: &[Row],
    ) -> anyhow::Result<String> {
        let names: Vec<&String> =
            rows.iter().flat_map(Row::keys).filter(|name| mentions(texts, name)).collect();
        let names: std::collections::BTreeSet<&String> = names.into_iter().collect();
        client
            .batch_execute(
                "DROP TABLE IF EXISTS yard.rows; CREATE TABLE yard.rows (n int PRIMARY KEY)",
            )
            .await?;
        for name in &names {
            client.batch_execute(&format!("ALTER TABLE yard.rows ADD COLUMN {name} text")).await?;
        }
        let list: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
        let columns =
            std::iter::once("n").chain(list.iter().copied()).collect::<Vec<_>>().join(", ");
        for (at, row) in rows.iter().enumerate() {
            let values = list.iter().map(|name| row.get(*name).map(String::as_str));
            let quoted = values.map(|value| value.map_or("NULL".to_owned(), quote));
            let values = std::iter::once((at + 1).to_string()).chain(quoted);
            let values = values.collect::<Vec<_>>().join(", ");
            client
                .batch_execute(&format!("INSERT INTO yard.rows ({columns}) VALUES ({values})"))
                .await?;
        }
        client.batch_execute("ANALYZE yard.rows").await?;
        let mut script = format!("\\set n random(1, {})\n", rows.len().max(1));
        if !list.is_empty() {
            script += &format!("SELECT {} FROM yard.rows WHERE n = :n \\gset\n", list.join(", "));
        }
        script += "BEGIN;\n";
        for text in texts {
            script += text;
            script += ";\n";
        }
        Ok(script + "COMMIT;\n")
    }

    /// Transactions per second.
    pub(crate) async fn run(&self, connections: usize, time: Duration) -> anyhow::Result<f64> {
        let mut command = tokio::process::Command::new(&self.program);
        command.arg("-h").arg(&self.socket).args([
            "-U",
            "cardscape",
            "-n",
            "-M",
            "prepared",
            "-j",
            "2",
        ]);
        let seconds = time.as_secs().max(1).to_string();
        command.args(["-T", &seconds, "-c", &connections.to_string()]);
        command.env("PGOPTIONS", &self.settings);
        for variable in &self.variables {
            command.arg("-D").arg(variable);
        }
        for file in &self.files {
            command.arg("-f").arg(file);
        }
        let output = command.arg("cardscape").kill_on_drop(true).output().await?;
        let output_text = String::from_utf8_lossy(&output.stdout);
        let rate = output_text.lines().find_map(|line| line.strip_prefix("tps = "));
        match rate.and_then(|rest| rest.split_whitespace().next()) {
            Some(rate) if output.status.success() => Ok(rate.parse()?),
            _ => bail!("pgbench: {}", String::from_utf8_lossy(&output.stderr)),
        }
    }
}

/// The statement with other tables to insert into ([`like_the_service`]).
async fn into_separate_tables(client: &Client, text: &str) -> anyhow::Result<String> {
    for target in text.split("INSERT INTO ").skip(1) {
        let table = target.split([' ', '(']).next().context("a table")?;
        like_the_service(client, table).await?;
    }
    Ok(text.replace("INSERT INTO ", "INSERT INTO yard."))
}

/// A table into which a yardstick inserts: a copy of the service's table with its rows, so that as many pages are touched.
/// It is kept for the next run. Of a table larger than a gigabyte, the rows are not copied.
async fn like_the_service(client: &Client, table: &str) -> anyhow::Result<()> {
    let columns = "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FILTER (WHERE attgenerated = ''), \
             md5(string_agg(attname || atttypid, ' ' ORDER BY attnum) \
                 || (SELECT string_agg(indexdef, ' ' ORDER BY indexdef) FROM pg_indexes WHERE schemaname = 'public' AND tablename = $1)), \
             coalesce(obj_description(to_regclass('yard.' || $1), 'pg_class'), ''), \
             pg_total_relation_size(to_regclass('public.' || $1)) < 1 << 30 \
         FROM pg_attribute WHERE attrelid = to_regclass('public.' || $1) AND attnum > 0 AND NOT attisdropped";
    let row = client.query_one(columns, &[&table]).await?;
    let (columns, shape, made_with): (String, String, String) =
        (row.get(0), row.get(1), row.get(2));
    if shape == made_with {
        return Ok(());
    }
    client.execute("SELECT bench.yard($1)", &[&table]).await?;
    if row.get(3) {
        let fill = format!(
            "INSERT INTO yard.{table} ({columns}) OVERRIDING SYSTEM VALUE SELECT {columns} FROM public.{table}"
        );
        client.batch_execute(&fill).await?;
    }
    client.batch_execute(&format!("VACUUM (FREEZE, ANALYZE) yard.{table}")).await?;
    client.batch_execute("CHECKPOINT").await?;
    client.batch_execute(&format!("COMMENT ON TABLE yard.{table} IS '{shape}'")).await?;
    Ok(())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether one of the texts contains the variable of a column.
fn mentions(texts: &[String], name: &str) -> bool {
    let variable = format!(":{name}");
    texts.iter().any(|text| {
        text.match_indices(&variable).any(|(at, _)| {
            let after = text[at + variable.len()..].chars().next();
            after.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_')
        })
    })
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Number of passwords that all cores together hash per second.
pub(crate) async fn hash_passwords(time: Duration) -> anyhow::Result<f64> {
    let hasher = Arc::new(PasswordHasher::new()?);
    let done = Arc::new(AtomicUsize::new(0));
    let began = Instant::now();
    let mut workers = Vec::new();
    for _ in 0..std::thread::available_parallelism()?.get() {
        let (hasher, done) = (hasher.clone(), done.clone());
        workers.push(tokio::spawn(async move {
            while began.elapsed() < time {
                hasher.hash(Password::presented("tram window sonnet".to_owned())).await?;
                done.fetch_add(1, Ordering::Relaxed);
            }
            anyhow::Ok(())
        }));
    }
    for worker in workers {
        worker.await??;
    }
    Ok(count(done.load(Ordering::Relaxed)) / began.elapsed().as_secs_f64())
}
