//! Plans an import, and checks whether it is allowed.

use std::collections::BTreeMap;

use cardscape_engine::{CardDefinition, PrintingDefinition, ViolationCode, card_faults};
use chrono::{DateTime, NaiveDate, Utc};
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::RunQueryDsl;
use serde_json::json;
use uuid::Uuid;

use super::SetId;
use crate::auth::permission::Importer;
use crate::domain::catalogue::import::{
    CardFault, CardImport, FaultyCard, GameImport, ImportFault, PrintingImport, SetImport,
    is_about_old_text,
};
use crate::domain::catalogue::migration::MigrationKind;
use crate::domain::ids::{CardId, PrintingId};
use crate::search::folded_number;
use crate::store::card_content::content::{self, StoredCard, StoredPrinting, TakenName};
use crate::store::db::schema::{
    card_migrations, cards, print_run_lines, print_runs, printings, sets,
};
use crate::store::db::statement::CachePrepared as _;
use crate::store::printing::print_runs::RunStatus;
use crate::store::serials::unlock_policies;
use crate::store::{Connection, StoreResult};

/// The differences between a set file and the stored set.
pub(super) struct SetPlan<'a> {
    pub game: &'a str,
    pub set: &'a SetImport,
    pub set_id: SetId,
    /// The set was not stored before.
    pub is_new: bool,
    /// Whether the set is new, or its name, date or policy has changed.
    pub set_changed: bool,
    /// Whether the set is new, or its threshold or policy has changed, so that its hidden cards are counted again.
    pub recounts: bool,
    /// New cards, sorted by number, so that the order of ids does not reveal the order of the file.
    pub added: Vec<&'a CardImport>,
    pub changed: Vec<CardPlan<'a>>,
    pub faults: Vec<ImportFault>,
}

/// The differences of a stored card.
pub(super) struct CardPlan<'a> {
    pub id: CardId,
    pub card: &'a CardImport,
    /// Whether the card itself differs, apart from its printings.
    pub content: bool,
    /// Whether its name key changes.
    pub renamed: bool,
    pub new_printings: Vec<&'a PrintingImport>,
    pub changed_printings: Vec<(PrintingId, &'a PrintingImport)>,
    /// Printings without copies that are missing in the file.
    pub removed_printings: Vec<PrintingId>,
}

impl CardPlan<'_> {
    /// Whether printings are added, changed or removed.
    pub(super) fn has_other_printings(&self) -> bool {
        !(self.new_printings.is_empty()
            && self.changed_printings.is_empty()
            && self.removed_printings.is_empty())
    }
}

/// Compares a set with the stored one and updates the row of the set; `None` when the last import had the same file.
///
/// An admin who sends that file again wants its content, so edits since then are reverted. The operator's files are
/// loaded again at every start; there, edits stay until the file changes.
pub(super) async fn plan<'a>(
    conn: &mut Connection,
    by: &Importer,
    game: &'a str,
    set: &'a SetImport,
    at: DateTime<Utc>,
) -> StoreResult<Option<SetPlan<'a>>> {
    type Stored =
        (Uuid, String, Option<NaiveDate>, bool, i32, Option<Vec<u8>>, Option<DateTime<Utc>>);
    let stored: Option<Stored> = sets::table
        .filter(sets::game_code.eq(game).and(sets::code.eq(&set.code)))
        .select((
            sets::id,
            sets::name,
            sets::released_on,
            sets::hidden,
            sets::unlock_threshold,
            sets::source_hash,
            sets::edited_at,
        ))
        // Not `FOR NO KEY UPDATE`: a new print run takes only a key-share lock on the row, and must wait.
        .for_update()
        .first(conn)
        .await
        .optional()?;
    let values = (
        sets::name.eq(&set.name),
        sets::released_on.eq(set.released_on),
        sets::hidden.eq(set.hidden),
        sets::unlock_threshold.eq(set.unlock_threshold),
        sets::updated_at.eq(at),
    );
    let Some((set_id, name, released_on, hidden, threshold, hash, edited_at)) = stored else {
        let set_id = Uuid::now_v7();
        diesel::insert_into(sets::table)
            .values((
                sets::id.eq(set_id),
                sets::game_code.eq(game),
                sets::code.eq(&set.code),
                values,
                sets::created_at.eq(at),
            ))
            .execute(conn)
            .await?;
        let mut added: Vec<&CardImport> = set.cards.iter().collect();
        added.sort_by(|one, other| one.definition.number.cmp(&other.definition.number));
        let new = SetPlan {
            game,
            set,
            set_id,
            is_new: true,
            set_changed: true,
            recounts: true,
            added,
            changed: Vec::new(),
            faults: set.refused_texts.clone(),
        };
        return Ok(Some(new));
    };
    let stands = edited_at.is_none() || by.account().is_none();
    if stands && hash.is_some_and(|hash| hash == set.hash) {
        return Ok(None);
    }
    let same = (name.as_str(), released_on, hidden, threshold)
        == (set.name.as_str(), set.released_on, set.hidden, set.unlock_threshold);
    if !same {
        diesel::update(sets::table.find(set_id))
            .set((values, sets::revision.eq(sets::revision + 1)))
            .cached()
            .execute(conn)
            .await?;
    }
    let stored = content::load_set(conn, by, game, &set.code).await?;
    let printed = is_printed(conn, set_id).await?;
    let vacated = vacated_numbers(conn, game, &set.code).await?;
    let refused = newly_refused_texts(set, &name, &stored);
    let mut plan = compare(game, set, set_id, stored, printed, &vacated);
    plan.faults.extend(refused);
    plan.set_changed = !same;
    plan.recounts = unlock_policies::is_to_be_applied(conn, game, &set.code).await?;
    refuse_removed_printings(conn, &mut plan, printed).await?;
    Ok(Some(plan))
}

