use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};

use super::*;

const NOW: i64 = 1_800_000_000;

struct Signer(EcdsaKeyPair);

impl Signer {
    fn new() -> Self {
        let random = SystemRandom::new();
        let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        Self(EcdsaKeyPair::from_pkcs8(algorithm, key.as_ref(), &random).unwrap())
    }

    fn public(&self) -> PublicKey {
        let (x, y) = self.0.public_key().as_ref()[1..].split_at(COORDINATE);
        PublicKey::of_coordinates(&encoded(x), &encoded(y)).unwrap()
    }

    fn sign(&self, header: &Value, claims: &str) -> String {
        let signed = format!("{}.{}", encoded(header.to_string()), encoded(claims));
        let signature = self.0.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
        format!("{signed}.{}", encoded(signature))
    }
}

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

fn header() -> Value {
    json!({ "alg": "ES256", "kid": "k", "typ": "JWT" })
}

fn claims() -> Value {
    json!({ "iss": "https://platform/oauth/", "aud": "7", "exp": NOW + 900, "nbf": NOW, "iat": NOW, "nonce": "n",
            "sub": "156", "preferred_username": "builderman", "created_at": 1_142_380_800 })
}

fn with(mut object: Value, name: &str, value: Value) -> Value {
    object[name] = value;
    object
}

fn without(mut object: Value, name: &str) -> Value {
    object.as_object_mut().unwrap().remove(name);
    object
}

fn read(token: &str, key: &PublicKey) -> Result<Claims> {
    let issuers = ["https://platform/oauth/".to_owned()];
    let now = Timestamp::from_timestamp(NOW, 0).unwrap();
    let expected = Expected { issuers: &issuers, audience: "7", nonce: "n", now };
    IdToken::read(token)?.verified(key, &expected)
}

/// The error of a token with this header and these claims, which the right key has signed.
fn refused(header: &Value, claims: &Value) -> Option<IdTokenError> {
    let signer = Signer::new();
    read(&signer.sign(header, &claims.to_string()), &signer.public()).err()
}

#[test]
fn a_valid_token_is_read() {
    let signer = Signer::new();
    let claims = read(&signer.sign(&header(), &claims().to_string()), &signer.public()).unwrap();
    let shown = (claims.sub.get(), claims.preferred_username.as_deref(), claims.created_at);
    assert_eq!(shown, (156, Some("builderman"), Some(1_142_380_800)));
    let fits = [
        with(self::claims(), "aud", json!(["7"])),
        with(self::claims(), "exp", json!(NOW - CLOCK_SKEW + 1)),
        with(self::claims(), "nbf", json!(NOW + CLOCK_SKEW)),
        without(self::claims(), "nbf"),
        without(without(self::claims(), "preferred_username"), "created_at"),
    ];
    for claims in fits {
        assert_eq!(refused(&header(), &claims), None, "{claims}");
    }
}

#[test]
fn each_wrong_claim_is_refused() {
    let cases = [
        (with(claims(), "iss", json!("https://platform/oauth")), IdTokenError::Issuer),
        (with(claims(), "iss", json!("https://platform.invalid/oauth/")), IdTokenError::Issuer),
        (with(claims(), "aud", json!("8")), IdTokenError::Audience),
        (with(claims(), "aud", json!(["7", "8"])), IdTokenError::Audience),
        (with(claims(), "aud", json!([])), IdTokenError::Audience),
        (with(claims(), "exp", json!(NOW - CLOCK_SKEW)), IdTokenError::Expired),
        (with(claims(), "nbf", json!(NOW + CLOCK_SKEW + 1)), IdTokenError::Expired),
        (with(claims(), "exp", json!(i64::MIN)), IdTokenError::Expired),
        (with(claims(), "nonce", json!("m")), IdTokenError::Nonce),
        (with(claims(), "nonce", json!("")), IdTokenError::Nonce),
        (without(claims(), "nonce"), IdTokenError::Nonce),
        (with(claims(), "sub", json!("x")), IdTokenError::Malformed),
        (with(claims(), "sub", json!("0")), IdTokenError::Malformed),
        (with(claims(), "aud", json!(7)), IdTokenError::Malformed),
    ];
    for (claims, error) in cases {
        assert_eq!(refused(&header(), &claims), Some(error), "{claims}");
    }
    for name in ["iss", "aud", "exp", "sub"] {
        assert_eq!(refused(&header(), &without(claims(), name)), Some(IdTokenError::Malformed), "{name}");
    }
}

