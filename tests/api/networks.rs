//! The network that a request comes from, and the limits that are counted by network.

use cardscape::app::state::ApiSettings;
use cardscape::domain::accounts::attempts::{AttemptLimit, AttemptScope};
use cardscape::store::accounts::attempt_batches::{AttemptBatches, SettledUnits, Taken};
use cardscape::store::accounts::attempts::{self, AttemptSubject, Shortage};
use chrono::Duration;
use reqwest::RequestBuilder;
use rstest::rstest;
use serde_json::json;

use crate::support::{RequestExt as _, TestApp};

/// Settings of a service behind a proxy on this machine.
fn behind_a_proxy(settings: &mut ApiSettings) {
    settings.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()];
    settings.metrics_networks =
        vec!["8.8.8.0/24".parse().unwrap(), "2001:db8::/32".parse().unwrap()];
}

fn forwarded(request: RequestBuilder, lines: &[&str]) -> RequestBuilder {
    lines.iter().fold(request, |request, line| request.header("x-forwarded-for", *line))
}

#[rstest]
#[case::plain(&["8.8.8.8"], true)]
#[case::with_port(&["8.8.8.8:1234"], true)]
#[case::v6(&["2001:db8::1"], true)]
#[case::v6_with_port(&["[2001:db8::1]:443"], true)]
#[case::v6_in_brackets(&["[2001:db8::1]"], true)]
#[case::mapped(&["::ffff:8.8.8.8"], true)]
#[case::last_of_two_lines(&["9.9.9.9", "8.8.8.8"], true)]
#[case::past_other_proxies(&["9.9.9.9, 8.8.8.8, 127.0.0.2", "127.0.0.3:80"], true)]
#[case::another(&["9.9.9.9:1234"], false)]
#[case::first_of_two_lines(&["8.8.8.8", "9.9.9.9"], false)]
#[case::unknown(&["unknown"], false)]
#[case::empty(&[""], false)]
#[case::junk(&["localhost"], false)]
#[case::port_that_is_none(&["127.0.0.1:http"], false)]
#[case::junk_after_an_address(&["8.8.8.8, unknown"], false)]
#[case::nothing_after_an_address(&["8.8.8.8,"], false)]
#[case::junk_in_a_second_line(&["8.8.8.8", "_hidden"], false)]
#[tokio::test]
async fn metrics_are_shown_only_to_configured_addresses(
    #[case] lines: &[&str],
    #[case] shown: bool,
) {
    let app = TestApp::start_with(behind_a_proxy).await;
    let answer = forwarded(app.get("/metrics"), lines).answer().await;
    if shown {
        assert_eq!(answer.status, 200);
    } else {
        answer.problem(404, "not_found");
    }
}

/// A proxy that sends no `X-Forwarded-For` may do so for any client. A program on its machine names the address itself.
#[tokio::test]
async fn a_request_of_a_proxy_that_names_no_client_has_no_address() {
    let app = TestApp::start_with(behind_a_proxy).await;
    app.get("/metrics").answer().await.problem(404, "not_found");
    let from_the_machine = forwarded(app.get("/metrics"), &["127.0.0.1"]);
    assert_eq!(from_the_machine.answer().await.status, 200);
}

#[tokio::test]
async fn clients_without_a_valid_address_share_a_separate_rate_limit() {
    let app = TestApp::start_with(|settings| {
        behind_a_proxy(settings);
        settings.requests_per_second = 1;
        settings.request_burst = 4;
    })
    .await;
    let ask = async |lines: &[&str]| forwarded(app.get("/problems"), lines).answer().await.status;
    let mut refused = 0;
    for line in ["unknown", "", "junk", "_x", "unknown", "", "junk", "_x"] {
        refused += usize::from(ask(&[line]).await == 429);
    }
    assert!(refused >= 2, "{refused}");
    let mut refused = 0;
    for _ in 0..8 {
        refused += usize::from(ask(&[]).await == 429);
    }
    assert!(refused > 4, "no header is no network of its own: {refused}");
    assert_eq!(ask(&["127.0.0.1"]).await, 200, "the proxy");
    assert_eq!(ask(&["8.8.8.8"]).await, 200);
    assert_eq!(ask(&["0.0.0.0"]).await, 200);
}

#[tokio::test]
async fn networks_of_one_provider_share_a_rate_limit() {
    let app = TestApp::start_with(|settings| {
        behind_a_proxy(settings);
        // Almost no requests are added to the quota while the test runs.
        settings.requests_per_second = 1;
        settings.request_burst = 50;
    })
    .await;
    let mut answered = 0;
    for home in 0..6 {
        for _ in 0..50 {
            let from = format!("2001:db8:0:{home}::1");
            let answer = forwarded(app.get("/problems"), &[&from]).answer().await;
            answered += usize::from(answer.status == 200);
        }
    }
    assert!(
        (200..300).contains(&answered),
        "four bursts of fifty, and the requests that were added meanwhile: {answered}"
    );
}

