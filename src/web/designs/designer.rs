//! The designer: a design is made, changed, or suggested otherwise, step by step. Each step is a form that carries all others on; nothing is stored
//! before it is saved, and what is saved may break rules.

use std::collections::BTreeSet;

use actix_web::{HttpResponse, web};
use askama::Template;
use cardscape_engine::{Game, Kind};
use uuid::Uuid;

use super::design::ContentView;
use super::draft::Draft;
use super::faults::faults_of;
use super::fields::{
    AttributeField, EffectField, Input, RarityRow, attribute_fields, effect_fields, effect_schema,
    field_id, rarity_rows,
};
use super::gallery::Choice;
use super::steps::find_own;
use super::verdict::{VerdictView, told};
use super::words as design_words;
use super::{design_path, identifier, templates};
use crate::app::designs::design_checks::{self, DesignCheckResponse, DesignViolationResponse};
use crate::app::designs::design_lifecycle::{self, VersionedDesign};
use crate::app::designs::design_suggestions::{self, PartialDesign, PartialEffect};
use crate::app::designs::suggested_changes::{self, SuggestionDraft};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::Revision;
use crate::auth::permission::{GiveFeedback, Granted, ReadOwnDesigns, WriteOwnDesigns};
use crate::domain::designs::content::{Licence, MAX_EFFECTS};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::network::Network;
use crate::http::extract::{ClientNetwork, Form, claim_of_form};
use crate::web::forms::private;
use crate::web::page::{Frame, Place};
use crate::web::session::{Player, see_other};
use crate::web::words;

/// A step of the designer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Start,
    Card,
    Effects,
    Story,
    Check,
}

impl Step {
    const ALL: [Self; 5] = [Self::Start, Self::Card, Self::Effects, Self::Story, Self::Check];

    fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Card => "card",
            Self::Effects => "effects",
            Self::Story => "story",
            Self::Check => "check",
        }
    }

    fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.as_str() == word)
    }

    fn neighbour(self, forward: bool) -> Option<Self> {
        let at = Self::ALL.iter().position(|step| *step == self)?;
        let next = if forward { at + 1 } else { at.checked_sub(1)? };
        Self::ALL.get(next).copied()
    }

    /// The step that has a field.
    fn of_field(name: &str) -> Self {
        match name.split('.').next().unwrap_or_default() {
            "card" => Self::Start,
            "name" | "attributes" | "printings" => Self::Card,
            "effects" => Self::Effects,
            "flavour" | "lore" | "credits" | "licence" | "alt" | "artwork" => Self::Story,
            _ => Self::Check,
        }
    }
}

/// What is worked on.
pub(super) enum Target {
    /// A new design.
    New,
    /// The next revision of an own one.
    Revision(DesignCode, Box<VersionedDesign>),
    /// A change of somebody else's, to be suggested.
    Change(DesignCode, Box<VersionedDesign>),
}

/// A request to the designer.
pub(super) struct Work<'a> {
    pub(super) app: &'a AppState,
    network: Network,
    by: &'a Granted<ReadOwnDesigns>,
    target: Target,
    path: String,
}

/// Something that is wrong with what was sent.
struct Wrong {
    /// The name of the field; when it is shown, the `id` of one that is on the page.
    field: Option<String>,
    text: String,
}

/// The kinds of cards of a game.
struct KindGroup {
    game: String,
    kinds: Vec<Choice>,
}

/// The version that is stored, when it is another one than the form began with.
struct SavedDesign {
    name: String,
    content: ContentView,
    day: String,
    at: String,
}

#[derive(Template)]
#[template(path = "web/designs/designer.html")]
struct DesignerPage<'a> {
    frame: Frame,
    heading: String,
    path: &'a str,
    /// Where the design is; `None`: it is a new one.
    design: Option<String>,
    name: String,
    is_change: bool,
    step: &'static str,
    steps: Vec<Choice>,
    next: Option<&'static str>,
    previous: Option<&'static str>,
    wrong: Vec<Wrong>,
    /// What was filled in.
    done: Vec<String>,
    carried: Vec<(String, String)>,
    draft: &'a Draft,
    starts: Vec<KindGroup>,
    attributes: Vec<AttributeField>,
    name_notes: Vec<String>,
    columns: Vec<String>,
    rarities: Vec<RarityRow>,
    effects: Vec<EffectField>,
    effects_about: String,
    may_add_effect: bool,
    licences: Vec<Choice>,
    verdict: Option<VerdictView>,
    is_unchecked: bool,
    picture: Option<String>,
    saved: Option<SavedDesign>,
}