/// Whether the set has a print run, also one that is being minted.
pub(in crate::store) async fn is_printed(conn: &mut Connection, set: SetId) -> StoreResult<bool> {
    let runs = print_runs::table
        .filter(print_runs::set_id.eq(set).and(print_runs::status.ne(RunStatus::Discarded)));
    Ok(diesel::select(diesel::dsl::exists(runs)).get_result(conn).await?)
}

/// Numbers of a set that cards have left, with what became of those cards.
///
/// By the number without leading zeros and in lower case: people write it so, and a new card with such a number would be taken for
/// the card that had the number before.
pub(super) struct VacatedNumbers(BTreeMap<String, BTreeMap<String, String>>);

impl VacatedNumbers {
    /// The number that a card left, and what became of it: this number, else one that differs only in leading zeros and case.
    pub(super) fn find(&self, number: &str) -> Option<(&str, &str)> {
        let alike = self.0.get(&folded_number(number))?;
        let (old, became) = alike.get_key_value(number).or_else(|| alike.first_key_value())?;
        Some((old.as_str(), became.as_str()))
    }
}

/// Reads the numbers of a set that cards have left.
pub(super) async fn vacated_numbers(
    conn: &mut Connection,
    game: &str,
    set: &str,
) -> StoreResult<VacatedNumbers> {
    let rows: Vec<(String, MigrationKind, String, String)> = card_migrations::table
        .inner_join(cards::table.on(cards::id.eq(card_migrations::card_id)))
        .filter(card_migrations::game_code.eq(game).and(card_migrations::old_set_code.eq(set)))
        .select((
            card_migrations::old_number,
            card_migrations::kind,
            cards::set_code,
            cards::number,
        ))
        .load(conn)
        .await?;
    let describe = |(old, kind, set, number): (String, MigrationKind, String, String)| {
        let verb = match kind {
            MigrationKind::Move => "moved to",
            MigrationKind::Merge => "merged into",
        };
        (old, format!("was {verb} {set}/{number}"))
    };
    let mut vacated: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for (old, became) in rows.into_iter().map(describe) {
        vacated.entry(folded_number(&old)).or_default().insert(old, became);
    }
    Ok(VacatedNumbers(vacated))
}

