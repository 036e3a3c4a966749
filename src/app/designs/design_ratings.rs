//! Ratings of public designs: the caller's rating, and the mean of all.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::fault_reason::FaultReason;
use crate::app::feedback::problems::too_many_today;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{GiveFeedback, Granted, Permission};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::rating::{MAX_POINTS, MIN_POINTS, Scores};
use crate::store::StoreError;
use crate::store::designs::SeesOwnDesigns;
use crate::store::designs::design_ratings::{self, OwnRating, RatingOutcome, RatingSums};

/// A rating: points for each criterion, 1 to 5 (the best).
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "fun": 5, "balance": 3, "flavour": 4, "clarity": 4 }))]
pub struct RatingRequest {
    /// Whether you would like to play it.
    #[schema(example = 5, minimum = 1, maximum = 5)]
    pub fun: i32,
    /// Whether it is as strong as others of its kind.
    #[schema(example = 3, minimum = 1, maximum = 5)]
    pub balance: i32,
    /// Whether name, text and mechanics fit each other.
    #[schema(example = 4, minimum = 1, maximum = 5)]
    pub flavour: i32,
    /// Whether it is clear what it does.
    #[schema(example = 4, minimum = 1, maximum = 5)]
    pub clarity: i32,
}

impl RatingRequest {
    /// The points, or every fault.
    pub fn parse(&self) -> Result<Scores, Problem> {
        let Self { fun, balance, flavour, clarity } = *self;
        let scores = Scores { fun, balance, flavour, clarity };
        let fault =
            |name| InputFault::at(format!("/{name}"), FaultReason::range(MIN_POINTS, MAX_POINTS));
        let faults: Vec<InputFault> = scores.faults().map(fault).collect();
        if faults.is_empty() { Ok(scores) } else { Err(Problem::invalid(faults)) }
    }
}

/// Your rating of a design.
#[derive(Serialize, ToSchema)]
pub struct OwnRatingResponse {
    /// Number of the revision that you rated: the public one at that time.
    #[schema(example = 3, minimum = 1)]
    pub revision: i64,
    /// Points for fun, 1 to 5.
    #[schema(example = 5, minimum = 1, maximum = 5)]
    pub fun: i32,
    /// Points for balance.
    #[schema(example = 3, minimum = 1, maximum = 5)]
    pub balance: i32,
    /// Points for flavour.
    #[schema(example = 4, minimum = 1, maximum = 5)]
    pub flavour: i32,
    /// Points for clarity.
    #[schema(example = 4, minimum = 1, maximum = 5)]
    pub clarity: i32,
    /// When you rated.
    pub rated_at: DateTime<Utc>,
    /// Time from which the rating counts: when your account is three days old. It may be counted up to five minutes later.
    pub counts_from: DateTime<Utc>,
}

impl From<OwnRating> for OwnRatingResponse {
    fn from(rating: OwnRating) -> Self {
        let Scores { fun, balance, flavour, clarity } = rating.scores();
        let OwnRating { revision, rated_at, counts_from, .. } = rating;
        Self { revision, fun, balance, flavour, clarity, rated_at, counts_from }
    }
}

/// Rates the current public revision of a design; replaces an earlier rating by the caller.
pub async fn rate(
    app: &AppState,
    by: &Granted<GiveFeedback>,
    code: DesignCode,
    scores: Scores,
) -> Result<OwnRatingResponse, Problem> {
    let at = app.clock.now();
    let written = app.write_feedback(by, async |conn, by| {
        let outcome = design_ratings::rate(conn, by, code, scores, at).await?;
        let own = match outcome {
            RatingOutcome::Done => design_ratings::find_own(conn, by, code).await?,
            _ => None,
        };
        Ok::<_, StoreError>((outcome, own))
    });
    let (outcome, own) = written.await?;
    check(app, &outcome)?;
    tracing::info!(account = %by.account(), design = %code, "design rated");
    Ok(own.ok_or_else(Problem::not_found)?.into())
}

/// Deletes the caller's rating.
pub async fn delete(
    app: &AppState,
    by: &Granted<GiveFeedback>,
    code: DesignCode,
) -> Result<(), Problem> {
    let outcome = app
        .write_feedback(by, async |conn, by| design_ratings::delete(conn, by, code).await)
        .await?;
    check(app, &outcome)?;
    tracing::info!(account = %by.account(), design = %code, "rating of a design deleted");
    Ok(())
}

fn check(app: &AppState, outcome: &RatingOutcome) -> Result<(), Problem> {
    Err(match outcome {
        RatingOutcome::Done => return Ok(()),
        RatingOutcome::Missing => Problem::not_found(),
        RatingOutcome::Own => Problem::new(ProblemCode::OwnDesign),
        RatingOutcome::TooManyToday(limit) => too_many_today(app, *limit),
    })
}