impl<'a> Work<'a> {
    fn new(
        app: &'a AppState,
        network: ClientNetwork,
        by: &'a Granted<ReadOwnDesigns>,
        target: Target,
    ) -> Self {
        let path = match &target {
            Target::New => "/designer".to_owned(),
            Target::Revision(code, _) => format!("{}/edit", design_path(code)),
            Target::Change(code, _) => format!("{}/suggest", design_path(code)),
        };
        Self { app, network: network.0, by, target, path }
    }

    /// Where the form goes.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    fn stored(&self) -> Option<(DesignCode, &VersionedDesign)> {
        match &self.target {
            Target::New => None,
            Target::Revision(code, design) | Target::Change(code, design) => Some((*code, design)),
        }
    }

    /// What was sent, with the choice of the first step in its fields. The game of a stored design stays.
    fn read(&self, mut draft: Draft) -> Draft {
        if let Some((game, kind)) = draft.one("card").split_once('/') {
            let (game, kind) = (game.to_owned(), kind.to_owned());
            draft.set("game", game);
            draft.set("kind", kind);
        }
        if let Some((_, stored)) = self.stored() {
            draft.set("game", &stored.design.game);
        }
        draft
    }

    async fn game(&self, draft: &Draft) -> Result<Option<Game>, Problem> {
        if draft.one("game").is_empty() {
            return Ok(None);
        }
        let found = self.app.named_game(draft.one("game")).await?;
        Ok(found.ok().map(|loaded| loaded.game.clone()))
    }

    /// Does what a button says that does not save.
    async fn turn(&self, mut draft: Draft) -> Result<HttpResponse, Problem> {
        let go = draft.one("go").to_owned();
        let step = Step::read(draft.one("step")).unwrap_or(Step::Start);
        let is_of_template = go.starts_with("template:") || go.starts_with("more:");
        if is_of_template || matches!(go.as_str(), "pick" | "unpick" | "use") {
            return match templates::choose(self, draft, &go).await? {
                Ok(page) => Ok(page),
                Err(draft) => self.show(200, &draft, Step::Effects, Turned::default()).await,
            };
        }
        let mut turned = Turned::default();
        let mut shown = Step::read(&go).unwrap_or(step);
        let game = self.game(&draft).await?;
        let kind = game.as_ref().and_then(|game| game.kind(draft.one("kind")));
        if kind.is_none() && shown != Step::Start {
            shown = Step::Start;
            let text = design_words::CHOOSE_KIND.to_owned();
            turned.wrong.push(Wrong { field: Some("card".to_owned()), text });
            return self.show(422, &draft, shown, turned).await;
        }
        if go == "add" {
            draft.set_effect(draft.effect_count(), None, None, "");
        } else if let Some(at) = go.strip_prefix("drop:").and_then(|at| at.parse().ok()) {
            draft.drop_effect(at);
        } else if let ("suggest", Some(game)) = (go.as_str(), &game) {
            self.fill(game, &mut draft, &mut turned).await?;
        }
        self.show(200, &draft, shown, turned).await
    }

    /// Fills in what is missing.
    async fn fill(
        &self,
        game: &Game,
        draft: &mut Draft,
        turned: &mut Turned,
    ) -> Result<(), Problem> {
        let owned =
            |name: String| Some(draft.one(&name).to_owned()).filter(|text| !text.is_empty());
        let effect = |at: usize| PartialEffect {
            style: owned(format!("effects.{at}.style")),
            slot: owned(format!("effects.{at}.slot")),
            text: owned(format!("effects.{at}.text")),
        };
        let partial = PartialDesign {
            kind: draft.one("kind").to_owned(),
            attributes: draft.attributes(game, "attributes", |_| true),
            effects: (0..draft.effect_count()).map(effect).collect(),
            printings: Vec::new(),
        };
        let made =
            design_suggestions::create(self.app, game.code().to_owned(), None, partial).await;
        let made = match made {
            Ok(made) => made,
            Err(problem) if !problem.faults().is_empty() => {
                turned.wrong = self.wrong(&problem, draft);
                return Ok(());
            }
            Err(problem) => return Err(problem),
        };
        draft.set_attributes("attributes", &made.design.attributes);
        for (at, effect) in made.design.effects.iter().enumerate() {
            let (style, slot) = (effect.style.as_deref(), effect.slot.as_deref());
            draft.set_effect(at, style, slot, &effect.text);
        }
        // The numbers of other rarities are worked out anyway.
        let filled = made.filled.iter().filter(|pointer| !pointer.starts_with("/printings"));
        turned.done = filled.map(|pointer| design_words::member(pointer)).collect();
        let unfilled = made.unfilled.iter().map(|fault| {
            design_words::labelled(&design_words::member(&fault.pointer), &fault.detail)
        });
        turned.done.extend(unfilled);
        if turned.done.is_empty() {
            turned.done.push(design_words::NOTHING_TO_FILL.to_owned());
        }
        Ok(())
    }

    /// What is wrong with what was sent, beside its fields.
    fn wrong(&self, problem: &Problem, draft: &Draft) -> Vec<Wrong> {
        let wrong = |fault: &crate::app::problem::InputFault| {
            let pointer = fault.pointer.strip_prefix("/design").unwrap_or(&fault.pointer);
            let text = words::sentence(&fault.detail);
            Wrong {
                field: field_of(pointer, draft, None),
                text: match design_words::member(pointer) {
                    member if member.is_empty() => text,
                    member => design_words::labelled(&member, &text),
                },
            }
        };
        problem.faults().iter().map(wrong).collect()
    }

    /// The answer to a design that could not be saved.
    async fn refused(&self, mut draft: Draft, problem: Problem) -> Result<HttpResponse, Problem> {
        let Some(faults) = faults_of(&problem, &[]) else { return Err(problem) };
        let mut turned = Turned { wrong: self.wrong(&problem, &draft), ..Turned::default() };
        if turned.wrong.is_empty() {
            let whole =
                |fault: &crate::web::forms::Fault| Wrong { field: None, text: fault.text.clone() };
            turned.wrong = faults.all().iter().map(whole).collect();
        }
        let step = match turned.wrong.iter().find_map(|wrong| wrong.field.as_deref()) {
            Some(field) => Step::of_field(field),
            None => Step::read(draft.one("step")).unwrap_or(Step::Check),
        };
        // What is sent next is another request.
        draft.set("key", Uuid::now_v7().to_string());
        if let (ProblemCode::PreconditionFailed, Some((_, stored))) =
            (problem.code(), self.stored())
        {
            // Whoever has seen both versions may put one in the place of the other.
            draft.set("version", stored.version.0.to_string());
            let design = &stored.design;
            turned.saved = self.game(&draft).await?.map(|game| SavedDesign {
                name: design_words::name_of(&design.content.name),
                content: ContentView::new(&game, &design.content),
                day: words::day_of(design.revised_at),
                at: design.revised_at.to_rfc3339(),
            });
        }
        self.show(problem.code().status(), &draft, step, turned).await
    }

    /// The check of what was sent; `None`: it could not be made.
    async fn check(
        &self,
        game: &Game,
        draft: &Draft,
        turned: &mut Turned,
    ) -> Result<Option<DesignCheckResponse>, Problem> {
        let (stored, request) = (self.stored().map(|(code, _)| code), draft.request(game));
        match design_checks::check(self.app, self.network, Some(self.by), request, stored).await {
            Ok(check) => Ok(Some(check)),
            Err(problem) if problem.code() == ProblemCode::InvalidBody => {
                if turned.wrong.is_empty() {
                    turned.wrong = self.wrong(&problem, draft);
                }
                Ok(None)
            }
            Err(problem) if matches!(problem.code().status(), 429 | 503) => {
                tracing::warn!(%problem, "the designer could not check a design");
                turned.is_unchecked = true;
                Ok(None)
            }
            Err(problem) => Err(problem),
        }
    }

    async fn show(
        &self,
        status: u16,
        draft: &Draft,
        step: Step,
        mut turned: Turned,
    ) -> Result<HttpResponse, Problem> {
        let game = self.game(draft).await?;
        let kind = game.as_ref().and_then(|game| game.kind(draft.one("kind")));
        let (Some(game), Some(kind)) = (&game, kind) else {
            let mut page = self.page(draft, Step::Start, turned);
            page.starts = self.starts(draft).await?;
            page.settle();
            return private(status, &page);
        };
        let check = self.check(game, draft, &mut turned).await?;
        let mut page = self.page(draft, step, turned);
        if step == Step::Start {
            page.starts = self.starts(draft).await?;
        }
        page.fill_step(game, kind, step, check.as_ref());
        if let Some(check) = &check {
            page.note(game, check);
            let shown = page.shown_names();
            let field_of = |violation: &DesignViolationResponse| {
                let field = field_of_violation(game, violation, draft)?;
                shown.contains(&field).then(|| field_id(&field))
            };
            page.verdict = Some(VerdictView::new(game, check, &field_of));
            page.picture = draft.picture_query().map(|query| format!("/designer/picture?{query}"));
        }
        page.settle();
        private(status, &page)
    }

    /// The kinds to choose from: of all games, or of that of a stored design.
    async fn starts(&self, draft: &Draft) -> Result<Vec<KindGroup>, Problem> {
        let games = self.app.all_games().await?;
        let games = games.iter().map(|loaded| &loaded.game);
        let is_meant = |game: &&Game| {
            self.stored().is_none_or(|(_, stored)| stored.design.game == game.code())
        };
        let group = |game: &Game| {
            let kind = |kind: &Kind| Choice {
                value: format!("{}/{}", game.code(), kind.code),
                name: kind.name.clone(),
                is_chosen: draft.one("game") == game.code() && draft.one("kind") == kind.code,
            };
            KindGroup {
                game: game.name().to_owned(),
                kinds: game.kinds().iter().map(kind).collect(),
            }
        };
        Ok(games.filter(is_meant).map(group).collect())
    }

    fn page<'p>(&'p self, draft: &'p Draft, step: Step, turned: Turned) -> DesignerPage<'p> {
        let name = self.stored().map_or("", |(_, stored)| &stored.design.content.name);
        let name = design_words::name_of(name);
        let heading = match self.target {
            Target::New => design_words::NEW_DESIGN.to_owned(),
            Target::Revision(..) => design_words::change_of(&name),
            Target::Change(..) => design_words::suggestion_for(&name),
        };
        let choice = |one: Step| Choice {
            value: one.as_str().to_owned(),
            name: design_words::designer_step(one.as_str()).to_owned(),
            is_chosen: one == step,
        };
        DesignerPage {
            frame: Frame::new(&heading).at(Place::Designs),
            heading,
            path: &self.path,
            design: self.stored().map(|(code, _)| design_path(code)),
            name,
            is_change: matches!(self.target, Target::Change(..)),
            step: step.as_str(),
            steps: Step::ALL.into_iter().map(choice).collect(),
            next: step.neighbour(true).map(Step::as_str),
            previous: step.neighbour(false).map(Step::as_str),
            wrong: turned.wrong,
            done: turned.done,
            carried: Vec::new(),
            draft,
            starts: Vec::new(),
            attributes: Vec::new(),
            name_notes: Vec::new(),
            columns: Vec::new(),
            rarities: Vec::new(),
            effects: Vec::new(),
            effects_about: String::new(),
            may_add_effect: false,
            licences: Vec::new(),
            verdict: None,
            is_unchecked: turned.is_unchecked,
            picture: None,
            saved: turned.saved,
        }
    }
}

