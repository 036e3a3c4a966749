//! Permissions as proof: what changes or reveals something demands a [`Granted`], and only [`Identity::grant`] makes one.
//! A handler that forgets to ask does not compile.

use std::marker::PhantomData;
use std::ops::Deref;

use crate::domain::ids::{AccountId, SessionId, TokenId};

/// What an account is trusted with. Later ones include the earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Submits serials, keeps decks.
    Player,
    /// Sees hidden cards, settles disputes.
    Moderator,
    /// Seeds sets, mints print runs, gives roles.
    Admin,
}

impl Role {
    /// All roles, the least trusted first.
    pub const ALL: [Self; 3] = [Self::Player, Self::Moderator, Self::Admin];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Player => "player",
            Self::Moderator => "moderator",
            Self::Admin => "admin",
        }
    }

    /// The role of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == name)
    }
}

/// What a personal access token may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// See the cards that the token's owner sees, also hidden cards of which the owner has a copy.
    CatalogueRead,
    /// Read the owner's decks.
    DecksRead,
    /// Create, change and delete the owner's decks; comment on those of others, like and watch them, follow their authors.
    DecksWrite,
    /// Read the owner's card designs, drafts included.
    DesignsRead,
    /// Begin, change, share, withdraw and delete the owner's card designs; comment on those of others, rate them, suggest changes.
    DesignsWrite,
    /// Read the owner's collection, wants and haves, and who would trade.
    CollectionRead,
    /// Change the owner's collection, wants and haves.
    CollectionWrite,
    /// Read the owner's submissions, copies and disputes.
    SerialsRead,
    /// Submit serials, and speak in the disputes that come of it.
    SerialsSubmit,
    /// Read the owner's trades, and the copies that others show.
    TradesRead,
    /// Offer, accept and refuse trades.
    TradesWrite,
    /// Read what happens to the account: to its submissions, copies, trades and disputes.
    EventsRead,
    /// Everything that an admin may read: print runs, audit log, accounts.
    AdminRead,
    /// Everything that an admin may change over the API.
    AdminWrite,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Self; 14] = [
        Self::CatalogueRead,
        Self::DecksRead,
        Self::DecksWrite,
        Self::DesignsRead,
        Self::DesignsWrite,
        Self::CollectionRead,
        Self::CollectionWrite,
        Self::SerialsRead,
        Self::SerialsSubmit,
        Self::TradesRead,
        Self::TradesWrite,
        Self::EventsRead,
        Self::AdminRead,
        Self::AdminWrite,
    ];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CatalogueRead => "catalogue:read",
            Self::DecksRead => "decks:read",
            Self::DecksWrite => "decks:write",
            Self::DesignsRead => "designs:read",
            Self::DesignsWrite => "designs:write",
            Self::CollectionRead => "collection:read",
            Self::CollectionWrite => "collection:write",
            Self::SerialsRead => "serials:read",
            Self::SerialsSubmit => "serials:submit",
            Self::TradesRead => "trades:read",
            Self::TradesWrite => "trades:write",
            Self::EventsRead => "events:read",
            Self::AdminRead => "admin:read",
            Self::AdminWrite => "admin:write",
        }
    }

    /// The scope of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }
}

/// How somebody proved who they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credential {
    /// Logged in with the password, in this session.
    Session(SessionId),
    /// A personal access token with these scopes.
    Token {
        /// Which one.
        id: TokenId,
        /// What it is good for.
        scopes: Vec<Scope>,
    },
}

/// Somebody whose credential was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Who.
    pub account: AccountId,
    /// Trusted with what.
    pub role: Role,
    /// Proved how.
    pub credential: Credential,
    /// The password was set by somebody else: nothing but changing it is allowed.
    pub must_change_password: bool,
    /// The role must have a second factor and there is none: nothing but switching one on is allowed.
    pub second_factor_due: bool,
}

