//! The meaning of each error code, advice, and an example response: the pages below `/problems`.

use cardscape_engine::Position;
use serde_json::json;

use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::problem_member::ProblemMember;
use crate::domain::serials::serial::SerialError;

/// The page about an error code.
pub(super) struct ProblemHelp {
    /// What happened, in one or two sentences.
    pub(super) happened: &'static str,
    /// What the caller can do.
    pub(super) advice: &'static str,
    /// An example of the problem. Only its body is shown, without headers.
    pub(super) example: Problem,
}

const ID: &str = "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";

impl ProblemHelp {
    /// The page about a code.
    pub(super) fn about(code: ProblemCode) -> Self {
        use ProblemCode as C;
        use ProblemMember as M;
        let new = Problem::new(code);
        let fault = |pointer: &str, detail: &'static str| vec![InputFault::at(pointer, detail)];
        let (happened, advice, example) = match code {
            C::MalformedJson => (
                "The body of the request is not JSON. `line` and `column` in `errors` say where it stops being JSON.",
                "Correct the body there. Frequent causes are a missing comma or quotation mark, a comma behind the last member, and single \
                 quotation marks.",
                Problem::malformed_json(
                    Position { line: 1, column: 24 },
                    "a `,` or `}` is missing here",
                ),
            ),
            C::InvalidQuery => (
                "A parameter behind the `?` of the address is unknown, is missing, or has a value that it cannot have. `errors` names each one \
                 as `?name`. When the query `q` of a search cannot be used, `faults` lists the terms at fault: `position` and `length` in \
                 characters, the `term` itself, and a `message`.",
                "Correct the parameters that `errors` names. The reference under `/docs` lists the parameters of each operation.",
                new.errors(fault("?q", "there is no field \"atack\"; did you mean attack? (character 0)")).with(M::Faults, json!([
                    { "position": 0, "length": 9, "term": "atack>700", "message": "there is no field \"atack\"; did you mean attack?" },
                ])),
            ),
            C::InvalidHeader => (
                "A header of the request has a value that it cannot have.",
                "Correct the header that `detail` names, and send the request again.",
                new.detail("Idempotency-Key must be 1 to 255 visible ASCII characters."),
            ),
            C::InvalidCursor => (
                "The value of `cursor` does not come from this list with these parameters.",
                "Take `next_cursor` of the page before, unchanged, and keep all other parameters as they were. Or leave `cursor` out to \
                 begin with the first page.",
                new,
            ),
            C::NotUtf8 => (
                "The file is not text in UTF-8, or, for a CSV file, in no encoding that is read. `detail` says where.",
                "Save the file as UTF-8 and send it again.",
                new.detail("Byte 1042, from 0, is not UTF-8."),
            ),
            C::InvalidRequest => (
                "The request breaks the rules of HTTP, for example by an unknown method, a wrong `Host`, or a body that ended too early.",
                "Look at `detail`. If an ordinary HTTP client made the request, something between it and the service may have changed it.",
                new.detail("The body ended before it was complete."),
            ),
            C::BodyTooSlow => (
                "The body of the request did not arrive in time.",
                "Send the request again, over a faster connection or with a smaller body.",
                new,
            ),
            C::BodyTooLarge => (
                "The body has more bytes than this route takes: more than `max_bytes`.",
                "Split it into several requests where that is possible.",
                new.detail("The body may have 262144 bytes at most.").with(M::MaxBytes, 262_144),
            ),
            C::NotAcceptable => (
                "The header `Accept-Encoding` of the request rules out every form in which the answer exists.",
                "Leave the header out, or allow `gzip` or `identity`.",
                new,
            ),
            C::RangeNotSatisfiable => (
                "The header `Range` asks for bytes behind the end of the file. `Content-Range` of this answer says how many there are.",
                "Ask for bytes that exist, or leave `Range` out to get the whole file.",
                new.length(48_213),
            ),
            C::UnsupportedMediaType => (
                "The header `Content-Type` names a form of data that this route does not take, or the body is compressed.",
                "Send the body in the form that `detail` names, and say so in `Content-Type`.",
                new.detail("The body must be application/json."),
            ),
            C::InvalidBody => (
                "The body is JSON, but some of its fields are unknown, missing, or have values that they cannot have. `errors` lists all of \
                 them at once.",
                "Correct every field that `errors` names: `pointer` says where, `detail` what is expected.",
                new.errors(vec![
                    InputFault::at("/name", "must be 3 to 32 characters long, not 2"),
                    InputFault::at("/password", "is missing"),
                ]),
            ),
            C::Unauthenticated => (
                "Only somebody who is logged in can do this, and the request names nobody.",
                "Log in with `POST /v1/sessions` and send `Authorization: Bearer ACCESS_TOKEN`, or send a personal access token like that.",
                new,
            ),
            C::InvalidToken => (
                "The token in `Authorization` is wrong, has expired, or was revoked, for example by logging out or by a new password.",
                "Get new tokens with `POST /v1/sessions/refresh`. If that is refused, too, log in again.",
                new,
            ),
            C::WrongCredentials => (
                "There is no account with this name and this password. The answer does not say which of the two is wrong.",
                "Check both. An owner who forgot the password can set a new one with a recovery code: `POST /v1/accounts/recover`.",
                new,
            ),
            C::AccountBanned => (
                "Name and password are right, but the account is banned: nobody can log in to it. To all others, the account looks as if the password were wrong.",
                "An admin of the service can end the ban. Until then, repeating the request changes nothing.",
                new,
            ),
            C::SecondFactorRequired => (
                "Name and password are right, but the account has a second factor, and the request has no code of it.",
                "Send the same request again with the code that the authenticator shows, or with a recovery code, as `second_factor`.",
                new,
            ),
            C::WrongSecondFactor => (
                "The code of the second factor is wrong, too old, or was used before.",
                "Wait for the next code of the authenticator. Check that the clock of its device is right. A recovery code is taken, too.",
                new,
            ),
            C::WrongRecoveryCode => (
                "There is no account with this name and this unused recovery code.",
                "Check both. Each recovery code can be used once.",
                new,
            ),
            C::WrongPassword => (
                "The request must have the current password of the account, and its password is another one.",
                "Send the right current password.",
                new,
            ),
            C::WrongCode => (
                "The code of the second factor is wrong, too old, or was used before.",
                "Wait for the next code of the authenticator, and check that the clock of its device is right.",
                new,
            ),
            C::Forbidden => (
                "Your account does not have the role that this needs, or only the owner or author may do it, or a page of another site has sent credentials or a registration. `role` names the least role that may do it; without it, `detail` says who may.",
                "`GET /v1/me` says which role your account has. Ask an admin of the service if you need another one; otherwise leave it to the one who may.",
                new.detail("This needs the role moderator.").with(M::Role, "moderator"),
            ),
            C::ScopeMissing => (
                "The personal access token was created without the scope that this needs. `scope` names it.",
                "Create a token with that scope: `POST /v1/tokens`.",
                new.detail("The token needs the scope decks:write.").with(M::Scope, "decks:write"),
            ),
            C::LoginRequired => (
                "The request has a personal access token, but only somebody who logged in can do this.",
                "Log in with `POST /v1/sessions`, and use the access token from there.",
                new,
            ),
            C::PasswordChangeDue => (
                "Somebody else set the password of this account, for example when the service was installed. Until you change it, the account \
                 can do nothing else.",
                "Set a password of your own: `PUT /v1/me/password`.",
                new.detail("PUT /v1/me/password comes first."),
            ),
            C::SecondFactorDue => (
                "This service asks for a second factor of everybody with your role, and your account has none.",
                "Switch one on: `POST /v1/me/second-factor`.",
                new.detail("POST /v1/me/second-factor comes first."),
            ),
            C::NotFound => (
                "The address names nothing that exists, or something that you may not see. The answer is the same for both.",
                "Check the address. If it names something private, log in as somebody who may see it.",
                new,
            ),
            C::AmbiguousName => (
                "Several cards fit the name that you gave. `candidates` lists them.",
                "Choose one of them by its `id`, or ask again with its full name, or within its game or set.",
                new.with(M::Candidates, json!([
                    { "id": ID, "game": "ttcg", "set": "hearth", "number": "001", "name": "Kettle Imp" },
                    { "id": "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b12", "game": "ttcg", "set": "hearth", "number": "017", "name": "Kettle Keeper" },
                ])),
            ),
            C::MethodNotAllowed => (
                "There is something at this address, but it does not know this HTTP method. The header `Allow` of this answer lists those it \
                 knows.",
                "Use one of the methods in `Allow`.",
                new,
            ),
            C::NameTaken => (
                "Another account has this name, or one that looks the same.",
                "Choose another name.",
                new,
            ),
            C::TooManyTokens => (
                "The account has the greatest number of personal access tokens that an account may have.",
                "Revoke one that you do not need: `GET /v1/tokens` lists them, `DELETE /v1/tokens/{token}` revokes one.",
                new,
            ),
            C::SecondFactorOn => (
                "The account has a second factor already.",
                "Nothing needs to be done. To use another authenticator, switch the second factor off first: `POST /v1/me/second-factor/switch-off`.",
                new,
            ),
            C::SecondFactorOff => (
                "The account has no second factor, so there is nothing to switch off or to change.",
                "Nothing needs to be done. `POST /v1/me/second-factor` begins to switch one on.",
                new,
            ),
            C::SecondFactorNotBegun => (
                "A first code was sent, but nobody began to switch on a second factor, or that was too long ago.",
                "Begin again with `POST /v1/me/second-factor`, and send the first code soon after.",
                new,
            ),
            C::EditConflict => (
                "Somebody else changed the same thing while this request was at work, or, if the request says what you have read, since then. `detail` \
                 says what in that case. Nothing was changed by this request.",
                "Read it again, and repeat the request if it still makes sense.",
                new,
            ),
            C::OwnAccount => (
                "This is about your own account. Nobody can block, follow or ban themselves, change their own role, or take off their own second \
                 factor as an admin.",
                "Choose another account. For your role or your second factor, ask another admin.",
                new,
            ),
            C::TooManyDesigns => (
                "An account has a limited number of designs, and yours has that many.",
                "Delete drafts that you do not need.",
                new.detail("An account has at most 500 designs. Delete drafts that you do not need."),
            ),
            C::TooManyRevisions => (
                "A design has a limited number of revisions, and this one has that many.",
                "Begin another design with the contents of this one.",
                new.detail("A design has at most 500 revisions."),
            ),
            C::DesignStepRefused => (
                "The status of the design does not allow this step, or another revision was submitted or approved since you read it. `detail` says which.",
                "Read the design again: its status may have changed. A design that is judged must be withdrawn before it is changed; an official design cannot be changed.",
                new.detail("Its status is approved: it cannot be edited now."),
            ),
            C::DesignNameless => (
                "A design can be begun without a name, but not be shown to others.",
                "Give it a name with a letter, a digit or a symbol in it.",
                new,
            ),
            C::DesignNameTaken => (
                "Nobody else can use the name of a shared design or of a card. Names are the same whatever case, spaces, punctuation and accents they are written \
                 with, and also when they only look the same, in letters of whatever script.",
                "Choose another name. `POST /v1/design-checks` reports whose name it is like.",
                new.detail("Another design has this name, or one that looks the same."),
            ),
            C::DesignWasPublic => (
                "The design was shared once. Others may refer to it, so it stays readable by its identifier.",
                "Withdraw it: then it is in no list, and its name is free.",
                new,
            ),
            C::DesignNotReleasable => (
                "Only a design that could become a card as it is can be submitted. `obstacles` lists the obstacles: `violations` (it breaks rules), `free_text` (a sentence that no \
                 template makes), `effect_search_limit` (no template of a sentence was found within the limit of steps of the search; trying again changes nothing), `name` (missing, taken, or like another), `licence` (it does not allow a release), `artwork` (it was taken down by moderators). The obstacles of sentences and artwork also prevent an approval. A release that is \
                 refused has no `obstacles`: `errors` lists all that stands against it, with pointers into the card; `/set`, `/number` and `/was_public` are members of the request, `/artwork` is the artwork of the design, which was taken down, and `/effects/0/text` a sentence that no template makes any more.",
                "Send the design to `POST /v1/design-checks`, which reports each fault with its place, and change it. For a release, choose another place, if `errors` names the place; revoke the approval, if the author must change the design.",
                new.with(M::Obstacles, json!(["free_text", "licence"])),
            ),
            C::DesignClaimed => (
                "While a moderator looks at a design, nobody else can decide about it. `detail` says until when.",
                "Take another design from the queue, or wait until the claim ends.",
                new.detail("Another moderator has claimed it until 2026-11-21T08:50:41+00:00."),
            ),
            C::DesignNotClaimed => (
                "A moderator must claim a design before deciding about it. A claim ends after 30 minutes.",
                "Claim it (again): `POST /v1/designs/{design}/claim`.",
                new,
            ),
            C::DesignTakenDown => (
                "After a report, a moderator took the design down: only you and moderators can see it. You can read it, but do nothing else with it. The design says why (`takedown`).",
                "If you do not agree, write to the moderators: a decision can be changed.",
                new,
            ),
            C::AuthorBanned => (
                "A design of a banned author keeps its status: it is not claimed, decided or released.",
                "Take another design. When the ban has ended, the design can be judged and released again.",
                new,
            ),
            C::OwnReport => (
                "You cannot report your own design, deck, comment, suggestion or account.",
                "Delete or withdraw what is yours.",
                new,
            ),
            C::ReleaseNotConfirmed => (
                "A design that others have seen is no surprise any more. In a set whose cards start hidden, everybody who remembers the design knows the card.",
                "Choose a set whose cards are open, or send `\"was_public\": true` if you want this set nevertheless.",
                new,
            ),
            C::PerkRefused => (
                "The perk of the card's designer cannot be given: another copy was given before, or the designer is banned. `detail` says which.",
                "Read `GET /v1/designs/{design}/perk`. A perk is granted once, and nobody can take back a copy that was given.",
                new.detail("The designer has been given another copy."),
            ),
            C::FeedbackRefused => (
                "Comments, replies and suggestions are not accepted there.",
                "Leave it. Other designs and comments are not affected.",
                new,
            ),
            C::CommentFinal => (
                "Others have read the comment, and may have answered it.",
                "Write another one, or delete it.",
                new,
            ),
            C::SuggestionClosed => (
                "A suggestion is taken, declined or withdrawn once. `detail` says which of these happened to this one.",
                "Read the suggestion again. Another one can be made.",
                new.detail("It was taken."),
            ),
            C::SuggestionOutdated => (
                "A suggestion is about one revision of a design. Where the design has changed since in the same place, or would be too large with both changes, it cannot be taken; `errors` has the members. A suggestion for a revision \
                 that is not the newest is not made, either.",
                "Write what you want of it as a revision, or make a suggestion for the newest revision.",
                new.errors(vec![InputFault::at("/effects", "was changed in the design as well")]),
            ),
            C::TooManyBlocks => (
                "An account can block a limited number of others.",
                "Take back blocks that you do not need.",
                new.detail("An account can block at most 1000 others."),
            ),
            C::UnreadableArtwork => (
                "Artwork is a still PNG, JPEG or WebP picture of at most 10 MiB and 16 megapixels, each side at least 200 pixels and at most four times as long as the other. `detail` says what is wrong with this file, and `reason` \
                 says it to programs: `empty`, `unknown_format`, `too_many_bytes`, `too_many_pixels`, `too_small`, `too_narrow`, `animated`, `cmyk`, `too_complex`, `unsupported`, `truncated` or \
                 `broken`.",
                "Open the file in an image program, and save it as PNG, JPEG or WebP in RGB.",
                new.detail("The file looks like an SVG; send a PNG, JPEG or WebP picture.").with(M::Reason, "unknown_format"),
            ),
            C::ArtworkQuotaReached => (
                "The bytes of artwork of an account are limited; both sizes of each picture count. `bytes_used` is the present sum, `bytes_quota` the limit.",
                "Delete artwork that none of your designs shows: `GET /v1/me/artworks` lists it.",
                new.with(M::BytesUsed, 104_000_000).with(M::BytesQuota, 104_857_600),
            ),
            C::ArtworkRemoved => (
                "The restored revision, or the design with the suggested change, would show artwork that moderators took down. A revision cannot be restored without its artwork.",
                "Send the content of the revision with other artwork or without artwork (`PUT /v1/designs/{design}`). A suggestion can be accepted after that.",
                new.errors(fault("/artwork/id", "was taken down by moderators: choose another artwork, or none")),
            ),
            C::ArtworkInUse => (
                "Revisions are never changed: the artwork of a revision stays, even if later revisions show another one.",
                "Delete the design, if nobody else has seen it. Otherwise leave the artwork where it is.",
                new,
            ),
            C::OwnDesign => (
                "Nobody rates their own design or suggests changes of it, and moderators do not judge what they made themselves. A design is also the work of those whose \
                 suggestions became part of it (`contributors`): they do not rate or judge it, either.",
                "Leave it to others. You can change your own design.",
                new,
            ),
            C::OwnDeck => (
                "A like says that somebody else finds a deck good.",
                "Leave it to others. You can like decks of others.",
                new,
            ),
            C::DeckTakenDown => (
                "After a report, a moderator took the deck down: only you can see it. You can read, change and delete it, but it stays private. The deck says why (`takedown`). An unchanged copy of it stays private, too.",
                "Send `visibility` as `private`. Change a copy before you publish it. If you do not agree, write to the moderators: a decision can be changed.",
                new,
            ),
            C::TooManyFollowed => (
                "An account can follow a limited number of authors.",
                "Stop following an author: `GET /v1/me/followed-authors` lists whom you follow.",
                new.detail("An account can follow at most 500 authors."),
            ),
            C::TooManyWatched => (
                "An account can watch a limited number of decks: each of them is judged again each day.",
                "Stop watching a deck: `GET /v1/me/watched-decks` lists which ones you watch.",
                new.detail("An account can watch at most 100 decks."),
            ),
            C::DailyLimitReached => (
                "An account can do some things only a limited number of times a day; new accounts may do less. `limit` is what was counted \
                 (`new_designs`, `revisions`, `shares`, `submissions`, `comments`, `ratings`, `suggestions`, `likes`, `follows`, `reports`, \
                 `offers`, `uploads`), `max` the limit of this account for a day, and `resets_at` when the day ends: at midnight in UTC.",
                "Wait as many seconds as `Retry-After` says, or do something else: each limit is counted on its own.",
                new.detail(
                    "The limit of shares is 5 a day in the first 3 days of an account. This day ends at 2026-11-22T00:00:00Z.",
                )
                .with(M::Limit, "shares")
                .with(M::Max, 5)
                .with(M::ResetsAt, "2026-11-22T00:00:00Z"),
            ),
            C::TooManyDecks => (
                "The account has the greatest number of decks that an account may have.",
                "Delete a deck that you do not need: `DELETE /v1/decks/{deck}`.",
                new,
            ),
            C::NumberTaken => (
                "The new number belongs to another card of the set, or to one that was there before. Old numbers lead to the present place of \
                 their card, so they are not given again, and neither are numbers that differ from them only in leading zeros or case.",
                "Choose another number.",
                new,
            ),
            C::SetPrinted => (
                "Copies of the set are printed or are being printed. So its cards cannot be moved or merged any more.",
                "Leave the card where it is. Its texts can still be edited.",
                new,
            ),
            C::SetCodeTaken => (
                "The game has a set with this code already. The code identifies the set in addresses and in files, so no second set can have it.",
                "Choose another code. `GET /v1/games/{game}/sets` lists the sets of the game.",
                new,
            ),
            C::SetInUse => (
                "Only a set on which nothing depends can be deleted. `detail` says what depends on it: its cards, the old numbers of cards that were \
                 moved or merged, print runs, their announcements, or an unlock policy.",
                "Leave the set as it is, or change its name or its day with `PATCH`. An unlock policy of the set can be deleted first: `DELETE \
                 /v1/games/{game}/sets/{set}/unlock-policy`.",
                new.detail("The set has cards."),
            ),
            C::MergeRefused => (
                "One of the two cards cannot take the place of the other. `detail` says why.",
                "Choose other cards, or change first what `detail` names.",
                new.detail("The cards are of different games."),
            ),
            C::TooManyRulings => (
                "The card has the greatest number of rulings that a card may have.",
                "Edit or delete one of them instead.",
                new,
            ),
            C::CountOutOfRange => (
                "A count of your collection would fall below 0 or rise above 9999. Nothing was changed. `errors` names the changes; when a file is \
                 imported, `entries` says how many counts would be too high, and `detail` names the first of them.",
                "Read the entries again, and correct the changes or the file.",
                new.detail(
                    "1 entry would have more than 9999 cards: hearth 016 common (near mint). Correct their quantities and send the file again.",
                )
                .with(M::Entries, 1),
            ),
            C::CollectionChanged => (
                "Counts that the import would replace have changed since the file was shown, so the commit would do something else than what was \
                 shown. Nothing was imported. `entries` is the number of entries that differ, and `detail` names the first of them.",
                "Send the file again, check the new `totals`, and commit the new import.",
                new.detail(
                    "1 entry that the import would replace has changed since the file was shown: hearth 016 common (near mint). Nothing was imported. \
                     Send the file again, and check what the import would replace now.",
                )
                .with(M::Entries, 1),
            ),
            C::CollectionFull => (
                "The collection has the greatest number of entries that a collection may have.",
                "Remove entries that you do not need, then send the change again.",
                new,
            ),
            C::Gone => (
                "The object of the request existed, but does not exist any more: for example, the object that the first request with this \
                 `Idempotency-Key` created was deleted, or a list of events begins later than the number that you know.",
                "Read the present state. To create something again, use a new `Idempotency-Key`.",
                new.detail("The feed does not continue from this number: read the complete catalogue again."),
            ),
            C::UnknownFormat => (
                "The game, the format, or its variant does not exist, or not on that day. `errors` names each, and lists the existing ones.",
                "Use a name that `errors` lists. `GET /v1/games/{game}/formats` lists the formats of a game.",
                new.detail("There is no format ttcg/pauper; there is ttcg/standard.").errors(vec![InputFault::at(
                    "/format", "There is no format ttcg/pauper; there is ttcg/standard."
                )]),
            ),
            C::InvalidImport => (
                "The file of a game or set has faults, so nothing of it was imported. `errors` lists all of them with their place; where a rule of \
                 the game is broken, with `code` and `rule`.",
                "Correct the file and send it again. `/docs/violations` explains the codes.",
                new.errors(vec![InputFault {
                    code: Some("ATTRIBUTE_OUT_OF_RANGE".to_owned()),
                    rule: Some("T-2.2.1b".to_owned()),
                    ..InputFault::at("/cards/4/attributes/rank", "\"rank\" of “Kettle Imp” is 12; the limit is 10.")
                }]),
            ),
            C::InvalidEdit => (
                "With this edit, the card, the set, or the texts would have faults. Nothing was changed. `errors` lists all of them.",
                "Correct the edit and send it again.",
                new.errors(vec![InputFault {
                    code: Some("ATTRIBUTE_OUT_OF_RANGE".to_owned()),
                    rule: Some("T-2.2.1b".to_owned()),
                    ..InputFault::at("/attributes/rank", "\"rank\" of “Kettle Imp” is 12; the limit is 10.")
                }]),
            ),
            C::UnclearPrinting => (
                "An entry names no printing that you may see, or it fits several. Nothing was changed. `candidates` lists for each such entry \
                 the printings that it may mean.",
                "Choose one of the `choices`, and name it in the entry by its `printing`.",
                new.errors(fault("/changes/0", "fits several printings")).with(M::Candidates, json!([{ "change": 0, "choices": [
                    { "game": "ttcg", "set": "hearth", "number": "001", "name": "Kettle Imp", "rarity": "common", "printing": ID },
                ] }])),
            ),
            C::UnreadableCollection => (
                "The file cannot be read as a table of cards. `errors` says why.",
                "Send CSV whose first line has headings, one of them `Name`, `Printing ID` or `Number`; or JSON as `GET /v1/collection/export` \
                 writes it.",
                new.errors(fault("", "the first line must have headings, and one of them must be Name, Printing ID or Number; found: 4 Kettle Imp")),
            ),
            C::ImportHasFaults => (
                "Some lines of the collection file cannot be imported, so nothing was imported. `rejected` lists these lines.",
                "Correct the file and send it again. Or commit with the body `{ \"only_ok\": true }` to import all other lines.",
                new.with(M::Rejected, json!([
                    { "line": 3, "text": "Ketle Imp", "verdict": "unknown", "detail": "there is no card of that name" },
                ])),
            ),
            C::UnreadableDeckList => (
                "No line of the deck list can be read, or more than 500 cannot; `detail` says so in the second case. `errors` names each such line by its `line`, at most 500.",
                "Write each line as quantity and name, for example `2 Kettle Imp`.",
                new.errors(vec![InputFault::at("/list", "must begin with a quantity").on_line(3)]),
            ),
            C::SerialMalformed => (
                "A serial code has 16 letters and digits. This one has another length, or a symbol that occurs in no code; then `position` says \
                 which symbol, from 1. No attempt was used up.",
                "Compare the code with the card, and send it again.",
                new.errors(vec![InputFault::at("/serial", SerialError::Symbol(5))]).with(M::Position, 5),
            ),
            C::SerialMistyped => (
                "The last symbol of a serial code is computed from the others, and it does not fit: at least one symbol is wrong, or two are \
                 swapped. No attempt was used up.",
                "Compare the code with the card, and send it again.",
                new.errors(vec![InputFault::at("/serial", SerialError::Check)]),
            ),
            C::SubmissionRejected => (
                "There is no valid copy of this card with this code; in a submission, the name says which card it is. The answer does not say whether the code is unknown, is that of \
                 another card, or its copy is void. One of your attempts was used up.",
                "Compare the code, and in a submission also the name, with the card. After too many rejected codes you have to wait.",
                new,
            ),
            C::RegisteredToAnother => (
                "Code and name are right, but somebody else registered the copy first. Your claim is noted as a dispute: `dispute_id` is its id, and \
                 `dispute_state` says how far it is (`open` until a moderator decides).",
                "Keep the card, and follow the dispute: `GET /v1/disputes/{dispute_id}`. A moderator decides it.",
                new.detail("Code and name are right, so you seem to hold the card. Your claim is noted under this dispute id for the moderators; keep the card at hand.")
                    .with(M::DisputeId, ID)
                    .with(M::DisputeState, "open"),
            ),
            C::CopyPassedOn => (
                "You owned this copy, and somebody else owns it now: by a trade, or because a moderator decided so. Nothing was noted.",
                "If the card came back to you, ask the other player to offer you the copy in a trade.",
                new.detail("You know the code because the copy was yours. If the card came back to you, ask the player who gave it to offer you the copy in a trade."),
            ),
            C::AlreadyReviewed => (
                "A moderator confirmed this submission and you refuse it, or the other way round. A review is final.",
                "Nothing can be done. Talk to the other moderator; the audit log names them.",
                new,
            ),
            C::SerialAttemptsUsedUp => (
                "Your account or your network sent too many codes that were rejected. Codes are worth something, so guessing is slowed down. Or, with `Retry-After: 2`, other submissions of your \
                 account or your network are still being decided, and all attempts are reserved for them (`detail` says so).",
                "Wait as many seconds as `Retry-After` says. Codes that are right never use up attempts.",
                new,
            ),
            C::PrintPlanRefused => (
                "The set cannot be printed like this. `detail` says why.",
                "Change the number of copies or the packs, and ask for the plan again.",
                new.detail("Refused: the set has no cards."),
            ),
            C::CommitmentNotPrinted => (
                "A plan can be revealed after its copies are printed, and these are not printed yet.",
                "Print them first, with the command in `detail`.",
                new.detail("Print it with `cardscape mint --commitment 01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11`, again if its print run was broken off."),
            ),
            C::CardsStillHidden => (
                "The plan names the cards of the set and how many copies of each there are. Some of these cards are still hidden.",
                "Reveal the plan when all cards of the set are unlocked.",
                new,
            ),
            C::CopyVoid => (
                "A moderator declared this copy void. That cannot be taken back.",
                "Nothing can be done with this copy.",
                new,
            ),
            C::OwnCase => (
                "You own this copy, or you claim it, or you did. So you cannot decide about it as a moderator.",
                "Leave it to another moderator.",
                new,
            ),
            C::NoSuchTrader => (
                "There is no player of this name, or this player accepts no offers. The answer is the same for both.",
                "Check the name, or ask the player to accept offers: `PUT /v1/me/trading`.",
                new.detail("There is no such player, or this player accepts no offers: the answer is the same for both."),
            ),
            C::TooManyTrades => (
                "You have the greatest number of open offers that an account may have.",
                "Withdraw an offer, or wait until one is answered.",
                new,
            ),
            C::NotYourTurn => (
                "Only the other side can do this: for example, only the one who got an offer can accept it, and only the one who made it can \
                 withdraw it.",
                "Wait for the other side.",
                new,
            ),
            C::TradeClosed => (
                "The offer was accepted, declined, withdrawn, replaced by another offer, or it ended. `state` says which.",
                "Make a new offer, if you still want to trade.",
                new.with(M::State, "declined"),
            ),
            C::TradeLapsed => (
                "A copy of the offer was given away, frozen or voided since, or the other player cannot trade any more. So the offer ended, and \
                 nothing changed hands. `copies` names these copies.",
                "Make a new offer without these copies.",
                new.detail("Some copies were given away, frozen or voided since the offer was made. Nothing changed hands.")
                    .with(M::Copies, json!([ID])),
            ),
            C::DisputeClosed => (
                "The dispute is decided or was withdrawn, the claimant got the copy by a trade, or the copy was declared void. `state` says which.",
                "Read how it ended: `GET /v1/disputes/{dispute}`.",
                new.with(M::State, "withdrawn"),
            ),
            C::TooManyStatements => (
                "You have made the greatest number of statements that one side may make in a dispute.",
                "Wait for the decision of a moderator.",
                new,
            ),
            C::TooManyWebhooks => (
                "The service has the greatest number of webhooks that it may have.",
                "Delete one that is not needed: `DELETE /v1/webhooks/{webhook}`.",
                new,
            ),
            C::WebhookDisabled => (
                "The webhook is disabled, by an admin or because its receiver failed for too long. Nothing is sent to it.",
                "Enable it: `PUT /v1/webhooks/{webhook}` with `enabled: true`.",
                new,
            ),
            C::PreconditionRequired => (
                "This changes something that others may change, too. So the request must say which version it changes, and it does not.",
                "Read it, and send the `ETag` of that answer as `If-Match`.",
                new,
            ),
            C::PreconditionFailed => (
                "Somebody changed it after you read it. Nothing was changed by this request.",
                "Read it again, make your change to what it is now, and send the new `ETag` as `If-Match`.",
                new,
            ),
            C::IdempotencyKeyReused => (
                "An earlier request had the same `Idempotency-Key` and another content. So this request was not carried out.",
                "Use a new key for each new request, and the same key only to repeat a request without any change.",
                new,
            ),
            C::IdempotencyInProgress => (
                "An earlier request with this `Idempotency-Key` is not finished.",
                "Wait as many seconds as `Retry-After` says, and send the request again with the same key.",
                new,
            ),
            C::RateLimited => (
                "Your network sends more requests than it may. The headers `RateLimit` and `RateLimit-Policy` of every answer state the \
                 limit.",
                "Wait as many seconds as `Retry-After` says, and send fewer requests at a time.",
                new,
            ),
            C::TooManyStreams => (
                "Your network or your account has the greatest number of open streams and downloads that it may have.",
                "Close one of them, or wait as many seconds as `Retry-After` says.",
                new,
            ),
            C::TooManyImports => (
                "Your network or your account has too many files being read at the same time.",
                "Wait until one of them is done, at least as many seconds as `Retry-After` says, and send the file again.",
                new,
            ),
            C::LoginThrottled => (
                "There were too many failed attempts to log in, for this account or from your network; or, with `Retry-After: 2`, other log-ins to this account or from your network are still \
                 being decided, and all attempts are reserved for them (`detail` says so).",
                "Wait as many seconds as `Retry-After` says. Right passwords and codes never use up attempts.",
                new,
            ),
            C::RegistrationThrottled => (
                "Too many accounts were registered from your network.",
                "Wait as many seconds as `Retry-After` says.",
                new,
            ),
            C::Internal => (
                "The service has a fault. Its log describes the fault; this answer does not.",
                "Send the request again later. If it fails again, report the id in `instance` to the operator of the service.",
                new,
            ),
            C::Unavailable => (
                "The service cannot answer right now, for example because its database does not answer or because it is about to stop.",
                "Wait as many seconds as `Retry-After` says, and send the request again.",
                new.detail("The database does not answer in time."),
            ),
            C::SearchBusy => (
                "Searches that read much of the catalogue have a limited number of places, and all are taken.",
                "Wait as many seconds as `Retry-After` says, or narrow the search to a game or a set.",
                new,
            ),
            C::TimedOut => (
                "The answer was not ready in time, so the request was stopped.",
                "Ask for less at once: a smaller page, one game or one set. Or send the request again after the seconds in `Retry-After`.",
                new.detail("The search took too long: narrow it to a game or a set, or look for whole words."),
            ),
        };
        Self { happened, advice, example }
    }
}
