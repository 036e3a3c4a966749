//! Uploaded pictures: metadata is removed, equal pictures are stored once and count for each account, and other files are refused with a reason.

use std::net::IpAddr;

use cardscape::domain::designs::artwork::ARTWORK_QUOTA;
use cardscape::domain::ids::AccountId;
use cardscape::store::operations::retention;
use chrono::Duration;
use futures_util::future::join_all;
use image::{ImageFormat, ImageReader, Rgba, RgbaImage};
use reqwest::Method;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::pictures::{
    CMYK, LOSSY, each_format, each_with_exif, fading, file, gigabyte, gradient, png_chunk,
    png_header, png_with,
};
use super::{upload, uploaded};
use crate::support::{Answer, Player, RequestExt as _, TestApp};

const GRADIENT: (u32, u32) = (900, 600);

fn picture() -> Vec<u8> {
    file(&gradient(GRADIENT.0, GRADIENT.1), ImageFormat::Png)
}

/// Width and height of a file.
fn sides(bytes: &[u8]) -> (u32, u32) {
    let reader = ImageReader::new(std::io::Cursor::new(bytes)).with_guessed_format().unwrap();
    reader.into_dimensions().unwrap()
}

/// Makes all accounts older, because new accounts have a lower daily limit of uploads.
async fn age(app: &TestApp) {
    app.sql("UPDATE accounts SET created_at = created_at - interval '9 days'").await;
}

async fn count(app: &TestApp, table: &str) -> i64 {
    app.db().number(&format!("SELECT count(*) FROM {table}")).await
}

#[tokio::test]
async fn a_picture_is_stored_in_two_sizes_for_its_uploader() {
    let app = TestApp::start().await;
    let (ada, bob, moderator) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let answer = upload(&app, &ada, "image/png", picture()).await;
    let location = answer.header("location");
    assert_eq!(answer.header("cache-control"), "no-store");
    let artwork = answer.expect(201);
    let uri = format!("/v1/artworks/{}", artwork["id"].as_str().unwrap());
    assert_eq!((location.as_str(), &artwork["full"]["uri"]), (uri.as_str(), &json!(uri)));
    assert_eq!(artwork["in_use"], false);
    let mut total = 0;
    for (size, expected) in [("full", GRADIENT), ("small", (500, 333))] {
        let rendition = &artwork[size];
        let file = app.get(rendition["uri"].as_str().unwrap()).by(&ada).answer().await;
        assert_eq!(file.status, 200, "{}", file.text());
        assert_eq!(sides(&file.bytes), expected);
        assert_eq!(
            (&rendition["width"], &rendition["height"]),
            (&json!(expected.0), &json!(expected.1))
        );
        assert_eq!(rendition["bytes"], json!(file.bytes.len()));
        assert_eq!(rendition["media_type"], "image/jpeg");
        for (name, value) in [
            ("content-type", "image/jpeg"),
            ("content-length", &file.bytes.len().to_string()),
            ("x-content-type-options", "nosniff"),
            ("content-security-policy", "default-src 'none'; sandbox"),
            ("cache-control", "private, no-store"),
            ("content-encoding", ""),
        ] {
            assert_eq!(file.header(name), value, "{name}");
        }
        total += file.bytes.len();
        let known = app.get(rendition["uri"].as_str().unwrap()).by(&ada);
        let known = known.header("if-none-match", file.header("etag")).answer().await;
        assert_eq!((known.status, known.bytes.len()), (304, 0));
        assert_eq!(known.header("cache-control"), "private, no-store");
        let another = app.get(rendition["uri"].as_str().unwrap()).by(&ada);
        let another = another.header("if-match", "\"0\"").answer().await;
        another.problem(412, "precondition_failed");
        let head =
            app.request(Method::HEAD, rendition["uri"].as_str().unwrap()).by(&ada).answer().await;
        assert_eq!((head.status, head.header("etag")), (200, file.header("etag")));
        assert_eq!(head.header("content-length"), file.bytes.len().to_string());
    }
    for other in [app.get(&uri), app.get(&uri).by(&bob), app.get(&uri).by(&moderator)] {
        other.answer().await.problem(404, "not_found");
    }
    for wrong in ["/v1/artworks/x", &format!("/v1/artworks/{}", "0".repeat(64))] {
        app.get(wrong).by(&ada).answer().await.problem(404, "not_found");
    }
    app.get(&format!("{uri}?size=huge")).answer().await.problem(400, "invalid_query");

    // A repeated upload of the picture returns the same artwork.
    assert_eq!(upload(&app, &ada, "image/png", picture()).await.expect(200), artwork);
    let list = app.get("/v1/me/artworks").by(&ada).answer().await.expect(200);
    assert_eq!(
        list,
        json!({ "data": [artwork], "bytes_used": total, "bytes_quota": ARTWORK_QUOTA })
    );
    let list = app.get("/v1/me/artworks").by(&bob).answer().await.expect(200);
    assert_eq!((&list["data"], &list["bytes_used"]), (&json!([]), &json!(0)));
}

