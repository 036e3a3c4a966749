//! A request to the designer: what it works on, and what its buttons do.

use actix_web::HttpResponse;
use cardscape_engine::{Game, Kind};

use super::content::ContentView;
use super::design_path;
use super::designer_page::{DesignerPage, FieldFault, KindGroup, SavedDesign, Step};
use super::draft::Draft;
use super::faults::faults_of;
use super::fields::field_id;
use super::pointers::{field_of_fault, field_of_violation, in_form};
use super::steps::may_be_edited;
use super::templates::{self, Chosen};
use super::verdict::VerdictView;
use super::words as design_words;
use crate::app::designs::design_bodies::DesignResponse;
use crate::app::designs::design_checks::{self, DesignCheckResponse, DesignViolationResponse};
use crate::app::designs::design_lifecycle::VersionedDesign;
use crate::app::designs::design_sentences;
use crate::app::designs::design_suggestions::{self, PartialDesign, PartialEffect};
use crate::app::designs::likeness::StoredAs;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnDesigns};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::network::Network;
use crate::http::extract::ClientNetwork;
use crate::web::fault_words;
use crate::web::forms::{Choice, new_key, next_key, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::words;

/// The path of the designer for a new design.
const NEW_DESIGN: &str = "/designer";

/// The design that is worked on.
pub(super) enum Target {
    /// A new design.
    New,
    /// The next revision of an own design.
    Revision(DesignCode, Box<VersionedDesign>),
    /// A suggested change of another author's design; without the design: the visitor may not see it any more.
    Change(DesignCode, Option<Box<VersionedDesign>>),
}

/// A request to the designer.
pub(super) struct Work<'a> {
    pub(super) app: &'a AppState,
    pub(super) network: Network,
    pub(super) by: &'a Granted<ReadOwnDesigns>,
    pub(super) target: Target,
    pub(super) path: String,
}
/// The messages and states that a step adds to the page.
#[derive(Default)]
pub(super) struct StepMessages {
    pub(super) wrong: Vec<FieldFault>,
    pub(super) done: Vec<String>,
    pub(super) is_unchecked: bool,
    /// Whether the form holds values that are not stored.
    pub(super) is_unsaved: bool,
    pub(super) saved: Option<SavedDesign>,
    /// The path to which the form can be sent to save it as another design.
    pub(super) copy: Option<&'static str>,
}

/// Why nothing can be stored about a design any more.
struct Closed {
    code: ProblemCode,
    text: &'static str,
    /// The path to which the form can be sent to save it as another design.
    copy: Option<&'static str>,
}

impl Closed {
    /// An own design as it is stored; `None`: it can be saved.
    fn of_own(design: &DesignResponse) -> Option<Self> {
        let (code, text, copy) = if design.takedown.is_some() {
            (ProblemCode::DesignTakenDown, design_words::TAKEN_DOWN_UNSAVED, None)
        } else if may_be_edited(design) {
            return None;
        } else {
            let text = design_words::status_unsaved(design.status);
            (ProblemCode::DesignStepRefused, text, Some(NEW_DESIGN))
        };
        Some(Self { code, text, copy })
    }
}

impl StepMessages {
    /// The state for a form that was sent: its values are not stored.
    fn sent() -> Self {
        Self { is_unsaved: true, ..Self::default() }
    }
}

impl<'a> Work<'a> {
    pub(super) fn new(
        app: &'a AppState,
        network: ClientNetwork,
        by: &'a Granted<ReadOwnDesigns>,
        target: Target,
    ) -> Self {
        let path = match &target {
            Target::New => NEW_DESIGN.to_owned(),
            Target::Revision(code, _) => format!("{}/edit", design_path(code)),
            Target::Change(code, _) => format!("{}/suggest", design_path(code)),
        };
        Self { app, network: network.0, by, target, path }
    }