/// Faults for texts with characters that were accepted once, unless the stored set has these texts already.
fn newly_refused_texts(
    set: &SetImport,
    stored_name: &str,
    stored: &BTreeMap<String, StoredCard>,
) -> Vec<ImportFault> {
    let is_old = |fault: &ImportFault| match place_in_card(&fault.pointer) {
        Some((at, place)) => {
            let card = set.cards.get(at).map(|card| &card.definition);
            let both = card.and_then(|card| Some((stored.get(&card.number)?, card)));
            both.is_some_and(|(before, card)| {
                let before = json!(with_printings_of(card, before));
                is_about_old_text(fault, place, &before, &json!(card))
            })
        }
        None => set.name == stored_name,
    };
    set.refused_texts.iter().filter(|fault| !is_old(fault)).cloned().collect()
}

/// The place of a card in a set file, and a place in the card, of a pointer: `/cards/3/name`.
fn place_in_card(pointer: &str) -> Option<(usize, &str)> {
    let place = pointer.strip_prefix("/cards/")?;
    let (at, place) = place.split_at(place.find('/')?);
    Some((at.parse().ok()?, place))
}

/// A stored card with the printings of a file, in their order there.
fn with_printings_of(file: &CardDefinition, stored: &StoredCard) -> CardDefinition {
    let printing = |PrintingDefinition { rarity, .. }: &PrintingDefinition| {
        let known = stored.printings.get(rarity);
        let attributes = known.map(|printing| printing.attributes.clone()).unwrap_or_default();
        PrintingDefinition { rarity: rarity.clone(), attributes }
    };
    let printings = file.printings.iter().map(printing).collect();
    CardDefinition { printings, ..stored.clone().into_definition() }
}

fn compare<'a>(
    game: &'a str,
    set: &'a SetImport,
    set_id: SetId,
    mut stored: BTreeMap<String, StoredCard>,
    printed: bool,
    vacated: &VacatedNumbers,
) -> SetPlan<'a> {
    let mut plan = SetPlan {
        game,
        set,
        set_id,
        is_new: false,
        set_changed: false,
        recounts: false,
        added: Vec::new(),
        changed: Vec::new(),
        faults: Vec::new(),
    };
    for (at, card) in set.cards.iter().enumerate() {
        let CardDefinition { number, name, .. } = &card.definition;
        // A stored card may have a number that is the same as a vacated one but for zeros.
        match (stored.remove(number), vacated.find(number)) {
            (Some(before), _) => {
                if printed && before.name_key != card.name_key {
                    plan.faults.push(renamed_in_print(set, at, &before.name));
                }
                plan.changed.extend(compare_card(before, card));
            }
            (None, Some((old, became))) => {
                let mut message = format!("card {old} {became}: no other card takes its number");
                if old != number {
                    message += &format!(", and {number} is the same but for leading zeros or case");
                }
                let about = FaultyCard {
                    set: None,
                    number: Some(number.clone()),
                    name: Some(name.clone()),
                };
                let fault = ImportFault::new(&set.file, format!("/cards/{at}/number"), message);
                plan.faults.push(fault.about(Some(about)));
            }
            (None, None) if printed => plan.faults.push(ImportFault::new(
                &set.file,
                format!("/cards/{at}"),
                format!(
                    "card {number} is new, but the set has been printed: each card of a set has the same number of copies, \
                     so new cards need a new set"
                ),
            )),
            (None, None) => plan.added.push(card),
        }
    }
    for number in stored.keys() {
        let message = format!("card {number} is stored but not in the file: cards never vanish");
        plan.faults.push(ImportFault::new(&set.file, "/cards", message));
    }
    plan.added.sort_by(|one, other| one.definition.number.cmp(&other.definition.number));
    plan
}

/// Copies are proven by number and printed name, so neither may move to another card, and players type the printed
/// name.
pub(super) fn renamed_in_print(set: &SetImport, at: usize, before: &str) -> ImportFault {
    let CardDefinition { number, name, .. } = &set.cards[at].definition;
    let card = FaultyCard { set: None, number: Some(number.clone()), name: Some(name.clone()) };
    let fault = CardFault::PrintedAs(before.to_owned());
    ImportFault::of_card(&set.file, format!("/cards/{at}/name"), fault).about(Some(card))
}