/// Files of many chunks, which are written and read in several statements.
#[tokio::test]
async fn a_large_file_is_returned_complete() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let mut state = 1_u32;
    let noise = RgbaImage::from_fn(900, 900, |_, _| {
        // The generator of Numerical Recipes: its output cannot be compressed.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [_, red, green, alpha] = state.to_be_bytes();
        Rgba([red, green, red ^ green, alpha | 1])
    });
    let picture = file(&noise.clone().into(), ImageFormat::Png);
    let artwork = upload(&app, &ada, "image/png", picture).await.expect(201);
    let mut hashes = Vec::new();
    for size in ["full", "small"] {
        let served = app.get(artwork[size]["uri"].as_str().unwrap()).by(&ada).answer().await;
        assert_eq!(json!(served.bytes.len()), artwork[size]["bytes"]);
        hashes.push(Sha256::digest(&served.bytes));
        if size == "full" {
            assert!(served.bytes.len() > 2 << 20, "{}", served.bytes.len());
            let decoded = image::load_from_memory(&served.bytes).unwrap().into_rgba8();
            assert!(decoded == noise, "all pixels are equal");
        }
    }
    let id = Sha256::digest(hashes.concat());
    let id: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(artwork["id"], id);
}

#[tokio::test]
async fn each_format_is_accepted_with_any_picture_media_type() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let [png, jpeg, webp] = each_format(&gradient(300, 200));
    // The last file has the same pixels as the first file, so it is the same artwork.
    for (media_type, file, status) in
        [("image/jpeg", png, 201), ("image/webp", jpeg, 201), ("IMAGE/PNG", webp, 200)]
    {
        let artwork = upload(&app, &ada, media_type, file).await.expect(status);
        assert_eq!(artwork["full"]["media_type"], "image/jpeg");
    }
    let fading = file(&fading(300, 200), ImageFormat::WebP);
    let artwork = upload(&app, &ada, "image/webp", fading).await.expect(201);
    let file = app.get(artwork["small"]["uri"].as_str().unwrap()).by(&ada).answer().await;
    assert_eq!(file.header("content-type"), "image/png");
    assert!(file.bytes.starts_with(b"\x89PNG"));
}

#[tokio::test]
async fn own_artwork_is_listed_page_by_page() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let mut ids = Vec::new();
    for number in 0..3 {
        ids.insert(0, uploaded(&app, &ada, number).await);
        app.clock().advance(Duration::seconds(1));
    }
    let list =
        async |query: &str| app.get(&format!("/v1/me/artworks{query}")).by(&ada).answer().await;
    let first = list("?limit=2").await;
    let link = first.header("link");
    let first = first.expect(200);
    let cursor = first["next_cursor"].as_str().unwrap();
    assert!(link.contains(cursor) && link.ends_with("rel=\"next\""), "{link}");
    let rest = list(&format!("?limit=2&cursor={cursor}")).await.expect(200);
    let listed = [&first, &rest].into_iter().flat_map(|page| page["data"].as_array().unwrap());
    assert_eq!(listed.map(|one| one["id"].as_str().unwrap()).collect::<Vec<_>>(), ids);
    assert_eq!(first["bytes_used"], rest["bytes_used"]);
    list("?cursor=e30").await.problem(400, "invalid_cursor");
}