/// Finds the caller's rating.
pub async fn find_own<P: Permission + SeesOwnDesigns>(
    app: &AppState,
    by: &Granted<P>,
    code: DesignCode,
) -> Result<OwnRatingResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let found = design_ratings::find_own(&mut conn, by, code).await?;
    Ok(found.ok_or_else(Problem::not_found)?.into())
}

/// Means of ratings.
#[derive(Serialize, ToSchema)]
pub struct MeanScores {
    /// Number of ratings.
    #[schema(example = 12, minimum = 1)]
    pub rating_count: i64,
    /// Mean of the points for fun.
    #[schema(example = 4.25, minimum = 1, maximum = 5)]
    pub fun: f64,
    /// Mean of the points for balance.
    #[schema(example = 3.5, minimum = 1, maximum = 5)]
    pub balance: f64,
    /// Mean of the points for flavour.
    #[schema(example = 4.08, minimum = 1, maximum = 5)]
    pub flavour: f64,
    /// Mean of the points for clarity.
    #[schema(example = 3.92, minimum = 1, maximum = 5)]
    pub clarity: f64,
}

impl MeanScores {
    /// The means of some sums; `None`: there are no ratings.
    fn of(sums: impl IntoIterator<Item = RatingSums>) -> Option<Self> {
        let (mut ratings, mut points) = (0, [0; 4]);
        for sum in sums {
            ratings += sum.ratings;
            for (all, more) in
                points.iter_mut().zip([sum.fun, sum.balance, sum.flavour, sum.clarity])
            {
                *all += more;
            }
        }
        let [fun, balance, flavour, clarity] = points.map(|points| mean(points, ratings));
        (ratings > 0).then_some(Self { rating_count: ratings, fun, balance, flavour, clarity })
    }
}

/// A mean, rounded to hundredths.
fn mean(points: i64, ratings: i64) -> f64 {
    decimal((200 * points + ratings) / (2 * ratings.max(1)))
}

/// Converts hundredths to a number with two decimals.
pub(super) fn decimal(hundredths: i64) -> f64 {
    // The value is at most 500.
    f64::from(i32::try_from(hundredths).unwrap_or(i32::MAX)) / 100.0
}

/// Means of the ratings of one revision.
#[derive(Serialize, ToSchema)]
pub struct RevisionRatings {
    /// Number of the revision.
    #[schema(example = 3, minimum = 1)]
    pub revision: i64,
    /// Means of its ratings.
    #[serde(flatten)]
    pub means: MeanScores,
}

/// The ratings of a design.
#[derive(Serialize, ToSchema)]
pub struct DesignRatingsResponse {
    /// Number of ratings that count: one for each account, that of the latest revision that the account has rated.
    #[schema(example = 12, minimum = 0)]
    pub rating_count: i64,
    /// Rating by which designs are sorted, 1.00 to 5.00: the mean of all points, as if five more players had given three points for everything.
    #[schema(example = 3.77, minimum = 1, maximum = 5)]
    pub rating: f64,
    /// Means of all ratings that count; absent: there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub means: Option<MeanScores>,
    /// The same for each revision with such ratings, the newest first.
    pub revisions: Vec<RevisionRatings>,
}

/// Finds the ratings of a public design.
pub async fn find_all(app: &AppState, code: DesignCode) -> Result<DesignRatingsResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let rating = design_ratings::mean(&mut conn, code).await?.ok_or_else(Problem::not_found)?;
    let sums = design_ratings::sums(&mut conn, code).await?;
    drop(conn);
    let means = MeanScores::of(sums.iter().copied());
    let of_revision = |sum: RatingSums| {
        Some(RevisionRatings { revision: sum.revision, means: MeanScores::of([sum])? })
    };
    Ok(DesignRatingsResponse {
        rating_count: means.as_ref().map_or(0, |means| means.rating_count),
        rating: decimal(rating.into()),
        means,
        revisions: sums.into_iter().filter_map(of_revision).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_rounded_to_hundredths() {
        let sums = |ratings, points| RatingSums {
            revision: 1,
            ratings,
            fun: points,
            balance: ratings,
            flavour: 5 * ratings,
            clarity: 3 * ratings,
        };
        let scores = MeanScores::of([sums(1, 5), sums(2, 3)]).unwrap();
        assert_eq!(scores.rating_count, 3);
        let means = [scores.fun, scores.balance, scores.flavour, scores.clarity];
        assert_eq!(means.map(|mean| format!("{mean:.3}")), ["2.670", "1.000", "5.000", "3.000"]);
        assert!(MeanScores::of([]).is_none());
    }
}
