//! Ratings of designs, by four criteria.

use actix_web::{HttpResponse, web};
use serde::Deserialize;

use super::design::{self, TypedFeedback};
use super::faults::faults_of;
use super::words as design_words;
use super::{design_path, identifier};
use crate::app::designs::design_ratings::{self, DesignRatingsResponse, MeanScores, RatingRequest};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::GiveFeedback;
use crate::domain::designs::rating::{MAX_POINTS, MIN_POINTS};
use crate::http::extract::Form;
use crate::web::feedback::words as feedback_words;
use crate::web::forms::Faults;
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};

/// The criteria, by the names of the fields.
pub(super) const CRITERIA: [&str; 4] = ["fun", "balance", "flavour", "clarity"];

/// The ratings of a design.
pub(super) struct RatingsView {
    pub(super) summary: String,
    /// Criteria with their mean points.
    pub(super) means: Vec<MeanRow>,
}

/// The mean points of a criterion.
pub(super) struct MeanRow {
    pub(super) name: &'static str,
    pub(super) mean: f64,
    pub(super) text: String,
}

impl RatingsView {
    pub(super) fn new(ratings: &DesignRatingsResponse) -> Self {
        let means = |means: &MeanScores| [means.fun, means.balance, means.flavour, means.clarity];
        let row = |(name, mean): (&str, f64)| MeanRow {
            name: design_words::criterion(name),
            mean,
            text: design_words::mean(mean),
        };
        Self {
            summary: design_words::ratings(ratings.rating, ratings.rating_count),
            means: ratings.means.as_ref().map_or_else(Vec::new, |found| {
                CRITERIA.into_iter().zip(means(found)).map(row).collect()
            }),
        }
    }
}

/// A criterion in the form.
pub(super) struct CriterionField {
    pub(super) code: &'static str,
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) points: Vec<PointField>,
}

/// A number of points.
pub(super) struct PointField {
    pub(super) points: i32,
    pub(super) is_chosen: bool,
}

/// The fields of the form, with the points that the reader gave for each criterion.
pub(super) fn criterion_fields(points_of: impl Fn(&str) -> Option<i32>) -> Vec<CriterionField> {
    let field = |code| CriterionField {
        code,
        name: design_words::criterion(code),
        about: design_words::criterion_about(code),
        points: (MIN_POINTS..=MAX_POINTS)
            .map(|points| PointField { points, is_chosen: points_of(code) == Some(points) })
            .collect(),
    };
    CRITERIA.into_iter().map(field).collect()
}

/// The fields of the form: a criterion without points is absent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct TypedRating {
    fun: Option<i32>,
    balance: Option<i32>,
    flavour: Option<i32>,
    clarity: Option<i32>,
    /// Whether the visitor's own rating is deleted.
    take_back: bool,
}

impl TypedRating {
    pub(super) fn points_of(&self, code: &str) -> Option<i32> {
        match code {
            "fun" => self.fun,
            "balance" => self.balance,
            "flavour" => self.flavour,
            _ => self.clarity,
        }
    }

    fn request(&self) -> Result<RatingRequest, Faults> {
        match (self.fun, self.balance, self.flavour, self.clarity) {
            (Some(fun), Some(balance), Some(flavour), Some(clarity)) => {
                Ok(RatingRequest { fun, balance, flavour, clarity })
            }
            _ => {
                let mut faults = Faults::none();
                for code in CRITERIA.into_iter().filter(|code| self.points_of(code).is_none()) {
                    faults.add(code, design_words::points_missing(code));
                }
                Err(faults)
            }
        }
    }
}

/// Rates a design, or deletes the visitor's own rating.
pub(in crate::web) async fn rate(
    state: web::Data<AppState>,
    by: Player<GiveFeedback>,
    design: web::Path<String>,
    Form(typed): Form<TypedRating>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let done = async {
        if typed.take_back {
            return design_ratings::delete(&state, &by, code).await.map(Ok);
        }
        let request = match typed.request() {
            Ok(request) => request,
            Err(faults) => return Ok(Err(faults)),
        };
        design_ratings::rate(&state, &by, code, request.parse()?).await.map(drop).map(Ok)
    };
    let again = async |typed, status, faults| {
        let typed = TypedFeedback { rating: Some(typed), ..TypedFeedback::default() };
        design::show(&state, &by.visitor, code, (status, faults, typed)).await
    };
    match done.await {
        Ok(Err(faults)) => again(typed, PageStatus::INVALID_FORM, faults).await,
        Ok(Ok(())) => Ok(see_other(&format!("{}#ratings", design_path(code)))),
        // It is not public any more, but perhaps the visitor can still read it.
        Err(problem) if problem.code() == ProblemCode::NotFound && !typed.take_back => {
            let faults = Faults::one("", feedback_words::FEEDBACK_CLOSED);
            again(typed, PageStatus::of(&problem), faults).await
        }
        Err(problem) => {
            let fields = [
                ("/fun", "fun"),
                ("/balance", "balance"),
                ("/flavour", "flavour"),
                ("/clarity", "clarity"),
            ];
            let Some(faults) = faults_of(&problem, &fields) else { return Err(problem) };
            again(typed, PageStatus::of(&problem), faults).await
        }
    }
}
