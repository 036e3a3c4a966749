//! Reads forms with a file that pages send.

use std::future::ready;

use actix_multipart::Multipart;
use actix_web::HttpRequest;
use actix_web::error::PayloadError;
use actix_web::web::{self, Bytes};
use futures_util::StreamExt as _;

use super::body::{check_headers, too_large};
use crate::app::fault_reason::FaultReason;
use crate::app::problem::{InputFault, Problem, ProblemCode};

/// Most parts of a form.
const MAX_PARTS: usize = 200;
/// Most bytes of the fields that are kept of a form that is not received: no memory was reserved for it.
const MAX_REFUSED_FIELDS: usize = 256 * 1024;
/// Most bytes that are read of such a form: including the heads of its parts, and the start of the part that is not kept.
const MAX_READ: usize = MAX_REFUSED_FIELDS + 64 * 1024;
const FORM: &str = "multipart/form-data";

/// A form as `multipart/form-data` (RFC 7578): its fields in their order, and its files.
#[derive(Debug, Default)]
pub struct Upload {
    fields: Vec<(String, String)>,
    files: Vec<UploadedFile>,
}

/// A file of a form.
#[derive(Debug)]
pub struct UploadedFile {
    field: String,
    /// The name that the browser sends: a name on the sender's machine, for people only. Empty: none was sent.
    pub name: String,
    /// The media type that the browser sends, such as `text/csv`, without parameters. Browsers guess it from the name.
    pub media_type: String,
    /// The content, which is not checked here.
    pub content: Bytes,
}

/// A form that was not received.
#[derive(Debug)]
pub struct UnreceivedForm {
    /// The reason.
    pub problem: Problem,
    /// The fields before the first file, which are shown again.
    pub sent: Upload,
    /// The part that is lost.
    pub lost: LostPart,
}

/// The lost part of a form that was not received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LostPart {
    Nothing,
    /// A file, and possibly the fields after it.
    File,
    /// A field that is too long, and the fields after it.
    Text,
}

impl Upload {
    /// Receives the form if `expect` reserves memory for it. `expect` is called before the body is read; if it fails, the fields before the first file are
    /// kept.
    pub async fn receive_at<P>(
        req: &HttpRequest,
        payload: web::Payload,
        max: usize,
        expect: impl FnOnce() -> Result<P, Problem>,
    ) -> Result<(P, Self), Box<UnreceivedForm>> {
        let (problem, (sent, lost)) = match check_headers(req, &[FORM], max).and_then(|()| expect())
        {
            Ok(place) => match Self::receive(req, payload, max).await {
                Ok(upload) => return Ok((place, upload)),
                Err(problem) => (problem, (Self::default(), LostPart::File)),
            },
            Err(problem) => (problem, Self::before_file(req, payload).await),
        };
        Err(Box::new(UnreceivedForm { problem, sent, lost }))
    }

    /// The fields before the first file, up to the limit, and the lost part.
    async fn before_file(req: &HttpRequest, payload: web::Payload) -> (Self, LostPart) {
        let mut read = 0;
        // The stream ends at the limit; the parts before it can still be read.
        let beginning = payload.take_while(move |chunk| {
            let goes_on = read < MAX_READ;
            read += chunk.as_ref().map_or(0, Bytes::len);
            ready(goes_on)
        });
        let mut parts = Multipart::new(req.headers(), beginning);
        let (mut kept, mut room, mut left) = (Self::default(), MAX_REFUSED_FIELDS, MAX_PARTS);
        while let Some(part) = parts.next().await {
            let Ok(mut part) = part else { return (kept, LostPart::File) };
            let said = part.content_disposition();
            let field = said.and_then(|said| said.get_name()).unwrap_or_default().to_owned();
            let file = said.and_then(|said| said.get_filename()).map(str::to_owned);
            let is_chosen = file.as_ref().is_some_and(|name| !name.is_empty());
            if is_chosen || left == 0 {
                return (kept, LostPart::File);
            }
            left -= 1;
            let Ok(Ok(content)) = part.bytes(room).await else { return (kept, LostPart::Text) };
            room -= content.len().min(room);
            match (file, text(&content)) {
                // No file was chosen.
                (Some(_), _) => {}
                (None, Ok(value)) => kept.fields.push((field, value)),
                (None, Err(_)) => return (kept, LostPart::Text),
            }
        }
        (kept, LostPart::Nothing)
    }