/// What a turn brings about beside the step that it shows.
#[derive(Default)]
struct Turned {
    wrong: Vec<Wrong>,
    done: Vec<String>,
    is_unchecked: bool,
    saved: Option<SavedDesign>,
}

impl DesignerPage<'_> {
    /// The fields of a step.
    fn fill_step(
        &mut self,
        game: &Game,
        kind: &Kind,
        step: Step,
        check: Option<&DesignCheckResponse>,
    ) {
        match step {
            Step::Start | Step::Check => {}
            Step::Card => {
                self.attributes = attribute_fields(kind, self.draft);
                let worked_out = |rarity: &str, code: &str| {
                    let printings = check.into_iter().flat_map(|check| &check.all_printings);
                    let mut found = printings.filter(|printing| printing.rarity == rarity);
                    let value = found.next().and_then(|printing| printing.attributes.get(code));
                    value.map(ToString::to_string).unwrap_or_default()
                };
                (self.columns, self.rarities) = rarity_rows(game, kind, self.draft, worked_out);
            }
            Step::Effects => match effect_schema(game, kind, self.draft) {
                None => self.effects_about = design_words::NO_EFFECTS.to_owned(),
                Some(schema) => {
                    self.effects = effect_fields(schema, self.draft);
                    let rule = &schema.reference;
                    self.effects_about = design_words::rule(&rule.text, &rule.rule);
                    let in_slots: u32 = schema.slots.iter().map(|slot| slot.max).sum();
                    let most = usize::try_from(schema.max.max(in_slots)).unwrap_or(MAX_EFFECTS);
                    self.may_add_effect = self.effects.len() < most.min(MAX_EFFECTS);
                }
            },
            Step::Story => {
                let chosen = self.draft.one("licence");
                let choice = |licence: Licence| Choice {
                    value: licence.as_str().to_owned(),
                    name: design_words::licence(licence.as_str()).to_owned(),
                    is_chosen: licence.as_str() == chosen,
                };
                self.licences = Licence::ALL.into_iter().map(choice).collect();
            }
        }
    }

    /// Puts what the game finds wrong beside the fields.
    fn note(&mut self, game: &Game, check: &DesignCheckResponse) {
        for violation in &check.violations {
            let Some(field) = field_of_violation(game, violation, self.draft) else { continue };
            let text = told(game, violation);
            if field == "name" {
                self.name_notes.push(text);
                continue;
            }
            if let Some(attribute) = self.attributes.iter_mut().find(|one| one.name == field) {
                attribute.notes.push(text);
                continue;
            }
            let is_of = |effect: &&mut EffectField| {
                field.strip_prefix(&effect.name).is_some_and(|member| member.starts_with('.'))
            };
            if let Some(effect) = self.effects.iter_mut().find(is_of) {
                effect.notes.push(text);
            }
        }
    }

    /// The names of the fields on the page.
    fn shown_names(&self) -> BTreeSet<String> {
        let fixed: &[&str] = match self.step {
            "start" => &["card", "game", "kind"],
            "card" => &["name"],
            "story" if self.draft.one("artwork").is_empty() => {
                &["flavour", "lore", "credits", "licence"]
            }
            "story" => &["flavour", "lore", "credits", "licence", "alt"],
            "check" if self.is_change => &["message"],
            _ => &[],
        };
        let mut names: BTreeSet<String> = fixed.iter().map(|name| (*name).to_owned()).collect();
        names.extend(self.attributes.iter().map(|field| field.name.clone()));
        let cells = self.rarities.iter().flat_map(|row| &row.cells);
        names.extend(cells.map(|cell| cell.name.clone()));
        for effect in &self.effects {
            names.insert(format!("{}.text", effect.name));
            if !effect.styles.is_empty() {
                names.insert(format!("{}.style", effect.name));
            }
            if !effect.slots.is_empty() {
                names.insert(format!("{}.slot", effect.name));
            }
        }
        names
    }

    /// Carries on what has no field on the page, and links faults to the fields that it has.
    fn settle(&mut self) {
        let shown = self.shown_names();
        self.carried = self.draft.carried(|name| shown.contains(name));
        for wrong in &mut self.wrong {
            wrong.field =
                wrong.field.take().filter(|name| shown.contains(name)).map(|name| field_id(&name));
        }
    }

    /// Whether something is wrong with a field, by its `id`.
    fn is_wrong(&self, id: &str) -> bool {
        self.wrong.iter().any(|wrong| wrong.field.as_deref() == Some(id))
    }
}