    /// The path that the form is sent to.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    fn stored(&self) -> Option<(DesignCode, &VersionedDesign)> {
        match &self.target {
            Target::New | Target::Change(_, None) => None,
            Target::Revision(code, design) | Target::Change(code, Some(design)) => {
                Some((*code, design))
            }
        }
    }

    /// The fields that were sent, with the choice of the first step applied. The game of a stored design cannot change.
    pub(super) fn read(&self, mut draft: Draft) -> Result<Draft, Problem> {
        if !draft.is_bounded() {
            return Err(Problem::new(ProblemCode::InvalidBody));
        }
        if let Some((game, kind)) = draft.one("card").split_once('/') {
            let (game, kind) = (game.to_owned(), kind.to_owned());
            draft.set("game", game);
            draft.set("kind", kind);
        }
        if let Some((_, stored)) = self.stored() {
            draft.set("game", &stored.design.game);
        }
        Ok(draft)
    }

    pub(super) async fn game(&self, draft: &Draft) -> Result<Option<Game>, Problem> {
        if draft.one("game").is_empty() {
            return Ok(None);
        }
        let found = self.app.named_game(draft.one("game")).await?;
        Ok(found.ok().map(|loaded| loaded.game.clone()))
    }

    /// Handles a button that does not save.
    pub(super) async fn turn(&self, mut draft: Draft) -> Result<HttpResponse, Problem> {
        let go = draft.one("go").to_owned();
        let step = Step::read(draft.one("step")).unwrap_or(Step::Start);
        let is_of_template = go.starts_with("template:") || go.starts_with("more:");
        if is_of_template || matches!(go.as_str(), "pick" | "unpick" | "use") {
            return match templates::choose(self, draft, &go).await? {
                Chosen::Page(page) => Ok(page),
                Chosen::Sentence(draft) => {
                    self.show(PageStatus::OK, &draft, Step::Effects, StepMessages::sent()).await
                }
                Chosen::NoTemplates(draft) => {
                    let text = design_words::NO_TEMPLATES.to_owned();
                    let wrong = vec![FieldFault { field: None, text }];
                    let messages = StepMessages { wrong, ..StepMessages::sent() };
                    self.show(PageStatus::OK, &draft, Step::Effects, messages).await
                }
            };
        }
        let mut messages = StepMessages::sent();
        let mut shown = Step::read(&go).unwrap_or(step);
        let game = self.game(&draft).await?;
        let kind = game.as_ref().and_then(|game| game.kind(draft.one("kind")));
        if kind.is_none() && shown != Step::Start {
            shown = Step::Start;
            let text = design_words::CHOOSE_KIND.to_owned();
            messages.wrong.push(FieldFault { field: Some("card".to_owned()), text });
            return self.show(PageStatus::INVALID_FORM, &draft, shown, messages).await;
        }
        if go == "add" {
            draft.set_effect(draft.effect_count(), None, None, "");
        } else if let Some(at) = go.strip_prefix("drop:").and_then(|at| at.parse().ok()) {
            draft.drop_effect(at);
        } else if let ("suggest", Some(game)) = (go.as_str(), &game) {
            self.fill(game, &mut draft, &mut messages).await?;
        }
        self.show(PageStatus::OK, &draft, shown, messages).await
    }

    /// Fills in missing values.
    async fn fill(
        &self,
        game: &Game,
        draft: &mut Draft,
        messages: &mut StepMessages,
    ) -> Result<(), Problem> {
        let owned =
            |name: String| Some(draft.one(&name).to_owned()).filter(|text| !text.is_empty());
        let effect = |at: usize| PartialEffect {
            style: owned(format!("effects.{at}.style")),
            slot: owned(format!("effects.{at}.slot")),
            text: owned(format!("effects.{at}.text")),
        };
        let sent: Vec<usize> = (0..draft.effect_count()).collect();
        let partial = PartialDesign {
            kind: draft.one("kind").to_owned(),
            attributes: draft.attributes(game, "attributes", |_| true),
            effects: sent.iter().copied().map(effect).collect(),
            printings: Vec::new(),
        };
        let suggested =
            design_suggestions::create(self.app, game.code().to_owned(), None, partial).await;
        let suggested = match suggested {
            Ok(suggested) => suggested,
            Err(problem) if !problem.faults().is_empty() => {
                messages.wrong = wrong(&problem, Some(game), draft, &sent);
                return Ok(());
            }
            Err(problem) => return Err(problem),
        };
        draft.set_attributes("attributes", &suggested.design.attributes);
        for (at, effect) in suggested.design.effects.iter().enumerate() {
            let (style, slot) = (effect.style.as_deref(), effect.slot.as_deref());
            draft.set_effect(at, style, slot, &effect.text);
        }
        // The numbers of other rarities are calculated in any case, so they are not reported.
        let filled = suggested.filled.iter().filter(|pointer| !pointer.starts_with("/printings"));
        messages.done = filled.map(|pointer| design_words::member(Some(game), pointer)).collect();
        let unfilled = suggested.unfilled.iter().map(|fault| {
            let member = design_words::member(Some(game), &fault.pointer);
            design_words::labelled(&member, &fault_words::reason(&fault.reason))
        });
        messages.done.extend(unfilled);
        if messages.done.is_empty() {
            messages.done.push(design_words::NOTHING_TO_FILL.to_owned());
        }
        Ok(())
    }

    /// The answer for a design that could not be saved.
    pub(super) async fn refused(
        &self,
        mut draft: Draft,
        problem: Problem,
    ) -> Result<HttpResponse, Problem> {
        let game = self.game(&draft).await?;
        if let (Some(closed), Some(_)) = (self.closed(&problem), &game) {
            return self.show_closed(draft, closed).await;
        }
        let Some(faults) = faults_of(&problem, &[]) else { return Err(problem) };
        let wrong = wrong(&problem, game.as_ref(), &draft, &draft.written_effects());
        let mut messages = StepMessages { wrong, ..StepMessages::sent() };
        if messages.wrong.is_empty() {
            let whole = |fault: &crate::web::forms::Fault| FieldFault {
                field: None,
                text: fault.text.clone(),
            };
            messages.wrong = faults.all().iter().map(whole).collect();
        }
        let step = match messages.wrong.iter().find_map(|wrong| wrong.field.as_deref()) {
            Some(field) => Step::of_field(field),
            None => Step::read(draft.one("step")).unwrap_or(Step::Check),
        };
        let status = PageStatus::of(&problem);
        let key = next_key(status, draft.one("key"));
        draft.set("key", key);
        if let (
            ProblemCode::PreconditionFailed | ProblemCode::SuggestionOutdated,
            Some((_, stored)),
        ) = (problem.code(), self.stored())
        {
            let design = &stored.design;
            // The answer shows both versions. The form gets the stored version: sent again, it overwrites the stored version, or suggests to overwrite it.
            match self.target {
                Target::Change(..) => {
                    draft.set("revision", design.revision.to_string());
                    let text = design_words::CHANGED_BEFORE_SUGGESTING.to_owned();
                    messages.wrong = vec![FieldFault { field: None, text }];
                }
                _ => draft.set("version", stored.version.0.to_string()),
            }
            messages.saved = game.map(|game| SavedDesign {
                name: design_words::name_of(&design.content.name),
                content: ContentView::new(&game, &design.content),
                day: words::day_of(design.revised_at),
                at: design.revised_at.to_rfc3339(),
            });
        }
        self.show(status, &draft, step, messages).await
    }

    /// Why sending the form again would fail, too; `None`: it may succeed.
    fn closed(&self, problem: &Problem) -> Option<Closed> {
        match (&self.target, problem.code()) {
            (Target::Change(..), code @ ProblemCode::NotFound) => {
                Some(Closed { code, text: design_words::SUGGESTIONS_CLOSED, copy: None })
            }
            (
                Target::Revision(_, found),
                ProblemCode::PreconditionFailed
                | ProblemCode::DesignStepRefused
                | ProblemCode::DesignTakenDown,
            ) => Closed::of_own(&found.design),
            _ => None,
        }
    }

    /// The form with the input that cannot be stored.
    async fn show_closed(
        &self,
        mut draft: Draft,
        Closed { code, text, copy }: Closed,
    ) -> Result<HttpResponse, Problem> {
        // The next form that is sent is a new request.
        draft.set("key", new_key());
        let wrong = vec![FieldFault { field: None, text: text.to_owned() }];
        let messages = StepMessages { wrong, copy, ..StepMessages::sent() };
        let step = Step::read(draft.one("step")).unwrap_or(Step::Check);
        self.show(PageStatus::of(&Problem::new(code)), &draft, step, messages).await
    }

    /// The check of the draft; `None`: the check could not be made.
    async fn check(
        &self,
        game: &Game,
        draft: &Draft,
        messages: &mut StepMessages,
    ) -> Result<Option<DesignCheckResponse>, Problem> {
        let stored = self.stored().map(|(code, _)| StoredAs::design(code));
        let mut request = draft.request(game);
        if matches!(self.target, Target::Change(..)) {
            // It belongs to the author, who alone chooses it.
            request.artwork = None;
        }
        match design_checks::check(self.app, self.network, Some(self.by), request, stored).await {
            Ok(check) => Ok(Some(check)),
            Err(problem) if problem.code() == ProblemCode::InvalidBody => {
                if messages.wrong.is_empty() {
                    let sent = draft.written_effects();
                    messages.wrong = wrong(&problem, Some(game), draft, &sent);
                }
                Ok(None)
            }
            Err(problem) if is_overload(&problem) => {
                tracing::warn!(%problem, "the designer could not check a design");
                messages.is_unchecked = true;
                Ok(None)
            }
            Err(problem) => Err(problem),
        }
    }

    /// Whether sentences can be built from templates, or an overloaded service does not find out.
    async fn may_have_templates(&self, game: &Game) -> Result<bool, Problem> {
        match design_sentences::has_templates(self.app, game.code()).await {
            Err(problem) if is_overload(&problem) => Ok(true),
            found => found,
        }
    }

    pub(super) async fn show(
        &self,
        status: PageStatus,
        draft: &Draft,
        step: Step,
        mut messages: StepMessages,
    ) -> Result<HttpResponse, Problem> {
        let game = self.game(draft).await?;
        let kind = game.as_ref().and_then(|game| game.kind(draft.one("kind")));
        let (Some(game), Some(kind)) = (&game, kind) else {
            let mut page = self.page(draft, Step::Start, messages);
            page.starts = self.starts(draft).await?;
            page.settle();
            return private(status, &page);
        };
        let check = self.check(game, draft, &mut messages).await?;
        let mut page = self.page(draft, step, messages);
        if step == Step::Start {
            page.starts = self.starts(draft).await?;
        }
        page.fill_step(game, kind, step, check.as_ref());
        if step == Step::Effects && self.may_have_templates(game).await? {
            page.offer_templates();
        }
        if let Some(check) = &check {
            page.add_violations(game, check);
            let shown = page.shown_names();
            let field_of = |violation: &DesignViolationResponse| {
                let field = field_of_violation(game, violation, draft)?;
                shown.contains(&field).then(|| field_id(&field))
            };
            page.verdict = Some(VerdictView::new(game, check, &field_of));
            page.picture = draft.picture_query().map(|query| format!("/designer/picture?{query}"));
        }
        page.status_text = match &page.verdict {
            Some(verdict) => design_words::findings(verdict.lines.len()),
            None if page.is_unchecked => design_words::UNCHECKED.to_owned(),
            None => design_words::findings(page.wrong.len()),
        };
        page.settle();
        private(status, &page)
    }

    /// The kinds to choose from: of all games, or of the game of a stored design.
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

    fn page<'p>(
        &'p self,
        draft: &'p Draft,
        step: Step,
        messages: StepMessages,
    ) -> DesignerPage<'p> {
        let name =
            self.stored().map_or(draft.one("name"), |(_, stored)| &stored.design.content.name);
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
        let mut frame = Frame::new(&heading).at(Place::Designs);
        frame.script = Some(&frame.assets.form_script);
        DesignerPage {
            frame,
            heading,
            path: &self.path,
            guard: if messages.is_unsaved { "unsaved" } else { "saved" },
            status_text: String::new(),
            design: self.stored().map(|(code, _)| design_path(code)),
            name,
            is_change: matches!(self.target, Target::Change(..)),
            step: step.as_str(),
            steps: Step::ALL.into_iter().map(choice).collect(),
            next: step.neighbour(true).map(Step::as_str),
            previous: step.neighbour(false).map(Step::as_str),
            wrong: messages.wrong,
            done: messages.done,
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
            is_unchecked: messages.is_unchecked,
            picture: None,
            saved: messages.saved,
            copy: messages.copy,
        }
    }
}

/// Whether the service has too much to do: the page is shown without what it could not find out.
fn is_overload(problem: &Problem) -> bool {
    matches!(problem.code().status(), 429 | 503)
}

/// The faults of the input, by field; `sent`: the numbers of the effects that the request contains.
fn wrong(problem: &Problem, game: Option<&Game>, draft: &Draft, sent: &[usize]) -> Vec<FieldFault> {
    let wrong = |fault: &crate::app::problem::InputFault| {
        let pointer = fault.pointer.strip_prefix("/design").unwrap_or(&fault.pointer);
        let pointer = in_form(pointer, sent);
        let text = fault_words::reason(&fault.reason).into_owned();
        FieldFault {
            field: field_of_fault(game, &pointer, draft),
            text: match design_words::member(game, &pointer) {
                member if member.is_empty() => text,
                member => design_words::labelled(&member, &text),
            },
        }
    };
    problem.faults().iter().map(wrong).collect()
}
