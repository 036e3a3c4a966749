//! The artwork of an own design: uploaded, chosen among earlier ones, described, or removed.

use actix_web::body::SizedStream;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;

use super::faults::faults_of;
use super::steps::find_own;
use super::words as design_words;
use super::{design_path, identifier};
use crate::app::designs::artwork_files;
use crate::app::designs::artworks::{self, ArtworkKey, ArtworkResponse};
use crate::app::designs::design_bodies::{DesignArtworkBody, DesignContentResponse, DesignRequest};
use crate::app::designs::design_lifecycle::{self, VersionedDesign};
use crate::app::designs::design_revisions;
use crate::app::page::PageLimit;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::Revision;
use crate::auth::permission::{Granted, ReadOwnDesigns, WriteOwnDesigns};
use crate::domain::designs::artwork::{ArtworkId, MAX_ARTWORK_FILE, RenditionSize};
use crate::domain::designs::identifier::DesignCode;
use crate::http::extract::{ClientNetwork, UnreceivedForm, Upload};
use crate::web::fault_words;
use crate::web::forms::{Faults, private};
use crate::web::headers::stay_apart;
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::words;

/// Number of earlier artworks that can be chosen.
const EARLIER: u16 = 24;
/// Largest form: a picture of 10 MiB, as in the API, and a few short fields.
const MAX_FORM: usize = MAX_ARTWORK_FILE + 16 * 1024;
/// The policy of an uploaded file that is opened on its own page: it may load and run nothing.
const POLICY: HeaderValue = HeaderValue::from_static("default-src 'none'; sandbox");

/// An artwork to choose.
struct ArtworkChoice {
    id: String,
    picture: String,
    name: String,
    width: i32,
    height: i32,
    is_chosen: bool,
}

#[derive(Template)]
#[template(path = "web/designs/artwork.html")]
struct ArtworkPage {
    frame: Frame,
    faults: Faults,
    heading: String,
    name: String,
    design: String,
    version: i64,
    alt: String,
    has_none: bool,
    choices: Vec<ArtworkChoice>,
    file_help: String,
    /// The stored artwork, if it differs from the version that the form was loaded with.
    saved: Option<SavedArtwork>,
}

/// The form as it was sent.
struct TypedArtwork {
    /// The id of the chosen artwork; empty: none.
    chosen: String,
    alt: String,
    /// The version of the design that the form was loaded with.
    version: i64,
}

impl TypedArtwork {
    fn read(fields: &[(String, String)], found: &VersionedDesign) -> Self {
        // Browsers send no choice if none is made, for example after the picture was taken down: then the design keeps its artwork.
        let stored = found.design.content.artwork.as_ref().map(|artwork| &artwork.id);
        // A missing number means version 0, which never exists.
        let version = field(fields, "version").and_then(|version| version.parse().ok());
        Self {
            chosen: field(fields, "artwork").or(stored).cloned().unwrap_or_default(),
            alt: field(fields, "alt").cloned().unwrap_or_default(),
            version: version.unwrap_or_default(),
        }
    }
}

/// The stored artwork of a design.
struct SavedArtwork {
    /// `None`: the design has no artwork.
    picture: Option<String>,
    width: i32,
    height: i32,
    alt: String,
}

/// Shows the form.
pub(in crate::web) async fn show(
    state: web::Data<AppState>,
    by: Player<WriteOwnDesigns>,
    design: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (code, reads) = (identifier(&design)?, by.visitor.must::<ReadOwnDesigns>()?);
    show_form(&state, &reads, code, None, (PageStatus::OK, Faults::none())).await
}