/// The name of the field that a pointer into a design is about.
fn field_of(pointer: &str, draft: &Draft, rarity: Option<&str>) -> Option<String> {
    let mut parts = pointer.strip_prefix('/')?.split('/');
    Some(match (parts.next()?, parts.next(), parts.next(), parts.next()) {
        ("kind" | "game", ..) => "card".to_owned(),
        ("artwork", Some("alt"), ..) => "alt".to_owned(),
        (one @ ("name" | "flavour" | "lore" | "credits" | "licence" | "message"), ..) => {
            one.to_owned()
        }
        ("attributes", Some(code), ..) => format!("attributes.{code}"),
        ("effects", Some(number), member, _) => {
            let at = draft.written_effects().get(number.parse::<usize>().ok()?).copied()?;
            let member = member.filter(|member| matches!(*member, "style" | "slot"));
            format!("effects.{at}.{}", member.unwrap_or("text"))
        }
        ("printings" | "all_printings", _, Some("attributes"), Some(code)) => {
            format!("printings.{}.{code}", rarity?)
        }
        _ => return None,
    })
}

/// The name of the field that a violation is about. The numbers of the lowest rarity are those of the design.
fn field_of_violation(
    game: &Game,
    violation: &DesignViolationResponse,
    draft: &Draft,
) -> Option<String> {
    let field = field_of(&violation.pointer, draft, violation.rarity.as_deref())?;
    let base = format!("printings.{}.", game.base_rarity().code);
    Some(match field.strip_prefix(&base) {
        Some(code) => format!("attributes.{code}"),
        None => field,
    })
}