/// Equal pictures of several accounts are one artwork. Each account holds it, and learns nothing about the other accounts.
#[tokio::test]
async fn equal_pictures_are_stored_once_until_no_account_holds_them() {
    let app = TestApp::start().await;
    let other = app.second_instance();
    let mut players = Vec::new();
    for at in 0..6 {
        players.push(app.player_owned(format!("player{at}")).await);
    }
    let uploads = players.iter().enumerate().map(async |(at, player)| {
        let app = if at % 2 == 0 { &app } else { &other };
        // The service receives at most four pictures of a network at the same time.
        loop {
            let answer = upload(app, player, "image/png", picture()).await;
            if answer.status != 429 {
                return answer.expect(201);
            }
        }
    });
    let artworks = join_all(uploads).await;
    let id = artworks[0]["id"].as_str().unwrap();
    for artwork in &artworks {
        assert_eq!(artwork["id"], id);
    }
    assert_eq!((count(&app, "artworks").await, count(&app, "artwork_renditions").await), (1, 2));
    let sizes = "SELECT count(*) FROM artwork_renditions r WHERE size = (SELECT sum(octet_length(data)) FROM artwork_chunks c \
                 WHERE c.artwork = r.artwork AND c.rendition = r.rendition)";
    assert_eq!(app.db().number(sizes).await, 2);

    let path = format!("/v1/me/artworks/{id}");
    let (last, first) = players.split_last().unwrap();
    for player in first {
        app.delete(&path).by(player).answer().await.expect(204);
        app.delete(&path).by(player).answer().await.problem(404, "not_found");
    }
    let sweep = async |after: Duration| {
        app.clock().advance(after);
        retention::sweep(app.store(), app.clock().now()).await.unwrap();
    };
    sweep(Duration::hours(2)).await;
    let uri = format!("/v1/artworks/{id}");
    let last = app.log_in(&last.name, &last.password).await;
    assert_eq!(app.get(&uri).by(&last).answer().await.status, 200);
    let none = app.log_in(&first[0].name, &first[0].password).await;
    app.get(&uri).by(&none).answer().await.problem(404, "not_found");

    app.delete(&path).by(&last).answer().await.expect(204);
    app.get(&uri).by(&last).answer().await.problem(404, "not_found");
    sweep(Duration::minutes(50)).await;
    assert_eq!(count(&app, "artworks").await, 1, "a download may be in progress");
    // An account that uploads the picture meanwhile holds it.
    let last = app.log_in(&last.name, &last.password).await;
    upload(&app, &last, "image/png", picture()).await.expect(201);
    sweep(Duration::minutes(20)).await;
    assert_eq!(count(&app, "artworks").await, 1);
    let last = app.log_in(&last.name, &last.password).await;
    app.delete(&path).by(&last).answer().await.expect(204);
    sweep(Duration::minutes(61)).await;
    let remaining = [count(&app, "artworks").await, count(&app, "artwork_chunks").await];
    assert_eq!(remaining, [0, 0]);
}

/// Uploads, a deletion and a sweep run at the same time. No picture that an account holds is lost, and no request waits forever.
#[tokio::test]
async fn parallel_uploads_deletions_and_sweeps_lose_no_picture() {
    let app = TestApp::start().await;
    let other = app.second_instance();
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    age(&app).await;
    let id = uploaded(&app, &ada, 1).await;
    let path = format!("/v1/me/artworks/{id}");
    for round in 0..12 {
        let sweep = async {
            // The sweep runs as if two hours had passed.
            retention::sweep(app.store(), app.clock().now() + Duration::hours(2)).await.unwrap();
        };
        let deleted = async { app.delete(&path).by(&ada).answer().await.status };
        let ((), deleted, uploaded_by_bob, uploaded_by_ada) =
            tokio::join!(sweep, deleted, uploaded(&other, &bob, 1), uploaded(&other, &ada, 1));
        assert!(matches!(deleted, 204 | 404), "round {round}: {deleted}");
        assert_eq!((&uploaded_by_bob, &uploaded_by_ada), (&id, &id));
        let uri = format!("/v1/artworks/{id}");
        let shown = app.get(&uri).by(&bob).answer().await;
        assert_eq!((shown.status, sides(&shown.bytes)), (200, (241, 200)), "round {round}");
        app.delete(&path).by(&bob).answer().await.expect(204);
    }
}