/// Something that needs a permission.
pub trait Permission {
    /// Name for messages and the permission matrix.
    const NAME: &'static str;
    /// The least role that has it.
    const ROLE: Role;
    /// The scope that a personal access token needs for it; `None`: no token will do, only a log-in.
    const SCOPE: Option<Scope>;
    /// What becomes of what is done with it, and so when it is confirmed.
    const CONFIRM: Confirm;
    /// Whether it is open while the password must be changed, or a second factor switched on, first.
    const OPEN_WHILE_DUE: bool = false;
}

/// When the credential behind a permission is looked at again, beside the look at the beginning of the request, which a cache may answer
/// that is up to two seconds late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirm {
    /// Never: with this permission nothing is written.
    Never,
    /// In the transaction that writes, as its last statement: what is written outlives the credential. The credential's row is then held for
    /// the commit alone, so a long transaction keeps nobody from revoking it.
    Last,
    /// In the transaction that writes, as its first statement: it may end the very credential that asks for it.
    First,
}

/// Why a permission was not granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// The role is too low.
    Role(Role),
    /// The token lacks this scope.
    Scope(Scope),
    /// Tokens cannot do this.
    NeedsLogin,
    /// The password must be changed first.
    PasswordChangeDue,
    /// A second factor must be switched on first.
    SecondFactorDue,
}

/// Proof that somebody has permission `P`. Cannot be made outside this module but through [`Identity::grant`].
#[derive(Debug)]
pub struct Granted<P> {
    account: AccountId,
    role: Role,
    credential: Credential,
    permission: PhantomData<P>,
}

/// A permission inside a transaction that commits only if the credential is still alive, its account is not banned and has the role. What
/// writes demands it. Only `Store::transaction_by` makes one; a test looks.
#[derive(Debug)]
pub struct Acting<P>(Granted<P>);

impl<P: Permission> Acting<P> {
    /// For the store's transactions only.
    pub fn in_transaction(granted: &Granted<P>) -> Self {
        const { assert!(!matches!(P::CONFIRM, Confirm::Never), "this permission is for reading") };
        Self(granted.clone())
    }
}

impl<P> Deref for Acting<P> {
    type Target = Granted<P>;

    fn deref(&self) -> &Granted<P> {
        &self.0
    }
}

impl<P> Clone for Granted<P> {
    fn clone(&self) -> Self {
        Self {
            account: self.account,
            role: self.role,
            credential: self.credential.clone(),
            permission: PhantomData,
        }
    }
}

impl<P> Granted<P> {
    /// Who has the permission.
    pub fn account(&self) -> AccountId {
        self.account
    }

    /// Their role.
    pub fn role(&self) -> Role {
        self.role
    }

    /// How they proved who they are.
    pub fn credential(&self) -> &Credential {
        &self.credential
    }
}

impl Identity {
    /// Grants permission `P`, or says why not.
    pub fn grant<P: Permission>(&self) -> Result<Granted<P>, Denied> {
        if self.role < P::ROLE {
            return Err(Denied::Role(P::ROLE));
        }
        match (&self.credential, P::SCOPE) {
            (Credential::Session(_), _) => {}
            (Credential::Token { .. }, None) => return Err(Denied::NeedsLogin),
            (Credential::Token { scopes, .. }, Some(scope)) if scopes.contains(&scope) => {}
            (Credential::Token { .. }, Some(scope)) => return Err(Denied::Scope(scope)),
        }
        if self.must_change_password && !P::OPEN_WHILE_DUE {
            return Err(Denied::PasswordChangeDue);
        }
        if self.second_factor_due && !P::OPEN_WHILE_DUE {
            return Err(Denied::SecondFactorDue);
        }
        Ok(Granted {
            account: self.account,
            role: self.role,
            credential: self.credential.clone(),
            permission: PhantomData,
        })
    }

