//! The yardstick pgbench: the rate at which Postgres runs a statement for a client that does nothing else.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, bail};
use tokio::process::Command;

use crate::compare::Round;
use crate::service::Home;
use crate::statements::Recorded;

pub(crate) struct Program(pub PathBuf);

/// Scripts for pgbench.
pub(crate) struct Script {
    program: PathBuf,
    socket: PathBuf,
    files: Vec<PathBuf>,
    /// Values of the variables in the scripts.
    variables: Vec<String>,
}

/// Most requests that are converted to scripts.
const SCRIPTS: usize = 24;

impl Program {
    /// Converts recorded statements to scripts, whose variables pgbench sends as parameters.
    pub(crate) fn script(&self, home: &Home, recorded: &Recorded) -> anyhow::Result<Script> {
        let (mut files, mut variables) = (Vec::new(), Vec::new());
        let requests: Vec<_> = recorded
            .statements
            .iter()
            .flat_map(|(statement, list)| list.iter().map(move |values| (statement, values)))
            .collect();
        // An even sample, so that each statement has the same frequency as in the requests.
        let step = requests.len().div_ceil(SCRIPTS).max(1);
        for (number, (statement, values)) in requests.into_iter().step_by(step).enumerate() {
            let mut text = statement.clone();
            // From the last parameter to the first, so that $1 does not match the beginning of $12.
            for (at, value) in values.iter().enumerate().rev() {
                let value = value.as_ref().context("pgbench has no NULL")?;
                let name = format!("r{number}_{at}");
                text = text.replace(&format!("${}", at + 1), &format!(":{name}"));
                variables.push(format!("{name}={value}"));
            }
            let file = home.data.join(format!("bench-{number}.sql"));
            std::fs::write(&file, text + ";\n")?;
            files.push(file);
        }
        let socket = home.data.join("run");
        Ok(Script { program: self.0.clone(), socket, files, variables })
    }
}

impl Script {
    pub(crate) async fn run(&self, connections: usize, time: Duration) -> anyhow::Result<Round> {
        let mut command = Command::new(&self.program);
        command.arg("-h").arg(&self.socket).args(["-U", "cardscape", "-n", "-M", "prepared"]);
        let seconds = time.as_secs().max(1).to_string();
        command.args(["-j", "2", "-T", &seconds, "-c", &connections.to_string()]);
        for variable in &self.variables {
            command.arg("-D").arg(variable);
        }
        for file in &self.files {
            command.arg("-f").arg(file);
        }
        let output = command.arg("cardscape").output().await?;
        let output_text = String::from_utf8_lossy(&output.stdout);
        let rate = output_text.lines().find_map(|line| line.strip_prefix("tps = "));
        let rate = rate.and_then(|rest| rest.split_whitespace().next());
        match rate {
            Some(rate) if output.status.success() => Ok(Round::of_rate(rate.parse()?)),
            _ => bail!("pgbench: {}", String::from_utf8_lossy(&output.stderr)),
        }
    }
}