#[tokio::test]
async fn other_files_than_pictures_are_refused_with_a_reason() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    age(&app).await;
    let png = picture();
    let frames = {
        let mut chunks = png_chunk(*b"acTL", &[0, 0, 0x27, 0x10, 0, 0, 0, 0]);
        for frame in 0..10_000_u32 {
            chunks.extend(png_chunk(*b"fcTL", &[&frame.to_be_bytes()[..], &[0; 22]].concat()));
        }
        png_with(&png, &chunks)
    };
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>".to_vec();
    let page = b"<!doctype html><script>alert(1)</script>".to_vec();
    let bomb = [png_header(50_000, 50_000), png_chunk(*b"IDAT", &gigabyte())].concat();
    for (file, reason) in [
        (Vec::new(), "empty"),
        (svg, "unknown_format"),
        (page, "unknown_format"),
        (b"GIF89a".to_vec(), "unknown_format"),
        (b"PK\x03\x04".to_vec(), "unknown_format"),
        (vec![0; 1000], "unknown_format"),
        (png[..png.len() / 2].to_vec(), "truncated"),
        (LOSSY[..LOSSY.len() / 2].to_vec(), "truncated"),
        (b"\x89PNG\r\n\x1A\n".to_vec(), "truncated"),
        (bomb, "too_many_pixels"),
        (png_header(4800, 3583), "too_many_pixels"),
        (self::file(&gradient(199, 300), ImageFormat::Png), "too_small"),
        (self::file(&gradient(1000, 200), ImageFormat::Png), "too_narrow"),
        (frames, "animated"),
        (CMYK.to_vec(), "cmyk"),
    ] {
        let refused = upload(&app, &ada, "image/png", file).await;
        let problem = refused.problem(422, "unreadable_artwork");
        assert_eq!(problem["reason"], reason, "{problem}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.ends_with('.') && detail.starts_with(char::is_uppercase), "{detail}");
    }
    let help = app.get("/problems/unreadable_artwork").answer().await.expect(200);
    let happened = help["what_happened"].as_str().unwrap();
    for limit in
        ["at most 10 MiB and 16 megapixels", "at least 200 pixels", "at most four times as long"]
    {
        assert!(happened.contains(limit), "{happened}");
    }
    let most = 10 * 1024 * 1024;
    let answer = upload(&app, &ada, "image/png", vec![0; most + 1]).await;
    assert_eq!(answer.problem(413, "body_too_large")["max_bytes"], most);
    upload(&app, &ada, "image/png", vec![0; most]).await.problem(422, "unreadable_artwork");
    for media_type in ["image/svg+xml", "image/gif", "application/json", "", "image/png2"] {
        let answer = upload(&app, &ada, media_type, png.clone()).await;
        answer.problem(415, "unsupported_media_type");
    }
    let packed = app.post("/v1/artworks").by(&ada).header("content-type", "image/png");
    let packed = packed.header("content-encoding", "gzip").body(png.clone()).answer().await;
    packed.problem(415, "unsupported_media_type");
    let nothing = app.post("/v1/artworks").by(&ada).answer().await;
    nothing.problem(415, "unsupported_media_type");
    app.post("/v1/artworks").body(png).answer().await.problem(401, "unauthenticated");
    assert_eq!(count(&app, "artworks").await, 0);
}

/// The returned file contains only pixels, and no other data of the uploaded file.
#[tokio::test]
async fn metadata_and_appended_data_are_removed() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let served = async |file: Vec<u8>| {
        let artwork = upload(&app, &ada, "image/png", file).await;
        assert!(matches!(artwork.status, 200 | 201), "{}", artwork.text());
        let uri = artwork.json()["full"]["uri"].as_str().unwrap().to_owned();
        app.get(&uri).by(&ada).answer().await.bytes
    };
    let has = |bytes: &[u8], word: &[u8]| memchr::memmem::find(bytes, word).is_some();
    for upright in each_with_exif(&gradient(300, 200), 6) {
        assert!(has(&upright, b"GPS 48.137154"));
        let bytes = served(upright).await;
        assert!(!has(&bytes, b"GPS") && !has(&bytes, b"Exif"));
        assert_eq!(sides(&bytes), (200, 300), "rotated as EXIF states");
    }
    let polyglot = [&picture()[..], b"<script>alert(1)</script>PK\x03\x04"].concat();
    let bytes = served(polyglot).await;
    assert!(!has(&bytes, b"<script>") && !has(&bytes, b"PK\x03\x04"));
    // A megabyte that would unpack to a gigabyte is unpacked only as far as the picture needs it.
    let chunks = [png_header(300, 300), png_chunk(*b"IDAT", &gigabyte()), png_chunk(*b"IEND", b"")];
    assert_eq!(sides(&served(chunks.concat()).await), (300, 300));
}

