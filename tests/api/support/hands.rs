//! Copies of players: registering, offering and giving them away.

use serde_json::{Value, json};

use super::{Answer, PaperCard, Player, RequestExt as _, TestApp};

/// Inserts votes of a number of players for the cards `k` that match `WHICH`, with the submitted copies, without
/// running triggers.
const VOTES: &str = "
    SET session_replication_role = replica;
    INSERT INTO accounts (id, name, name_key, password_hash, role, must_change_password, created_at)
        SELECT gen_random_uuid(), 'voter ' || n, 'voter ' || n, '$argon2id$', 'player', false, now()
        FROM generate_series(1, COUNT) n ON CONFLICT DO NOTHING;
    WITH cast_now AS (
        INSERT INTO copies (code_prefix, code_mac, print_run_id, printing_id, owner_id, registered_at, id)
            SELECT '7K', substr(sha256((a.name || k.id)::bytea), 1, 16), gen_random_uuid(), p.id, a.id, now(), gen_random_uuid()
            FROM generate_series(1, COUNT) n JOIN accounts a ON a.name = 'voter ' || n
            CROSS JOIN cards k JOIN printings p ON p.card_id = k.id AND p.rarity = 'common' WHERE WHICH
            ON CONFLICT DO NOTHING RETURNING code_prefix, code_mac, owner_id, printing_id
    )
    INSERT INTO submissions (id, account_id, card_id, code_prefix, code_mac, counted, created_at)
        SELECT gen_random_uuid(), c.owner_id, p.card_id, c.code_prefix, c.code_mac, true, now()
        FROM cast_now c JOIN printings p ON p.id = c.printing_id;
    UPDATE unlocks u SET submissions = COUNT FROM cards k WHERE k.id = u.card_id AND u.unlocked_at IS NULL AND WHICH";

impl TestApp {
    /// Lets a number of players vote for the cards `k` that match the condition `which`, without unlocking them.
    pub async fn cast_votes(&self, which: &str, count: usize) {
        let statements = VOTES.replace("WHICH", &format!("({which})"));
        self.sql(&statements.replace("COUNT", &count.to_string())).await;
    }

    /// Submits a card and returns the response.
    pub async fn submit(&self, player: &Player, card: &PaperCard) -> Answer {
        self.post("/v1/submissions").by(player).json(&card.submission()).answer().await
    }

    /// Registers a card and returns the id of its copy.
    pub async fn register(&self, player: &Player, card: &PaperCard) -> String {
        text(&self.submit(player, card).await.expect(201), "copy")
    }

    /// Sets whether others may trade with a player.
    pub async fn set_trading(&self, player: &Player, trading: &str) {
        let body = json!({ "trading": trading });
        let account = self.put("/v1/me/trading").by(player).json(&body).answer().await.expect(200);
        assert_eq!(account["trading"], trading);
    }

    /// Sends an offer.
    pub async fn offer(
        &self,
        from: &Player,
        to: &Player,
        give: &[&String],
        want: &[&String],
    ) -> Answer {
        let body = json!({ "with": to.name, "give": give, "want": want });
        self.post("/v1/trades").by(from).json(&body).answer().await
    }

    /// Takes a step in a trade: `accept`, `decline`, `cancel`.
    pub async fn on_trade(&self, player: &Player, trade: &str, what: &str) -> Answer {
        self.post(&format!("/v1/trades/{trade}/{what}")).by(player).answer().await
    }

    /// Gives a copy to another player, who accepts; returns the id of the trade.
    pub async fn hand_over(&self, from: &Player, to: &Player, copy: &String) -> String {
        let trade = text(&self.offer(from, to, &[copy], &[]).await.expect(201), "id");
        self.on_trade(to, &trade, "accept").await.expect(200);
        trade
    }

    /// Acts on a copy as a moderator: `freeze`, `unfreeze`, `void`.
    pub async fn moderate(&self, moderator: &Player, copy: &str, what: &str) -> Answer {
        let body = json!({ "reason": format!("because of {what}") });
        self.post(&format!("/v1/copies/{copy}/{what}")).by(moderator).json(&body).answer().await
    }

    /// The ids of a player's copies.
    pub async fn copies_of(&self, player: &Player) -> Vec<String> {
        let page = self.get("/v1/copies?limit=200").by(player).answer().await.expect(200);
        page["data"].as_array().unwrap().iter().map(|copy| text(copy, "id")).collect()
    }
}

/// The value of a text member.
#[track_caller]
pub fn text(value: &Value, member: &str) -> String {
    value[member].as_str().unwrap_or_else(|| panic!("no {member} in {value}")).to_owned()
}
