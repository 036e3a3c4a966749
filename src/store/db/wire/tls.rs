//! TLS to the server. Client and server negotiate it before the protocol begins ("SSLRequest").

use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore,
    SignatureScheme, crypto,
};

use super::address::{Address, Security};
use super::pulse::Pulse;
use super::socket::Link;
use super::watched::Watched;
use crate::store::db::health::Health;

/// The request for TLS: the length of the message, and a number that is not a protocol version.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// Whether the server supports TLS; its next bytes are then those of the handshake.
pub(super) async fn offered(link: &mut Link) -> io::Result<bool> {
    link.write_all(&SSL_REQUEST).await?;
    let mut answer = [0];
    link.read_exact(&mut answer).await?;
    match answer {
        [b'S'] => Ok(true),
        [b'N'] => Ok(false),
        _ => Err(io::Error::other("the server does not know what TLS is")),
    }
}

/// Creates the TLS layer of a connection, with a watched stream above it.
pub(super) struct Tls {
    pub name: String,
    pub config: Arc<ClientConfig>,
    pub pulse: Arc<Pulse>,
    pub health: Arc<Health>,
}

impl TlsConnect<Link> for Tls {
    type Stream = Watched<<MakeRustlsConnect as MakeTlsConnect<Link>>::Stream>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Stream>> + Send>>;

    fn connect(self, link: Link) -> Self::Future {
        Box::pin(async move {
            let mut maker = MakeRustlsConnect::new((*self.config).clone());
            let connector = <MakeRustlsConnect as MakeTlsConnect<Link>>::make_tls_connect(
                &mut maker, &self.name,
            );
            let stream = connector.map_err(io::Error::other)?.connect(link).await;
            Ok(Watched::new(stream.map_err(io::Error::other)?, self.pulse, self.health))
        })
    }
}

/// How to verify the server's certificate.
pub(super) fn config(address: &Address) -> io::Result<Arc<ClientConfig>> {
    let provider = Arc::new(crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    let chain = match address.security {
        Security::VerifyCa | Security::VerifyFull => {
            let roots = Arc::new(roots(address.authorities.as_deref())?);
            let chain = WebPkiServerVerifier::builder_with_provider(roots, provider.clone());
            Some(chain.build().map_err(io::Error::other)?)
        }
        Security::Disable | Security::Prefer | Security::Require => None,
    };
    let check = Check { chain, host: address.security == Security::VerifyFull, provider };
    let config = builder.dangerous().with_custom_certificate_verifier(Arc::new(check));
    Ok(Arc::new(config.with_no_client_auth()))
}

/// The authorities in a file, or those that the machine trusts.
fn roots(file: Option<&Path>) -> io::Result<RootCertStore> {
    let certificates: Vec<CertificateDer<'static>> = match file {
        None => rustls_native_certs::load_native_certs().certs,
        Some(file) => {
            let unreadable = |error| {
                io::Error::other(format!(
                    "cannot read the certificates in {}: {error}",
                    file.display()
                ))
            };
            let read = CertificateDer::pem_file_iter(file).map_err(unreadable)?;
            read.collect::<Result<_, _>>().map_err(unreadable)?
        }
    };
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(certificates);
    if roots.is_empty() {
        let place = file.map_or("on this machine".into(), |file| format!("in {}", file.display()));
        return Err(io::Error::other(format!("there is no certificate of an authority {place}")));
    }
    Ok(roots)
}

/// Verifies a certificate as far as `sslmode` requires.
#[derive(Debug)]
struct Check {
    /// Verifies the chain of the certificate; `None`: not required.
    chain: Option<Arc<WebPkiServerVerifier>>,
    /// Whether the certificate must contain the requested host name.
    host: bool,
    provider: Arc<crypto::CryptoProvider>,
}

impl ServerCertVerifier for Check {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        let checked =
            chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match checked {
            // The name is verified last, so everything else is valid.
            Err(TlsError::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.host => Ok(ServerCertVerified::assertion()),
            checked => checked,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        crypto::verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        crypto::verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
