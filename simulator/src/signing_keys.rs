//! The keys that sign ID tokens of the game platform (ES256), and the forms of a token that others could send.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::error::Unspecified;
use ring::hmac;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};

use crate::flaw::Flaw;

/// Of a coordinate of a point of P-256.
const COORDINATE: usize = 32;

/// Nothing is generated before somebody needs a key.
#[derive(Default)]
pub(crate) struct SigningKeys {
    /// The last one signs; all are published.
    keys: Vec<SigningKey>,
    generated: u32,
}

struct SigningKey {
    id: String,
    pair: EcdsaKeyPair,
}

impl SigningKeys {
    /// A new key signs from now on. The others stay published, unless they are withdrawn.
    pub(crate) fn rotate(&mut self, withdraw: bool) -> Result<(), Unspecified> {
        self.current()?;
        let key = self.generate()?;
        if withdraw {
            self.keys.clear();
        }
        self.keys.push(key);
        Ok(())
    }

    /// The set of public keys (RFC 7517).
    pub(crate) fn published(&mut self) -> Result<Value, Unspecified> {
        self.current()?;
        Ok(json!({ "keys": self.keys.iter().map(SigningKey::published).collect::<Vec<_>>() }))
    }

    /// A token with these claims, as a flaw has it.
    pub(crate) fn sign(&mut self, claims: &Value, flaw: Option<Flaw>) -> Result<String, Unspecified> {
        self.current()?;
        let stranger = match flaw {
            Some(Flaw::UnknownKey | Flaw::WrongSignature) => Some(self.generate()?),
            _ => None,
        };
        let current = self.keys.last().ok_or(Unspecified)?;
        let signer = stranger.as_ref().unwrap_or(current);
        let id = if flaw == Some(Flaw::UnknownKey) { &signer.id } else { &current.id };
        let algorithm = match flaw {
            Some(Flaw::Unsigned) => "none",
            Some(Flaw::Hs256) => "HS256",
            _ => "ES256",
        };
        let header = json!({ "alg": algorithm, "kid": id, "typ": "JWT" });
        let signed = format!("{}.{}", encoded(header.to_string()), encoded(claims.to_string()));
        let signature = match algorithm {
            "none" => Vec::new(),
            "HS256" => {
                let key = hmac::Key::new(hmac::HMAC_SHA256, signer.pair.public_key().as_ref());
                hmac::sign(&key, signed.as_bytes()).as_ref().to_vec()
            }
            _ => signer.pair.sign(&SystemRandom::new(), signed.as_bytes())?.as_ref().to_vec(),
        };
        Ok(format!("{signed}.{}", encoded(signature)))
    }

    fn current(&mut self) -> Result<(), Unspecified> {
        if self.keys.is_empty() {
            let key = self.generate()?;
            self.keys.push(key);
        }
        Ok(())
    }

    fn generate(&mut self) -> Result<SigningKey, Unspecified> {
        let random = SystemRandom::new();
        let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random)?;
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, key.as_ref(), &random);
        self.generated += 1;
        Ok(SigningKey { id: format!("key-{}", self.generated), pair: pair.map_err(|_| Unspecified)? })
    }
}

impl SigningKey {
    fn published(&self) -> Value {
        // A byte for the form of the point, then both coordinates.
        let point = self.pair.public_key().as_ref();
        let (x, y) = point.split_at(1).1.split_at(COORDINATE);
        json!({ "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": self.id,
                "x": encoded(x), "y": encoded(y) })
    }
}

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}