async fn show_form(
    app: &AppState,
    by: &Granted<ReadOwnDesigns>,
    code: DesignCode,
    typed: Option<TypedArtwork>,
    (status, faults): (PageStatus, Faults),
) -> Result<HttpResponse, Problem> {
    let found = find_own(app, by, code).await?;
    let (stored, stored_alt) = match found.design.content.artwork {
        Some(artwork) => (artwork.id, artwork.alt.unwrap_or_default()),
        None => (String::new(), String::new()),
    };
    let is_stale = status.is(ProblemCode::PreconditionFailed);
    let typed = typed.unwrap_or_else(|| TypedArtwork {
        chosen: stored.clone(),
        alt: stored_alt.clone(),
        version: found.version.0,
    });
    let TypedArtwork { chosen, alt, version } = typed;
    let limit = PageLimit::try_from(EARLIER).map_err(Problem::internal)?;
    let mut own = artworks::list_own(app, by, None::<ArtworkKey>, limit).await?;
    // A chosen or stored picture that is older than the listed ones must be a choice, too. Without it, the next save would remove the picture from the design.
    for one in [&chosen, &stored] {
        if !own.data.iter().any(|artwork| artwork.id == *one)
            && let Ok(id) = ArtworkId::parse(one)
        {
            own.data.extend(artworks::find_own(app, by, id).await?);
        }
    }
    let saved = is_stale.then(|| {
        let artwork = own.data.iter().find(|artwork| artwork.id == stored);
        SavedArtwork {
            picture: artwork.map(|artwork| artwork_path(&artwork.id)),
            width: artwork.map_or(0, |artwork| artwork.small.width),
            height: artwork.map_or(0, |artwork| artwork.small.height),
            alt: stored_alt,
        }
    });
    let choice = |(at, artwork): (usize, ArtworkResponse)| ArtworkChoice {
        picture: artwork_path(&artwork.id),
        name: design_words::artwork_number(at + 1),
        width: artwork.small.width,
        height: artwork.small.height,
        is_chosen: artwork.id == chosen,
        id: artwork.id,
    };
    let choices: Vec<ArtworkChoice> = own.data.into_iter().enumerate().map(choice).collect();
    let name = design_words::name_of(&found.design.content.name);
    let heading = design_words::artwork_of(&name);
    let page = ArtworkPage {
        frame: Frame::new(&heading).at(Place::Designs),
        faults,
        heading,
        design: design_path(code),
        // Only a page that shows both versions replaces the version of the form by that of the stored design.
        version: if is_stale { found.version.0 } else { version },
        alt,
        has_none: chosen.is_empty(),
        choices,
        file_help: design_words::picture_help(own.bytes_used, own.bytes_quota),
        saved,
        name,
    };
    private(status, &page)
}

/// The path of the small file of an artwork.
pub(in crate::web) fn artwork_path(id: &str) -> String {
    format!("/my/artworks/{id}")
}

/// Stores the uploaded picture, if there is one, and sets it or the chosen picture as the artwork of the design.
pub(in crate::web) async fn send(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<WriteOwnDesigns>,
    req: HttpRequest,
    design: web::Path<String>,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let (code, reads) = (identifier(&design)?, by.visitor.must::<ReadOwnDesigns>()?);
    let found = find_own(&state, &reads, code).await?;
    let expect = || artworks::expect(&state, &by, network.0);
    let (expected, upload) = match Upload::receive_at(&req, payload, MAX_FORM, expect).await {
        Ok(received) => received,
        Err(refused) => {
            let Some(faults) = unreceived(&refused) else { return Err(refused.problem) };
            let (fields, status) = (refused.sent.into_fields(), PageStatus::of(&refused.problem));
            let typed = (!fields.is_empty()).then(|| TypedArtwork::read(&fields, &found));
            return show_form(&state, &reads, code, typed, (status, faults)).await;
        }
    };
    let file = upload.file("file").map(|file| file.content.clone());
    let fields = upload.into_fields();
    let mut typed = TypedArtwork::read(&fields, &found);
    let meant = Revision(typed.version);
    // A form with an earlier version is refused for that first.
    let is_current = meant == found.version;
    let needs_picture = typed.chosen.is_empty() && is_new(&typed.alt, &found.design.content);
    if file.is_none() && is_current && needs_picture {
        let faults = Faults::one("file", design_words::PICTURE_MISSING);
        let shown = (PageStatus::INVALID_FORM, faults);
        return show_form(&state, &reads, code, Some(typed), shown).await;
    }
    let meant = meant.if_match();
    let mut is_lost = file.is_some();
    let done = async {
        if let Some(file) = file {
            typed.chosen = expected.store(&state, &by, file).await?.artwork.id;
            // The picture is stored, so it can be chosen.
            is_lost = false;
        }
        let design = found.design;
        let artwork = body_of(&typed.chosen, &typed.alt);
        let request = with_artwork(design.game, design.content, artwork);
        design_lifecycle::revise(&state, &by, network.0, code, &meant, request).await
    };
    match done.await {
        Ok(_) => Ok(see_other(&design_path(code))),
        Err(problem) => {
            let is_stale = problem.code() == ProblemCode::PreconditionFailed;
            if is_stale && is_set(&state, &by, code, (&typed.chosen, &typed.alt)).await? {
                return Ok(see_other(&design_path(code)));
            }
            let faults = match problem.code() {
                ProblemCode::UnreadableArtwork => {
                    problem.cause().map(|cause| Faults::one("file", fault_words::cause(cause)))
                }
                ProblemCode::Gone => Some(Faults::one("file", design_words::PICTURE_GONE)),
                ProblemCode::PreconditionFailed => {
                    Some(Faults::one("", design_words::ARTWORK_CHANGED))
                }
                _ => faults_of(&problem, &[("/artwork/alt", "alt"), ("/artwork/id", "file")]),
            };
            let Some(mut faults) = faults else { return Err(problem) };
            if is_lost && faults.of("file").is_none() {
                faults.add("file", words::FILE_NOT_KEPT);
            }
            let shown = (PageStatus::of(&problem), faults);
            show_form(&state, &reads, code, Some(typed), shown).await
        }
    }
}