/// A client with a /56 has 256 /64 networks to guess from.
#[tokio::test]
async fn recovery_attempts_are_also_limited_by_wider_networks() {
    let app = TestApp::start_with(behind_a_proxy).await;
    app.begin_window();
    app.player("ada").await;
    let guess = async |from: String| {
        let body = json!({ "name": "ada", "recovery_code": "0000-0000-0000-0000", "new_password": "tram window sonnet" });
        forwarded(app.post("/v1/accounts/recover").json(&body), &[&from]).answer().await
    };
    // Ten attempts an hour are allowed from a /64, and forty from a /56.
    for home in 0..4 {
        for _ in 0..10 {
            let from = format!("2001:db8:0:a{home}::1");
            guess(from).await.problem(401, "wrong_recovery_code");
        }
    }
    guess("2001:db8:0:a0::2".to_owned()).await.problem(429, "login_throttled");
    let refused = guess("2001:db8:0:af::1".to_owned()).await;
    assert!(refused.header("retry-after").parse::<u32>().unwrap() > 0);
    refused.problem(429, "login_throttled");
    guess("2001:db8:0:b00::1".to_owned()).await.problem(401, "wrong_recovery_code");
    let metrics = forwarded(app.get("/metrics"), &["127.0.0.1"]).answer().await.text();
    assert!(metrics.contains("attempts_refused_total{scope=\"recover_network\"}"), "{metrics}");
}

fn subject(mac: u8, limit: u32) -> AttemptSubject {
    let limit = AttemptLimit { limit, window: Duration::days(400) };
    AttemptSubject { scope: AttemptScope::LoginNetwork, mac: [mac; 16], limit }
}

/// The limits hold when many attempts run at the same time and list their subjects in different orders.
#[tokio::test]
async fn parallel_reservations_respect_every_limit_and_reserve_all_or_nothing() {
    let app = TestApp::start().await;
    let now = app.clock().now();
    let used = async |mac: u8| {
        let of = format!(
            "SELECT coalesce(sum(used), 0) FROM attempts WHERE subject_mac = '\\x{}'",
            format!("{mac:02x}").repeat(16)
        );
        app.db().number(&of).await
    };
    // Subject 1 has the lowest limit. All attempts also count for subject 4.
    let (one, two, three, wide) = (subject(1, 5), subject(2, 20), subject(3, 20), subject(4, 25));
    let attempts = (0..120).map(|n| {
        let store = app.store().clone();
        async move {
            let subjects = match n % 3 {
                0 => vec![two, wide],
                1 => vec![wide, three],
                _ => vec![one, wide],
            };
            let mut conn = store.connection().await.unwrap();
            let full = attempts::reserve(&mut conn, &subjects, 1, now, now).await.unwrap();
            full.is_none_or(|full| {
                assert!(subjects.contains(&full.subject));
                false
            })
        }
    });
    let taken = futures_util::future::join_all(attempts).await;
    let taken = taken.into_iter().filter(|taken| *taken).count();
    assert!((1..=25).contains(&taken), "{taken}");
    let parts = used(1).await + used(2).await + used(3).await;
    assert_eq!(
        (used(4).await, parts),
        (i64::try_from(taken).unwrap(), i64::try_from(taken).unwrap())
    );
    assert!(used(1).await <= 5 && used(2).await <= 20 && used(3).await <= 20);

    // The units that are left are found, and a refused reservation takes none.
    let left = 25 - u32::try_from(taken).unwrap();
    let fresh = subject(5, 1_000);
    let batches = AttemptBatches::new(app.store().clone());
    let Taken { units, short, epoch } =
        batches.reserve_up_to(app.store(), &[fresh, wide], 100, now).await.unwrap();
    assert_eq!((units, short.map(|short| short.subject)), (left, Some(wide)));
    let Taken { units, short, .. } =
        batches.reserve_up_to(app.store(), &[fresh, wide], 3, now).await.unwrap();
    // Units that were reserved just now may be released.
    let in_flight = Shortage { subject: wide, may_end: true };
    assert_eq!((units, short), (0, Some(in_flight)));
    assert_eq!(used(5).await, i64::from(left));
    let settled = SettledUnits { released: left, used: 0 };
    batches.settle(app.store(), &[fresh, wide], settled, now, epoch).await.unwrap();
    assert_eq!(used(5).await, 0);
    assert_eq!(used(4).await, i64::try_from(taken).unwrap());
}