/// Shows the form of a new design. The address may say of which game and kind.
pub(in crate::web) async fn show_new(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<WriteOwnDesigns>,
    draft: web::Query<Draft>,
) -> Result<HttpResponse, Problem> {
    let reads = by.visitor.must::<ReadOwnDesigns>()?;
    let work = Work::new(&state, network, &reads, Target::New);
    let mut draft = work.read(draft.into_inner());
    draft.set("key", Uuid::now_v7().to_string());
    work.show(200, &draft, Step::Start, Turned::default()).await
}

/// Goes on with a new design, or saves it.
pub(in crate::web) async fn send_new(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<WriteOwnDesigns>,
    Form(draft): Form<Draft>,
) -> Result<HttpResponse, Problem> {
    let reads = by.visitor.must::<ReadOwnDesigns>()?;
    let work = Work::new(&state, network, &reads, Target::New);
    let draft = work.read(draft);
    let (true, Some(game)) = (draft.one("go") == "save", work.game(&draft).await?) else {
        return work.turn(draft).await;
    };
    let sent = draft.sent();
    let key = claim_of_form(&state, by.account(), "create_design", draft.one("key"), &sent);
    match design_lifecycle::create(&state, &by, draft.request(&game), key.as_ref()).await {
        Ok(made) => Ok(see_other(&design_path(&made.design.id))),
        Err(problem) => work.refused(draft, problem).await,
    }
}