    /// Receives the form. Refused: other media types and compressed bodies (415), more than `max` bytes in total (413), a body that is not such a form, is cut
    /// off or has more than 200 parts (400), fields that are not UTF-8 or have NUL characters (422). A route calls this after it has reserved the memory.
    pub async fn receive(
        req: &HttpRequest,
        payload: web::Payload,
        max: usize,
    ) -> Result<Self, Problem> {
        check_headers(req, &[FORM], max)?;
        // Only the contents of the parts are kept in memory.
        let mut received = 0;
        let bounded = payload.map(move |chunk| {
            let chunk = chunk?;
            received += chunk.len();
            if received > max { Err(PayloadError::Overflow) } else { Ok(chunk) }
        });
        let broken = |error: actix_multipart::MultipartError| match error {
            actix_multipart::MultipartError::Payload(PayloadError::Overflow) => too_large(max),
            error => unreadable(&error.to_string()),
        };
        let mut parts = Multipart::new(req.headers(), bounded);
        let (mut fields, mut files, mut left) = (Vec::new(), Vec::new(), MAX_PARTS);
        while let Some(part) = parts.next().await {
            let mut part = part.map_err(broken)?;
            if left == 0 {
                return Err(unreadable("It has more than 200 parts."));
            }
            left -= 1;
            let said = part.content_disposition();
            let field = said.and_then(|said| said.get_name()).unwrap_or_default().to_owned();
            let name = said.and_then(|said| said.get_filename()).map(str::to_owned);
            let media_type = part.content_type().map(|kind| kind.essence_str().to_owned());
            let content = part.bytes(max).await.map_err(|_| too_large(max))?.map_err(broken)?;
            match name {
                // A browser sends an empty file without a name if none was chosen.
                Some(name) if name.is_empty() && content.is_empty() => {}
                Some(name) => files.push(UploadedFile {
                    field,
                    name,
                    media_type: media_type.unwrap_or_default(),
                    content,
                }),
                None => fields.push((field, text(&content)?)),
            }
        }
        Ok(Self { fields, files })
    }

    /// The first value of a field; empty if there is none.
    pub fn field(&self, name: &str) -> &str {
        self.fields.iter().find(|(field, _)| field == name).map_or("", |(_, value)| value.as_str())
    }

    /// The file that was chosen in a field.
    pub fn file(&self, field: &str) -> Option<&UploadedFile> {
        self.files.iter().find(|file| file.field == field)
    }

    /// Removes the first value of a field from the form and returns it; empty if there is none. For values that may be long.
    pub fn take_field(&mut self, name: &str) -> String {
        let at = self.fields.iter().position(|(field, _)| field == name);
        at.map(|at| self.fields.remove(at).1).unwrap_or_default()
    }

    /// Removes the file that was chosen in a field from the form and returns it.
    pub fn take_file(&mut self, field: &str) -> Option<UploadedFile> {
        let at = self.files.iter().position(|file| file.field == field)?;
        Some(self.files.remove(at))
    }

    /// All fields, as a form without files has them.
    pub fn into_fields(self) -> Vec<(String, String)> {
        self.fields
    }
}

fn text(content: &[u8]) -> Result<String, Problem> {
    match std::str::from_utf8(content) {
        Ok(text) if !text.contains('\0') => Ok(text.to_owned()),
        _ => {
            let fault = InputFault::at("", FaultReason::Nul);
            Err(Problem::new(ProblemCode::InvalidBody).errors(vec![fault]))
        }
    }
}

fn unreadable(detail: &str) -> Problem {
    Problem::new(ProblemCode::InvalidRequest).detail(format!("The form cannot be read. {detail}"))
}

#[cfg(test)]
mod tests {
    use actix_web::FromRequest as _;
    use actix_web::test::TestRequest;

    use super::*;

    const KIND: &str = "multipart/form-data; boundary=line";

    async fn receive(kind: &'static str, body: &[u8], max: usize) -> Result<Upload, Problem> {
        let request = TestRequest::post().insert_header(("content-type", kind));
        let (request, mut payload) = request.set_payload(body.to_vec()).to_http_parts();
        let payload = web::Payload::from_request(&request, &mut payload).await.ok().unwrap();
        Upload::receive(&request, payload, max).await
    }

    fn part(head: &str, content: &[u8]) -> Vec<u8> {
        [
            b"--line\r\nContent-Disposition: form-data; ",
            head.as_bytes(),
            b"\r\n\r\n",
            content,
            b"\r\n",
        ]
        .concat()
    }

    #[actix_web::test]
    async fn fields_and_files_are_distinguished() {
        let large = vec![7_u8; 200 * 1024];
        let body = [
            part("name=\"title\"", "Rübe".as_bytes()),
            part("name=\"picture\"; filename=\"a.png\"\r\nContent-Type: image/png", &large),
            part("name=\"other\"; filename=\"\"\r\nContent-Type: application/octet-stream", b""),
            part("name=\"title\"", b"second"),
            b"--line--\r\n".to_vec(),
        ]
        .concat();
        let upload = receive(KIND, &body, 1 << 20).await.ok().unwrap();
        assert_eq!(upload.field("title"), "Rübe");
        assert_eq!(upload.field("missing"), "");
        let file = upload.file("picture").unwrap();
        assert_eq!((file.name.as_str(), file.media_type.as_str()), ("a.png", "image/png"));
        assert_eq!(file.content, large);
        assert!(upload.file("other").is_none(), "no file was chosen");
        let mut taken = upload;
        assert_eq!(taken.take_file("picture").unwrap().content, large);
        assert!(taken.take_file("picture").is_none() && taken.file("picture").is_none());
        assert_eq!(
            (taken.take_field("missing"), taken.take_field("title")),
            (String::new(), "Rübe".to_owned())
        );
        assert_eq!(taken.field("title"), "second");
        let fields = taken.into_fields();
        assert_eq!(fields.len(), 1);
        assert_eq!(fields[0], ("title".to_owned(), "second".to_owned()));
    }

