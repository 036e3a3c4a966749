//! Permissions as proof: every function that changes or reveals protected data takes a [`Granted`], and only
//! [`Identity::grant`] creates one. A handler without a permission check does not compile.

use std::marker::PhantomData;
use std::ops::Deref;

use crate::domain::ids::{AccountId, SessionId, TokenId};

/// The role of an account. Each role includes the permissions of the roles before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Submits serial codes, manages decks.
    Player,
    /// Sees hidden cards, settles disputes.
    Moderator,
    /// Imports sets, plans print runs, changes roles.
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

    /// The role with that name.
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
    /// Submit serial codes, and add statements to the resulting disputes.
    SerialsSubmit,
    /// Read the owner's trades, and the copies that others show.
    TradesRead,
    /// Offer, accept and refuse trades.
    TradesWrite,
    /// Read the events of the account about its submissions, copies, trades and disputes.
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

    /// The scope with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }
}

/// The credential that a client presented.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credential {
    /// A session that began with a log-in by password.
    Session(SessionId),
    /// A personal access token with these scopes.
    Token {
        id: TokenId,
        /// The scopes of the token.
        scopes: Vec<Scope>,
    },
}

/// A caller whose credential was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub account: AccountId,
    /// The role of the account.
    pub role: Role,
    /// The credential that was checked.
    pub credential: Credential,
    /// The password was set by somebody else: only changing the password is allowed.
    pub must_change_password: bool,
    /// The role requires a second factor and the account has none: only switching one on is allowed.
    pub second_factor_due: bool,
}

pub trait Permission {
    /// The name, for messages and the permission matrix.
    const NAME: &'static str;
    /// The lowest role that has the permission.
    const ROLE: Role;
    /// The scope that a personal access token needs; `None`: the permission needs a log-in, and no token is accepted.
    const SCOPE: Option<Scope>;
    /// When the credential is checked again in a transaction that writes.
    const CONFIRM: Confirm;
    /// Whether the permission is granted even while the password must be changed or a second factor must be switched on first.
    const OPEN_WHILE_DUE: bool = false;
}

/// When the credential behind a permission is checked again. The first check, at the beginning of the request, may use a cached identity
/// that is up to two seconds old.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirm {
    /// Never: the permission allows only reading.
    Never,
    /// In the transaction that writes, as its last statement: the written data does not depend on the credential. The row of the credential is then
    /// locked only during the commit, so a long transaction does not delay its revocation.
    Last,
    /// In the transaction that writes, as its first statement: the transaction may itself end the credential.
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

/// Proof that the caller has permission `P`. Outside this module, only [`Identity::grant`] creates it.
#[derive(Debug)]
pub struct Granted<P> {
    account: AccountId,
    role: Role,
    credential: Credential,
    permission: PhantomData<P>,
}

/// A permission inside a transaction that commits only if the credential is still valid and its account is not banned and has the role. Functions
/// that write demand it. Only `Store::transaction_by` creates it; a test enforces this.
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
    /// The account that has the permission.
    pub fn account(&self) -> AccountId {
        self.account
    }

    /// The role of the account.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The credential of the caller.
    pub fn credential(&self) -> &Credential {
        &self.credential
    }
}

impl Identity {
    /// Grants permission `P`, or returns why it is denied.
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

    /// The viewer for this identity. A token without the scope sees only what an anonymous client sees.
    pub fn viewer(&self) -> Viewer {
        match self.grant::<ViewCards>() {
            Err(_) => Viewer::stranger(),
            Ok(_) if self.role >= Role::Moderator => Viewer(ViewerAccess::ModeratorAccess),
            Ok(granted) => Viewer(ViewerAccess::Holder(granted.account)),
        }
    }
}

/// The viewer of cards, which decides what hidden content is filtered out. `card_content` demands one; only an [`Identity`] creates a viewer that
/// sees more than an anonymous client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Viewer(ViewerAccess);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ViewerAccess {
    Stranger,
    Holder(AccountId),
    ModeratorAccess,
}

impl Viewer {
    /// The viewer for anonymous clients, who see only open cards.
    pub fn stranger() -> Self {
        Self(ViewerAccess::Stranger)
    }

    /// Whether the viewer sees every card, hidden or not.
    pub fn sees_all(self) -> bool {
        self.0 == ViewerAccess::ModeratorAccess
    }

    /// The account whose hidden cards the viewer sees: those of which it holds a registered copy.
    pub fn holder(self) -> Option<AccountId> {
        match self.0 {
            ViewerAccess::Holder(account) => Some(account),
            ViewerAccess::Stranger | ViewerAccess::ModeratorAccess => None,
        }
    }

    /// Whether the viewer sees exactly what an anonymous client sees, so that shared caches may store responses.
    pub fn is_stranger(self) -> bool {
        self.0 == ViewerAccess::Stranger
    }
}

/// Proof that a command of the command line runs on the machine itself. An operator who can run commands has access to the database anyway.
#[derive(Debug)]
pub struct Operator(());

