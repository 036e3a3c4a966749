//! Prepares, draws and restores the rows of recipes.

use anyhow::Context as _;
use tokio_postgres::{Client, SimpleColumn, SimpleQueryMessage};

use crate::recipes::{Caller, Recipe, Row};

/// Prepares and draws the rows of a recipe.
pub(crate) async fn draw(client: &Client, recipe: &Recipe) -> anyhow::Result<Vec<Row>> {
    let many = recipe.rows_to_draw().to_string();
    if !recipe.prepare.is_empty() {
        // As in `fill.sql`: without triggers, no events or notifications are created for invented rows. Nor are they counted, so likes, ratings and followed
        // authors are invented as not counted: otherwise their deletion would make a count negative.
        client.batch_execute("SET session_replication_role = replica").await?;
        for statement in recipe.prepare {
            let text = statement.replace(":many", &many);
            let done = client.batch_execute(&text).await;
            done.with_context(|| {
                format!("prepare: {}", text.chars().take(60).collect::<String>())
            })?;
        }
        client.batch_execute("RESET session_replication_role").await?;
    }
    let mut rows = Vec::new();
    let query = recipe.rows.replace(":many", &many);
    for message in client.simple_query(&query).await.context("rows")? {
        if let SimpleQueryMessage::Row(row) = message {
            let value = |(at, column): (usize, &SimpleColumn)| {
                row.get(at).map(|value| (column.name().to_owned(), value.to_owned()))
            };
            rows.push(row.columns().iter().enumerate().filter_map(value).collect());
        }
    }
    // Preparations leave dead rows behind.
    if !recipe.prepare.is_empty() && recipe.by != Caller::Stranger {
        client.batch_execute("RESET ALL").await?;
    }
    Ok(rows)
}

/// Restores the data after a run. Returns a remark on each statement that failed.
pub(crate) async fn restore(client: &Client, recipe: &Recipe) -> String {
    let mut remarks = String::new();
    for statement in recipe.restore {
        // A second time, because jobs of the service may have been in the way.
        let done = match client.batch_execute(statement).await {
            Ok(()) => Ok(()),
            Err(_) => client.batch_execute(statement).await,
        };
        if let Err(error) = done {
            remarks += &format!("; could not be put back: {:#}", anyhow::Error::from(error));
        }
    }
    remarks
}