pub(super) fn compare_card(mut before: StoredCard, card: &CardImport) -> Option<CardPlan<'_>> {
    let mut plan = CardPlan {
        id: before.id,
        card,
        content: !before.equals(&card.definition) || before.name_key != card.name_key,
        renamed: before.name_key != card.name_key,
        new_printings: Vec::new(),
        changed_printings: Vec::new(),
        removed_printings: Vec::new(),
    };
    for printing in &card.printings {
        match before.printings.remove(&printing.rarity) {
            None => plan.new_printings.push(printing),
            Some(StoredPrinting { tier, attributes, .. })
                if tier == printing.tier && attributes == printing.attributes => {}
            Some(StoredPrinting { id, .. }) => plan.changed_printings.push((id, printing)),
        }
    }
    plan.removed_printings.extend(before.printings.into_values().map(|printing| printing.id));
    let differs = plan.content
        || !plan.new_printings.is_empty()
        || !plan.changed_printings.is_empty()
        || !plan.removed_printings.is_empty();
    differs.then_some(plan)
}

/// A printing of a printed set must not be removed: copies of it may exist, and it has a place in the run.
pub(super) async fn refuse_removed_printings(
    conn: &mut Connection,
    plan: &mut SetPlan<'_>,
    printed: bool,
) -> StoreResult<()> {
    let removed: Vec<PrintingId> =
        plan.changed.iter().flat_map(|card| &card.removed_printings).copied().collect();
    if removed.is_empty() {
        return Ok(());
    }
    let refused: Vec<(CardId, String)> = printings::table
        .filter(printings::id.eq_any(removed))
        .filter(
            diesel::dsl::exists(
                print_run_lines::table.filter(print_run_lines::printing_id.eq(printings::id)),
            )
            .or(printed.into_sql::<Bool>()),
        )
        .select((printings::card_id, printings::rarity))
        .order((printings::card_id, printings::tier))
        .load(conn)
        .await?;
    let mut by_card: BTreeMap<CardId, Vec<String>> = BTreeMap::new();
    for (card, rarity) in refused {
        by_card.entry(card).or_default().push(rarity);
    }
    let by_number = plan.changed.iter().filter_map(|changed| {
        Some((changed.card.definition.number.as_str(), by_card.remove(&changed.id)?))
    });
    let by_number: BTreeMap<&str, Vec<String>> = by_number.collect();
    for (at, card) in plan.set.cards.iter().enumerate() {
        let number = card.definition.number.as_str();
        for rarity in by_number.get(number).into_iter().flatten() {
            let message = format!(
                "the {rarity} printing of card {number} is missing: what was printed never vanishes"
            );
            let pointer = format!("/cards/{at}/printings");
            plan.faults.push(ImportFault::new(&plan.set.file, pointer, message));
        }
    }
    Ok(())
}