impl Operator {
    /// For `cli` only; a test enforces this.
    pub fn at_the_machine() -> Self {
        Self(())
    }
}

/// Proof that the caller may write the catalogue, including hidden cards: an admin, or the operator at the machine.
#[derive(Debug)]
pub struct Importer(Option<AccountId>);

impl Importer {
    /// The account of the admin; `None`: the operator at the machine.
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

/// An account that may write the catalogue may see all of it.
impl From<&Granted<WriteCatalogue>> for Viewer {
    fn from(_: &Granted<WriteCatalogue>) -> Self {
        Self(ViewerAccess::ModeratorAccess)
    }
}

/// Proof that the caller may see what a print run of a set would contain: an admin, or the operator at the machine.
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

        /// Names of all permissions that allow writing.
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
    /// Create and revoke own personal access tokens.
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
    /// Add statements to own disputes, withdraw own claims.
    ArgueOwnDisputes: Player, Some(Scope::SerialsSubmit), Last;
    /// Read the owner's trades, and the copies that other players show.
    ReadTrades: Player, Some(Scope::TradesRead), Never;
    /// Offer, accept and refuse trades.
    WriteTrades: Player, Some(Scope::TradesWrite), Last;
    /// Read the events of the own account.
    ReadOwnEvents: Player, Some(Scope::EventsRead), Never;
    /// Set whether the own account is named on the leaderboard.
    ChangeOwnListing: Player, None, Last;
    /// Set who may send offers and see the own copies.
    ChangeOwnTrading: Player, None, Last;
    /// Block accounts and remove blocks.
    ManageOwnBlocks: Player, None, Last;
    /// Set which events the own account receives.
    ChangeOwnEventSettings: Player, None, Last;
    /// Read any copy, its history and its disputes.
    OverseeCopies: Moderator, Some(Scope::AdminRead), Never;
    /// Freeze and void copies, decide disputes.
    ModerateCopies: Moderator, Some(Scope::AdminWrite), Last;
    /// Find and read any account, and read the name that belongs to an id.
    ReadAccounts: Moderator, Some(Scope::AdminRead), Never;
    /// Read and write manifests and sets, hidden cards included.
    WriteCatalogue: Admin, Some(Scope::AdminWrite), Last;
    /// Set the unlock policies of hidden cards, and unlock cards by hand.
    UnlockCards: Admin, Some(Scope::AdminWrite), Last;
    /// Read submissions that wait for a moderator, and confirm or refuse them.
    ReviewSubmissions: Moderator, Some(Scope::AdminWrite), Last;
    /// Read submitted designs, and decide their reviews.
    ReviewDesigns: Moderator, Some(Scope::AdminWrite), Last;
    /// Read reports of abuse, and decide them.
    ModerateDesigns: Moderator, Some(Scope::AdminWrite), Last;
    /// Read the perks that designers of cards have earned.
    ReadPerks: Admin, Some(Scope::AdminRead), Never;
    /// Grant the perks that designers of cards have earned.
    GrantPerks: Admin, Some(Scope::AdminWrite), Last;
    /// Change the roles of accounts, ban accounts and lift bans.
    ManageAccounts: Admin, Some(Scope::AdminWrite), Last;
    /// Read print runs and plan them; never codes.
    ReadPrintRuns: Admin, Some(Scope::AdminRead), Never;
    /// Announce print runs before they are printed, and reveal them afterwards.
    AnnouncePrintRuns: Admin, Some(Scope::AdminWrite), Last;
    /// Read webhooks and the results of deliveries; never secrets.
    ReadWebhooks: Admin, Some(Scope::AdminRead), Never;
    /// Create, change and test webhooks.
    ManageWebhooks: Admin, Some(Scope::AdminWrite), Last;
    ReadAuditLog: Admin, Some(Scope::AdminRead), Never;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(role: Role, scopes: Option<Vec<Scope>>) -> Identity {
        let credential = match scopes {
            None => Credential::Session(SessionId::generate()),
            Some(scopes) => Credential::Token { id: TokenId::generate(), scopes },
        };
        Identity {
            account: AccountId::generate(),
            role,
            credential,
            must_change_password: false,
            second_factor_due: false,
        }
    }

    #[test]
    fn a_token_has_only_its_scopes() {
        let token = identity(Role::Admin, Some(vec![Scope::DecksRead]));
        assert!(token.grant::<ReadOwnDecks>().is_ok());
        assert_eq!(token.grant::<WriteOwnDecks>().unwrap_err(), Denied::Scope(Scope::DecksWrite));
        assert_eq!(token.grant::<ManageOwnTokens>().unwrap_err(), Denied::NeedsLogin);
        assert!(token.viewer().is_stranger(), "without the scope, a token sees no hidden card");
    }

    #[test]
    fn a_role_has_only_its_permissions() {
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
    fn a_required_second_factor_must_be_set_up_first() {
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