#[tokio::test]
async fn parallel_uploads_do_not_exceed_the_quota() {
    let app = TestApp::start().await;
    let other = app.second_instance();
    let ada = app.player("ada").await;
    age(&app).await;
    uploaded(&app, &ada, 0).await;
    let size = app.db().number("SELECT size FROM artworks").await;
    // The quota has room for one more picture, but not for two.
    app.sql(&format!(
        "INSERT INTO artworks (id, size, created_at) VALUES (sha256(''), {}, now()); \
         INSERT INTO artwork_uploads SELECT a.id, sha256(''), now() FROM accounts a WHERE a.name = 'ada'",
        ARTWORK_QUOTA - size - 3 * size / 2
    ))
    .await;
    let uploads = (1..5).map(async |number| {
        let app = if number % 2 == 0 { &app } else { &other };
        let picture = file(&gradient(240 + number, 200), ImageFormat::Png);
        upload(app, &ada, "image/png", picture).await
    });
    let answers = join_all(uploads).await;
    let (accepted, refused): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|answer| answer.status == 201);
    assert_eq!((accepted.len(), refused.len()), (1, 3));
    for answer in refused {
        let problem = answer.problem(409, "artwork_quota_reached");
        assert_eq!(problem["bytes_quota"], ARTWORK_QUOTA);
        assert!(problem["bytes_used"].as_i64().unwrap() < ARTWORK_QUOTA);
    }
    assert_eq!(count(&app, "artworks").await, 3, "refused pictures are not stored");
    // A picture that the account already holds needs no more room.
    uploaded(&app, &ada, 0).await;
    let id = accepted[0].json()["id"].as_str().unwrap().to_owned();
    app.delete(&format!("/v1/me/artworks/{id}")).by(&ada).answer().await.expect(204);
    uploaded(&app, &ada, 9).await;
}

/// Refused files count against the daily limit, too, because each of them uses a CPU core to be read.
#[tokio::test]
async fn new_accounts_have_a_daily_limit_of_uploads() {
    let app = TestApp::start().await;
    // A full hour is left, so that the day does not end during the test.
    app.begin_window();
    let other = app.second_instance();
    let ada = app.player("ada").await;
    upload(&app, &ada, "image/png", Vec::new()).await.problem(422, "unreadable_artwork");
    app.sql("UPDATE daily_counts SET count = 19 WHERE activity = 'upload_artwork'").await;
    let send = async |app: &TestApp| upload(app, &ada, "image/png", picture()).await;
    let (one, two) = tokio::join!(send(&app), send(&other));
    let (accepted, refused) = if one.status == 201 { (one, two) } else { (two, one) };
    accepted.expect(201);
    assert_eq!(refused.problem(429, "daily_limit_reached")["limit"], "uploads");
    age(&app).await;
    send(&app).await.expect(200);
}

#[tokio::test]
async fn parallel_uploads_are_limited() {
    let app = TestApp::start_with(|settings| {
        settings.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let send = async |by: &Player| -> Answer {
        let request = app.post("/v1/artworks").by(by).header("x-forwarded-for", "198.51.100.7");
        request.header("content-type", "image/png").body(picture()).answer().await
    };
    let enter = |account: AccountId, place: u8| {
        let address = IpAddr::from([192, 0, 2, place]);
        app.shared().artwork_limiter.enter(account, address.into()).unwrap()
    };
    let hers = AccountId(ada.id.parse().unwrap());
    let held: Vec<_> = (0..2).map(|place| enter(hers, place)).collect();
    let refused = send(&ada).await;
    assert_eq!(refused.header("retry-after"), "2");
    refused.problem(429, "too_many_imports");
    send(&bob).await.expect(201);
    let others: Vec<_> = (2..8).map(|place| enter(AccountId::generate(), place)).collect();
    let refused = send(&bob).await;
    assert_eq!(refused.header("retry-after"), "1");
    refused.problem(503, "unavailable");
    drop((held, others));
    send(&ada).await.expect(201);
}