    /// The viewer as whom this identity sees cards. A token without the scope sees what a stranger sees.
    pub fn viewer(&self) -> Viewer {
        match self.grant::<ViewCards>() {
            Err(_) => Viewer::stranger(),
            Ok(_) if self.role >= Role::Moderator => Viewer(Eyes::Overseer),
            Ok(granted) => Viewer(Eyes::Holder(granted.account)),
        }
    }
}

/// The viewer of cards, by whom hidden content is filtered. `card_content` asks for one; only an [`Identity`] makes one that sees more than a
/// stranger does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Viewer(Eyes);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Eyes {
    Stranger,
    Holder(AccountId),
    Overseer,
}

impl Viewer {
    /// Sees what is unlocked.
    pub fn stranger() -> Self {
        Self(Eyes::Stranger)
    }

    /// Sees every card, hidden or not.
    pub fn sees_all(self) -> bool {
        self.0 == Eyes::Overseer
    }

    /// Sees hidden cards of which this account holds a registered copy.
    pub fn holder(self) -> Option<AccountId> {
        match self.0 {
            Eyes::Holder(account) => Some(account),
            Eyes::Stranger | Eyes::Overseer => None,
        }
    }

    /// Sees exactly what everybody sees: answers may be shared by caches.
    pub fn is_stranger(self) -> bool {
        self.0 == Eyes::Stranger
    }
}

/// Proof that the command line at the machine itself is asking: whoever can run it has the database anyway.
#[derive(Debug)]
pub struct Operator(());

impl Operator {
    /// For `cli` only; a test looks.
    pub fn at_the_machine() -> Self {
        Self(())
    }
}

/// Proof that somebody may write the catalogue, hidden cards included: an admin, or the operator at the machine.
#[derive(Debug)]
pub struct Importer(Option<AccountId>);

impl Importer {
    /// Who; `None`: the operator at the machine.
    pub fn account(&self) -> Option<AccountId> {
        self.0
    }
}

impl From<Operator> for Importer {
    fn from(_: Operator) -> Self {
        Self(None)
    }
}

impl From<&Acting<WriteCatalogue>> for Importer {
    fn from(acting: &Acting<WriteCatalogue>) -> Self {
        Self(Some(acting.account()))
    }
}

/// Whoever may write the catalogue may see all of it.
impl From<&Granted<WriteCatalogue>> for Viewer {
    fn from(_: &Granted<WriteCatalogue>) -> Self {
        Self(Eyes::Overseer)
    }
}

/// Proof that somebody may see what a print run of a set would hold: an admin, or the operator at the machine.
#[derive(Debug)]
pub struct Planner(());

impl From<&Operator> for Planner {
    fn from(_: &Operator) -> Self {
        Self(())
    }
}

impl From<&Granted<ReadPrintRuns>> for Planner {
    fn from(_: &Granted<ReadPrintRuns>) -> Self {
        Self(())
    }
}

impl From<&Granted<AnnouncePrintRuns>> for Planner {
    fn from(_: &Granted<AnnouncePrintRuns>) -> Self {
        Self(())
    }
}

