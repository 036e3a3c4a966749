//! Chooses the cards, pages and words of the catalogue that requests ask for.

use anyhow::Context as _;
use tokio_postgres::{Client, NoTls};

/// Paths of requests.
pub(crate) struct Sample {
    /// Cards by id.
    pub cards: Vec<String>,
    /// Pages of lists: of one kind of card, of the whole game, and from many positions.
    pub pages: Vec<String>,
    /// Words that so few cards contain that they fit on one page.
    pub words: Vec<String>,
    /// Words of names, effects and lore, with the frequency of the catalogue.
    pub texts: Vec<String>,
    /// Searches that no index can answer.
    pub regexes: Vec<String>,
}

/// Number of cards that are requested by id.
const CARDS: i64 = 4_000;
/// Number of pages, and of words.
const FEW: i64 = 200;

impl Sample {
    /// Draws a sample from the open synthetic cards, the same each time.
    pub(crate) async fn draw(url: &str) -> anyhow::Result<Self> {
        let client = connect(url).await?;
        let rows = client
            .query(
                "SELECT c.id::text, content.name, c.set_code, content.words FROM cards c JOIN card_content content ON content.card_id = c.id \
                 WHERE content.open AND c.set_code LIKE 'synthetic-%' ORDER BY md5(c.set_code || c.number) LIMIT $1",
                &[&CARDS],
            )
            .await?;
        let text = |row: &tokio_postgres::Row, at: usize| row.get::<_, String>(at);
        let cards = rows.iter().map(|row| format!("/v1/cards/{}", text(row, 0))).collect();
        let few = usize::try_from(FEW)?;
        let mut words = Vec::new();
        for row in &rows {
            let name = text(row, 1).to_lowercase();
            for word in name.split(|character: char| !character.is_ascii_alphabetic()) {
                if word.len() >= 6 && words.len() < few && is_selective(&client, word).await? {
                    words.push(format!("/v1/cards?q={word}"));
                }
            }
        }
        let long = |word: &&str| {
            word.len() >= 4 && word.bytes().all(|character| character.is_ascii_alphabetic())
        };
        let a_word = |(at, row): (usize, &tokio_postgres::Row)| {
            let (words, drawn) = (text(row, 3), at * 7_919);
            let words: Vec<&str> = words.split_whitespace().filter(long).collect();
            words.get(drawn % words.len().max(1)).map(|word| format!("/v1/cards?q={word}"))
        };
        let texts = rows.iter().enumerate().filter_map(a_word).take(few).collect();
        let kinds = ["unit", "spell", "lore"];
        let pages = rows.iter().take(few).enumerate().map(|(at, row)| match at % 4 {
            0 => format!("/v1/cards?game=ttcg&kind={}", kinds[at / 4 % 3]),
            _ => format!("/v1/cards?game=ttcg&set={}&kind={}", text(row, 2), kinds[at / 4 % 2]),
        });
        let regexes = ["zzz.*zzz", "(ab|ba)+x{2}q", "^q.*[0-9]z$"];
        let regexes = regexes.map(|pattern| {
            let encoded: String = pattern.bytes().map(|byte| format!("%{byte:02X}")).collect();
            format!("/v1/cards?q=name%3A%2F{encoded}%2F")
        });
        let sample =
            Self { cards, pages: pages.collect(), words, texts, regexes: regexes.to_vec() };
        let enough = sample.cards.len() >= 32 && !sample.words.is_empty();
        enough.then_some(sample).context("too few synthetic cards to ask for")
    }
}

/// Whether the cards with words that begin with this text fit on one page.
async fn is_selective(client: &Client, word: &str) -> anyhow::Result<bool> {
    let query = "SELECT count(*) FROM (SELECT FROM card_content WHERE open \
                 AND array_to_tsvector(string_to_array(ltrim(words), ' ')) @@ ($1::text || ':*')::tsquery LIMIT 51) found";
    let count: i64 = client.query_one(query, &[&word]).await?.get(0);
    Ok((1..=50).contains(&count))
}

/// Opens a connection, which a background task drives.
pub(crate) async fn connect(url: &str) -> anyhow::Result<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}