/// Shows an own design in the designer.
pub(in crate::web) async fn show_edit(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<WriteOwnDesigns>,
    design: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (code, reads) = (identifier(&design)?, by.visitor.must::<ReadOwnDesigns>()?);
    let found = find_own(&state, &reads, code).await?;
    let mut draft = Draft::of_design(&found.design.game, &found.design.content);
    draft.set("version", found.version.0.to_string());
    let work = Work::new(&state, network, &reads, Target::Revision(code, Box::new(found)));
    work.show(200, &draft, Step::Card, Turned::default()).await
}

/// Goes on with an own design, or saves it, if it is still the version that the form began with.
pub(in crate::web) async fn send_edit(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<WriteOwnDesigns>,
    design: web::Path<String>,
    Form(draft): Form<Draft>,
) -> Result<HttpResponse, Problem> {
    let (code, reads) = (identifier(&design)?, by.visitor.must::<ReadOwnDesigns>()?);
    let found = find_own(&state, &reads, code).await?;
    let work = Work::new(&state, network, &reads, Target::Revision(code, Box::new(found)));
    let draft = work.read(draft);
    let (true, Some(game)) = (draft.one("go") == "save", work.game(&draft).await?) else {
        return work.turn(draft).await;
    };
    // Without a number it is no version that there ever was.
    let meant = Revision(draft.one("version").parse().unwrap_or_default()).meant();
    let request = draft.request(&game);
    match design_lifecycle::revise(&state, &by, work.network, code, &meant, request).await {
        Ok(_) => Ok(see_other(&design_path(code))),
        Err(problem) => work.refused(draft, problem).await,
    }
}