macro_rules! permissions {
    ($($(#[$meta:meta])* $name:ident: $role:ident, $scope:expr, $confirm:ident $(, $while_due:literal)?;)+) => {
        $(
            $(#[$meta])*
            #[derive(Debug)]
            pub struct $name;

            impl Permission for $name {
                const NAME: &'static str = stringify!($name);
                const ROLE: Role = Role::$role;
                const SCOPE: Option<Scope> = $scope;
                const CONFIRM: Confirm = Confirm::$confirm;
                $(const OPEN_WHILE_DUE: bool = $while_due;)?
            }
        )+

        /// Names of all permissions with which something is written.
        pub fn that_write() -> Vec<&'static str> {
            let all = [$((stringify!($name), $name::CONFIRM)),+];
            all.into_iter().filter(|(_, confirm)| *confirm != Confirm::Never).map(|(name, _)| name).collect()
        }
    };
}

permissions! {
    /// Read the own account, its second factor and sessions.
    ReadOwnAccount: Player, None, Never, true;
    ChangeOwnPassword: Player, None, Last, true;
    /// Switch the own second factor on and off.
    ManageOwnSecondFactor: Player, None, Last, true;
    ReplaceOwnRecoveryCodes: Player, None, Last;
    EndOwnSessions: Player, None, First, true;
    /// Make and revoke own personal access tokens.
    ManageOwnTokens: Player, None, Last;
    /// See hidden cards that the account holds (players) or all (moderators).
    ViewCards: Player, Some(Scope::CatalogueRead), Never;
    /// Read the owner's decks.
    ReadOwnDecks: Player, Some(Scope::DecksRead), Never;
    /// Create, change and delete the owner's decks.
    WriteOwnDecks: Player, Some(Scope::DecksWrite), Last;
    /// Comment on decks, like and watch them and follow authors, as the owner.
    GiveDeckFeedback: Player, Some(Scope::DecksWrite), Last;
    /// Read the owner's card designs, drafts included.
    ReadOwnDesigns: Player, Some(Scope::DesignsRead), Never;
    /// Begin, change, share, withdraw and delete the owner's card designs.
    WriteOwnDesigns: Player, Some(Scope::DesignsWrite), Last;
    /// Report designs, comments and players to moderators.
    ReportAbuse: Player, Some(Scope::DesignsWrite), Last;
    /// Comment on designs, rate them and suggest changes, as the owner.
    GiveFeedback: Player, Some(Scope::DesignsWrite), Last;
    /// Read the owner's collection, wants and haves, and who would trade.
    ReadOwnCollection: Player, Some(Scope::CollectionRead), Never;
    /// Change the owner's collection, wants and haves.
    WriteOwnCollection: Player, Some(Scope::CollectionWrite), Last;
    ReadOwnSubmissions: Player, Some(Scope::SerialsRead), Never;
    SubmitSerials: Player, Some(Scope::SerialsSubmit), Last;
    /// Read own copies and their history.
    ReadOwnCopies: Player, Some(Scope::SerialsRead), Never;
    /// Read own disputes: claims, and claims against own copies.
    ReadOwnDisputes: Player, Some(Scope::SerialsRead), Never;
    /// Say something in own disputes, withdraw own claims.
    ArgueOwnDisputes: Player, Some(Scope::SerialsSubmit), Last;
    /// Read the owner's trades, and the copies that other players show.
    ReadTrades: Player, Some(Scope::TradesRead), Never;
    /// Offer, accept and refuse trades.
    WriteTrades: Player, Some(Scope::TradesWrite), Last;
    /// Read what happens to the own account.
    ReadOwnEvents: Player, Some(Scope::EventsRead), Never;
    /// Say whether the own account is named on the leaderboard.
    ChangeOwnListing: Player, None, Last;
    /// Say who may send offers and see the own copies.
    ChangeOwnTrading: Player, None, Last;
    /// Say whom the own account wants to hear nothing of.
    ManageOwnBlocks: Player, None, Last;
    /// Say which events the own account is told.
    ChangeOwnEventSettings: Player, None, Last;
    /// Read any copy, its history and its disputes.
    OverseeCopies: Moderator, Some(Scope::AdminRead), Never;
    /// Freeze and void copies, decide disputes.
    ModerateCopies: Moderator, Some(Scope::AdminWrite), Last;
    /// Find and read any account, and read the name that belongs to an id.
    ReadAccounts: Moderator, Some(Scope::AdminRead), Never;
    /// Read and write manifests and sets, hidden cards included.
    WriteCatalogue: Admin, Some(Scope::AdminWrite), Last;
    /// Say what unlocks hidden cards, and unlock them by hand.
    UnlockCards: Admin, Some(Scope::AdminWrite), Last;
    /// Look at submissions that wait for a moderator, and confirm or refuse them.
    ReviewSubmissions: Moderator, Some(Scope::AdminWrite), Last;
    /// See designs that were submitted, and judge them.
    ReviewDesigns: Moderator, Some(Scope::AdminWrite), Last;
    /// Read reports of abuse, and decide them.
    ModerateDesigns: Moderator, Some(Scope::AdminWrite), Last;
    /// Read what designers of cards have earned.
    ReadPerks: Admin, Some(Scope::AdminRead), Never;
    /// Give designers of cards what they have earned.
    GrantPerks: Admin, Some(Scope::AdminWrite), Last;
    /// Give roles and ban.
    ManageAccounts: Admin, Some(Scope::AdminWrite), Last;
    /// Read print runs and plan them; never codes.
    ReadPrintRuns: Admin, Some(Scope::AdminRead), Never;
    /// Announce print runs before they are printed, and reveal them afterwards.
    AnnouncePrintRuns: Admin, Some(Scope::AdminWrite), Last;
    /// Read webhooks and what became of deliveries; never secrets.
    ReadWebhooks: Admin, Some(Scope::AdminRead), Never;
    /// Make, change and try webhooks.
    ManageWebhooks: Admin, Some(Scope::AdminWrite), Last;
    ReadAuditLog: Admin, Some(Scope::AdminRead), Never;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(role: Role, scopes: Option<Vec<Scope>>) -> Identity {
        let credential = match scopes {
            None => Credential::Session(SessionId::fresh()),
            Some(scopes) => Credential::Token { id: TokenId::fresh(), scopes },
        };
        Identity {
            account: AccountId::fresh(),
            role,
            credential,
            must_change_password: false,
            second_factor_due: false,
        }
    }

    #[test]
    fn a_token_has_its_scopes_and_no_more() {
        let token = identity(Role::Admin, Some(vec![Scope::DecksRead]));
        assert!(token.grant::<ReadOwnDecks>().is_ok());
        assert_eq!(token.grant::<WriteOwnDecks>().unwrap_err(), Denied::Scope(Scope::DecksWrite));
        assert_eq!(token.grant::<ManageOwnTokens>().unwrap_err(), Denied::NeedsLogin);
        assert!(token.viewer().is_stranger(), "an admin's small token sees what a stranger sees");
    }

    #[test]
    fn a_role_has_what_it_has() {
        let player = identity(Role::Player, None);
        assert_eq!(player.grant::<ManageAccounts>().unwrap_err(), Denied::Role(Role::Admin));
        assert_eq!(player.viewer().holder(), Some(player.account));
        assert!(identity(Role::Moderator, None).viewer().sees_all());
    }

    #[test]
    fn a_password_set_by_another_must_be_changed_first() {
        let admin = Identity { must_change_password: true, ..identity(Role::Admin, None) };
        assert_eq!(admin.grant::<ManageAccounts>().unwrap_err(), Denied::PasswordChangeDue);
        assert!(admin.grant::<ChangeOwnPassword>().is_ok());
        assert!(admin.viewer().is_stranger());
    }

    #[test]
    fn a_second_factor_that_is_due_comes_first() {
        let admin = Identity { second_factor_due: true, ..identity(Role::Admin, None) };
        assert_eq!(admin.grant::<ManageAccounts>().unwrap_err(), Denied::SecondFactorDue);
        assert!(admin.grant::<ManageOwnSecondFactor>().is_ok());
        assert!(admin.grant::<ChangeOwnPassword>().is_ok());
        assert!(admin.viewer().is_stranger());
        let all = Some(Scope::ALL.to_vec());
        let token = Identity { second_factor_due: true, ..identity(Role::Admin, all) };
        assert_eq!(token.grant::<ManageAccounts>().unwrap_err(), Denied::SecondFactorDue);
        assert_eq!(token.grant::<ManageOwnSecondFactor>().unwrap_err(), Denied::NeedsLogin);
    }
}