#[test]
fn only_es256_with_a_key_id_is_read() {
    for algorithm in ["none", "None", "HS256", "RS256", "ES384", "es256", ""] {
        let header = with(header(), "alg", json!(algorithm));
        assert_eq!(refused(&header, &claims()), Some(IdTokenError::Algorithm), "{algorithm}");
    }
    assert_eq!(refused(&without(header(), "alg"), &claims()), Some(IdTokenError::Malformed));
    assert_eq!(refused(&without(header(), "kid"), &claims()), Some(IdTokenError::UnknownKey));
    assert_eq!(refused(&with(header(), "crit", json!(["b64"])), &claims()), Some(IdTokenError::Malformed));
}

#[test]
fn a_changed_token_is_refused() {
    let (signer, other) = (Signer::new(), Signer::new());
    let (key, token) = (signer.public(), signer.sign(&header(), &claims().to_string()));
    assert_eq!(read(&token, &other.public()).err(), Some(IdTokenError::Signature));
    let parts: Vec<&str> = token.split('.').collect();
    let stranger = encoded(with(claims(), "sub", json!("157")).to_string());
    let zeros = encoded([0; 64]);
    for signature in [parts[2], "", zeros.as_str(), &parts[2][..84]] {
        let forged = format!("{}.{stranger}.{signature}", parts[0]);
        assert_eq!(read(&forged, &key).err(), Some(IdTokenError::Signature), "{signature}");
    }
    // Twice the same claim: which one counts would be a matter of taste.
    let doubled = claims().to_string().replacen('{', "{\"sub\":\"157\",", 1);
    assert_eq!(read(&signer.sign(&header(), &doubled), &key).err(), Some(IdTokenError::Malformed));
    let padded = format!("{token}==");
    for malformed in ["", ".", "..", "a.b", "a.b.c", "...", &token[1..], &padded, &format!("{token}.{token}")]
    {
        assert_eq!(read(malformed, &key).err(), Some(IdTokenError::Malformed), "{malformed}");
    }
}

#[test]
fn no_edited_token_is_accepted() {
    let signer = Signer::new();
    let (key, token) = (signer.public(), signer.sign(&header(), &claims().to_string()));
    testkit::fuzz("id token", &[token.as_bytes()], |bytes| {
        let accepted = std::str::from_utf8(bytes).is_ok_and(|text| read(text, &key).is_ok());
        assert_eq!(accepted, bytes == token.as_bytes());
        accepted
    });
}

#[test]
fn a_public_key_is_two_whole_coordinates() {
    let coordinate = encoded([1; COORDINATE]);
    assert!(PublicKey::of_coordinates(&coordinate, &coordinate).is_some());
    let (short, long) = (encoded([1; COORDINATE - 1]), encoded([1; COORDINATE + 1]));
    for (x, y) in [(&short, &long), (&long, &short), (&coordinate, &short), (&coordinate, &long)] {
        assert!(PublicKey::of_coordinates(x, y).is_none());
    }
    assert!(PublicKey::of_coordinates("", "").is_none() && PublicKey::of_coordinates("!", "!").is_none());
}

#[test]
fn the_example_of_the_standard_fits() {
    // RFC 7515, appendix A.3: the signature over other bytes than an ID token's.
    let key = PublicKey::of_coordinates(
        "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    );
    let token = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19\
                 yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let token = IdToken { signed, claims: "e30", signature, key_id: String::new() };
    let now = Timestamp::UNIX_EPOCH;
    let expected = Expected { issuers: &[], audience: "", nonce: "", now };
    // Past the signature: these claims are empty.
    assert_eq!(token.verified(&key.unwrap(), &expected).err(), Some(IdTokenError::Malformed));
}