    #[actix_web::test]
    async fn fields_before_the_file_are_kept_if_there_is_no_memory_for_it() {
        let refuse = || Err::<(), _>(Problem::new(ProblemCode::TooManyImports));
        let receive = async |body: Vec<u8>, max| {
            let request = TestRequest::post().insert_header(("content-type", KIND));
            let request = request.insert_header(("content-length", body.len().to_string()));
            let (request, mut payload) = request.set_payload(body).to_http_parts();
            let payload = web::Payload::from_request(&request, &mut payload).await.ok().unwrap();
            let refused = Upload::receive_at(&request, payload, max, refuse).await;
            let UnreceivedForm { problem, sent, lost } = *refused.err().unwrap();
            (problem.code(), sent.into_fields(), lost)
        };
        let kept = |fields: &[(&str, &str)]| -> Vec<(String, String)> {
            fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let end = b"--line--\r\n".to_vec();
        let file = part("name=\"file\"; filename=\"a.png\"", &vec![7; 100 * 1024]);
        let (before, after) = (part("name=\"a\"", b"1"), part("name=\"b\"", b"2"));
        let with_file = [before.clone(), file, after.clone(), end.clone()].concat();
        let (full, large) = (ProblemCode::TooManyImports, ProblemCode::BodyTooLarge);
        let first = kept(&[("a", "1")]);
        let a_file = LostPart::File;
        assert_eq!(receive(with_file.clone(), 1 << 20).await, (full, first.clone(), a_file));
        assert_eq!(receive(with_file, 1000).await, (large, first.clone(), a_file));
        let empty = part("name=\"file\"; filename=\"\"", b"");
        let without = [before.clone(), empty.clone(), after, end.clone()].concat();
        let both = kept(&[("a", "1"), ("b", "2")]);
        assert_eq!(receive(without, 1 << 20).await, (full, both, LostPart::Nothing));
        // One byte more than the limit.
        let fits =
            [before.clone(), part("name=\"b\"", &vec![b'x'; MAX_REFUSED_FIELDS - 1]), end.clone()];
        let (_, fields, lost) = receive(fits.concat(), 1 << 20).await;
        assert_eq!((fields.len(), lost), (2, LostPart::Nothing));
        let long =
            [before.clone(), part("name=\"b\"", &vec![b'x'; MAX_REFUSED_FIELDS]), end.clone()];
        assert_eq!(receive(long.concat(), 1 << 20).await, (full, first.clone(), LostPart::Text));
        // Files that were not chosen count as parts, too.
        let many = [before, empty.repeat(MAX_PARTS), end].concat();
        assert_eq!(receive(many, 1 << 20).await, (full, first, a_file));
    }

    #[actix_web::test]
    async fn invalid_forms_are_refused() {
        let whole = [part("name=\"a\"", b"1"), b"--line--\r\n".to_vec()].concat();
        let code = async |kind, body: &[u8], max| {
            receive(kind, body, max).await.err().map(|problem| problem.code())
        };
        assert_eq!(code(KIND, &whole, 1000).await, None);
        assert_eq!(code(KIND, &whole, 10).await, Some(ProblemCode::BodyTooLarge));
        assert_eq!(
            code("application/json", &whole, 1000).await,
            Some(ProblemCode::UnsupportedMediaType)
        );
        let broken = Some(ProblemCode::InvalidRequest);
        assert_eq!(code("multipart/form-data", &whole, 1000).await, broken, "no boundary");
        assert_eq!(code(KIND, b"nothing of it", 1000).await, broken);
        assert_eq!(code(KIND, &part("name=\"a\"", b"1"), 1000).await, broken, "it is cut off");
        let many = [part("name=\"a\"", b"1").repeat(201), b"--line--\r\n".to_vec()].concat();
        assert_eq!(code(KIND, &many, 1 << 20).await, broken, "too many parts");
        // Files that were not chosen count as parts, too.
        let empty = part("name=\"a\"; filename=\"\"", b"");
        let form = |parts: usize| [empty.repeat(parts), b"--line--\r\n".to_vec()].concat();
        assert_eq!(code(KIND, &form(MAX_PARTS), 1 << 20).await, None);
        assert_eq!(code(KIND, &form(MAX_PARTS + 1), 1 << 20).await, broken);
        // What breaks a form off is reported as such, also after as many parts as it may have.
        let cut_off = [empty.repeat(MAX_PARTS), b"--line\r\n".to_vec()].concat();
        let problem = receive(KIND, &cut_off, 1 << 20).await.err().unwrap();
        assert!(!problem.detail.unwrap().contains("more than 200 parts"));
        let nul = [part("name=\"a\"", b"\0"), b"--line--\r\n".to_vec()].concat();
        assert_eq!(code(KIND, &nul, 1000).await, Some(ProblemCode::InvalidBody));
    }
}