/// Shows somebody else's design in the designer, to suggest a change of it.
pub(in crate::web) async fn show_change(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<GiveFeedback>,
    design: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (code, reads) = (identifier(&design)?, by.visitor.must::<ReadOwnDesigns>()?);
    let found = find_public(&state, &reads, code).await?;
    let mut draft = Draft::of_design(&found.design.game, &found.design.content);
    draft.set("revision", found.design.revision.to_string());
    draft.set("key", Uuid::now_v7().to_string());
    let work = Work::new(&state, network, &reads, Target::Change(code, Box::new(found)));
    work.show(200, &draft, Step::Card, Turned::default()).await
}

/// A design of somebody else.
async fn find_public(
    app: &AppState,
    by: &Granted<ReadOwnDesigns>,
    code: DesignCode,
) -> Result<VersionedDesign, Problem> {
    let found = design_lifecycle::find(app, Some(by), None, code).await?;
    if found.is_own { Err(Problem::new(ProblemCode::OwnDesign)) } else { Ok(found) }
}

/// Goes on with a suggestion, or sends it.
pub(in crate::web) async fn send_change(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<GiveFeedback>,
    design: web::Path<String>,
    Form(draft): Form<Draft>,
) -> Result<HttpResponse, Problem> {
    let (code, reads) = (identifier(&design)?, by.visitor.must::<ReadOwnDesigns>()?);
    let found = find_public(&state, &reads, code).await?;
    let work = Work::new(&state, network, &reads, Target::Change(code, Box::new(found)));
    let draft = work.read(draft);
    let (true, Some(game)) = (draft.one("go") == "save", work.game(&draft).await?) else {
        return work.turn(draft).await;
    };
    let named = code.to_string();
    let sent: Vec<&str> = std::iter::once(&*named).chain(draft.sent()).collect();
    let operation = "create_suggested_change";
    let key = claim_of_form(&state, by.account(), operation, draft.one("key"), &sent);
    let suggested = SuggestionDraft {
        revision: draft.one("revision").parse().unwrap_or_default(),
        message: draft.one("message").to_owned(),
        design: draft.request(&game),
    };
    match suggested_changes::create(&state, &by, code, suggested, key.as_ref()).await {
        Ok(made) => {
            let id = made.suggestion.id;
            Ok(see_other(&format!("{}/suggestions/{id}", design_path(code))))
        }
        Err(problem) => work.refused(draft, problem).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_lead_to_fields() {
        let mut draft = Draft::default();
        draft.set_effect(0, None, None, "");
        draft.set_effect(1, None, None, "Draw one card.");
        let field = |pointer: &str| field_of(pointer, &draft, Some("rare"));
        for (pointer, expected) in [
            ("/name", Some("name")),
            ("/attributes/attack", Some("attributes.attack")),
            // The first effect has no sentence, and is not sent.
            ("/effects/0", Some("effects.1.text")),
            ("/effects/0/style", Some("effects.1.style")),
            ("/effects/1/text", None),
            ("/all_printings/2/attributes/attack", Some("printings.rare.attack")),
            ("/effects", None),
            ("", None),
        ] {
            assert_eq!(field(pointer).as_deref(), expected, "{pointer}");
        }
    }
}