fn field<'a>(fields: &'a [(String, String)], name: &str) -> Option<&'a String> {
    fields.iter().find(|(field, _)| field == name).map(|(_, text)| text)
}

/// Whether the design has the chosen artwork with its description already: a double click, or a form that is sent again because its answer was lost.
async fn is_set(
    app: &AppState,
    by: &Player<WriteOwnDesigns>,
    code: DesignCode,
    (chosen, alt): (&str, &str),
) -> Result<bool, Problem> {
    let reads = by.visitor.must::<ReadOwnDesigns>()?;
    let design = find_own(app, &reads, code).await?.design;
    // Without a picture, only the description of the removed picture may be in the form: another one would be lost.
    if chosen.is_empty() && is_new(alt, &design.content) {
        let number = design.revision.saturating_sub(1);
        let before = design_revisions::find(app, &reads, code, number).await;
        let is_of_removed = before.is_ok_and(|before| !is_new(alt, &before.content));
        if !is_of_removed {
            return Ok(false);
        }
    }
    let request = with_artwork(design.game, design.content, body_of(chosen, alt));
    Ok(design_lifecycle::is_revised(app, by, code, request).await.unwrap_or_default())
}

/// The chosen artwork in a request; `None`: none is chosen.
fn body_of(chosen: &str, alt: &str) -> Option<DesignArtworkBody> {
    let given = Some(alt.to_owned()).filter(|alt| !alt.trim().is_empty());
    (!chosen.is_empty()).then(|| DesignArtworkBody { id: chosen.to_owned(), alt: given })
}

/// Whether a description was typed that differs from the stored one. Without a picture there would be no place for it; a stored one is dropped with
/// its picture.
fn is_new(alt: &str, content: &DesignContentResponse) -> bool {
    let stored = content.artwork.as_ref().and_then(|artwork| artwork.alt.as_deref());
    !alt.trim().is_empty() && Some(alt.trim()) != stored.map(str::trim)
}

/// The faults of a form that was not received, beside the field of the file. `None`: the problem is shown on a page of its own.
fn unreceived(refused: &UnreceivedForm) -> Option<Faults> {
    let problem = &refused.problem;
    let text = match problem.code() {
        ProblemCode::BodyTooLarge => design_words::PICTURE_TOO_LARGE,
        ProblemCode::TooManyImports => design_words::TOO_MANY_PICTURES,
        ProblemCode::Unavailable => design_words::PICTURES_BUSY,
        _ => return None,
    };
    let mut faults = Faults::one("file", text);
    faults.add_lost(refused.lost);
    if let Some(seconds) = problem.seconds_to_wait() {
        faults.add("", words::try_again_in(seconds));
    }
    Some(faults)
}

/// A request that changes only the artwork of a design.
fn with_artwork(
    game: String,
    content: DesignContentResponse,
    artwork: Option<DesignArtworkBody>,
) -> DesignRequest {
    let DesignContentResponse {
        name,
        kind,
        attributes,
        effects,
        printings,
        flavour,
        lore,
        credits,
        licence,
        ..
    } = content;
    let licence = Some(licence.to_owned());
    DesignRequest {
        game,
        name,
        kind,
        attributes,
        effects,
        printings,
        flavour,
        lore,
        credits,
        licence,
        artwork,
    }
}

/// Downloads the small file of an artwork that the reader may see: moderators, also that of a reported design.
pub(in crate::web) async fn download(
    state: web::Data<AppState>,
    by: Player<ReadOwnDesigns>,
    artwork: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let id = ArtworkId::parse(&artwork).map_err(|_| Problem::not_found())?;
    let (viewer, size) = (by.visitor.viewer(), RenditionSize::Small);
    let reviewer = by.visitor.must().ok();
    let reviewer = reviewer.as_ref();
    let shown = artwork_files::find(&state, viewer, Some(&*by), reviewer, id, size).await?;
    let length = shown.size()?;
    let mut answer = HttpResponse::Ok();
    answer.content_type(shown.media_type());
    let mut answer =
        answer.body(SizedStream::new(length, Box::pin(shown.stream(state.as_ref().clone()))));
    let headers = answer.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    // The file format is compressed already.
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("identity"));
    stay_apart(headers);
    Ok(answer)
}