/// All faults of the plans: those found in each plan, and names that cards of other sets have.
pub(super) async fn faults(
    conn: &mut Connection,
    by: &Importer,
    import: &GameImport,
    plans: &[SetPlan<'_>],
) -> StoreResult<Vec<ImportFault>> {
    let mut faults: Vec<ImportFault> =
        plans.iter().flat_map(|plan| plan.faults.iter().cloned()).collect();
    if !import.game().unique_names() {
        return Ok(faults);
    }
    // Cards of the planned sets get the names in the files, which were compared with each other already.
    let planned: Vec<&str> = plans.iter().map(|plan| plan.set.code.as_str()).collect();
    let names: Vec<&str> =
        plans.iter().flat_map(|plan| &plan.set.cards).map(|card| card.name_key.as_str()).collect();
    let taken = content::find_taken_names(conn, by, import.game().code(), &names, &planned).await?;
    let taken: BTreeMap<&str, &TakenName> =
        taken.iter().map(|taken| (taken.name_key.as_str(), taken)).collect();
    for plan in plans {
        for (at, card) in plan.set.cards.iter().enumerate() {
            if let Some(taken) = taken.get(card.name_key.as_str()) {
                let (set, number) = (taken.set_code.clone(), taken.number.clone());
                let fault = CardFault::NameTaken { set, number };
                let pointer = format!("/cards/{at}/name");
                faults.push(ImportFault::of_card(&plan.set.file, pointer, fault));
            }
        }
    }
    Ok(faults)
}

/// Faults for names that stored cards share, if the manifest says that names are unique.
pub(super) async fn shared_names(
    conn: &mut Connection,
    by: &Importer,
    import: &GameImport,
) -> StoreResult<Vec<ImportFault>> {
    let game = import.game();
    if !game.unique_names() {
        return Ok(Vec::new());
    }
    let fault = |name: String| {
        let message = format!("several stored cards are called {name:?}: names are not unique");
        ImportFault::new(&import.manifest().name, "/cards/unique_names", message)
    };
    Ok(content::find_shared_names(conn, by, game.code()).await?.into_iter().map(fault).collect())
}

/// Faults for kinds and rarities that a changed manifest leaves out, although cards of sets outside this import have
/// them.
pub(super) async fn lost_codes(
    conn: &mut Connection,
    by: &Importer,
    import: &GameImport,
    plans: &[SetPlan<'_>],
) -> StoreResult<Vec<ImportFault>> {
    let game = import.game();
    let planned: Vec<&str> = plans.iter().map(|plan| plan.set.code.as_str()).collect();
    let used = content::find_used_codes(conn, by, game.code(), &planned).await?;
    let lost = used.into_iter().filter(|used| match used.list.as_str() {
        "kinds" => game.kind(&used.code).is_none(),
        _ => game.rarity(&used.code).is_none(),
    });
    let fault = |used: content::UsedCode| {
        let message = format!(
            "{:?} is missing, but cards of the stored set {} have it",
            used.code, used.set_code
        );
        ImportFault::new(&import.manifest().name, format!("/{}", used.list), message)
    };
    Ok(lost.map(fault).collect())
}

/// Most faults of stored cards that are listed, beside the line with their number.
const MAX_STORED_FAULTS: usize = 199;

/// Faults of a changed manifest in stored cards that this import does not plan: of other sets, and of sets whose file is the same as before, because their cards
/// may have been edited.
///
/// Sets are read one after the other, so that only one is in memory. [`lost_codes`] reports removed kinds and rarities.
pub(super) async fn broken_cards(
    conn: &mut Connection,
    by: &Importer,
    import: &GameImport,
    plans: &[SetPlan<'_>],
) -> StoreResult<Vec<ImportFault>> {
    let (game, file) = (import.game(), &import.manifest().name);
    let brought: Vec<&str> = plans.iter().map(|plan| plan.set.code.as_str()).collect();
    let others: Vec<String> = sets::table
        .filter(sets::game_code.eq(game.code()).and(sets::code.ne_all(brought)))
        .select(sets::code)
        .order(sets::code)
        .load(conn)
        .await?;
    let (mut faults, mut count) = (Vec::new(), 0);
    for set in others {
        for (number, stored) in content::load_set(conn, by, game.code(), &set).await? {
            let card = stored.into_definition();
            for found in card_faults(game, &card) {
                // No manifest allows such a character: the card was stored before it was refused.
                let is_older = found.violation.refused_character().is_some();
                if is_older
                    || matches!(
                        found.violation.code,
                        ViolationCode::KindUnknown | ViolationCode::RarityUnknown
                    )
                {
                    continue;
                }
                count += 1;
                if count > MAX_STORED_FAULTS {
                    continue;
                }
                let mut fault = ImportFault::broken_rule(file, "", &found.violation);
                fault.message = format!(
                    "card {number} of the stored set {set}, {}: {}",
                    found.pointer, fault.message
                );
                faults.push(fault.about(Some(FaultyCard {
                    set: Some(set.clone()),
                    number: Some(number.clone()),
                    name: Some(card.name.clone()),
                })));
            }
        }
    }
    if count > MAX_STORED_FAULTS {
        let message = format!(
            "stored cards break this manifest in {count} places; the first {MAX_STORED_FAULTS} follow"
        );
        faults.insert(0, ImportFault::new(file, "", message));
    }
    Ok(faults)
}

/// Clears the name keys of all cards that get other names.
pub(super) async fn free_names(
    conn: &mut Connection,
    by: &Importer,
    plans: &[SetPlan<'_>],
) -> StoreResult<()> {
    let cards = plans.iter().flat_map(|plan| &plan.changed);
    let renamed: Vec<CardId> = cards.filter(|card| card.renamed).map(|card| card.id).collect();
    if renamed.is_empty() { Ok(()) } else { content::free_names(conn, by, &renamed).await }
}
