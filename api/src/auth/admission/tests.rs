use super::*;

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.append(*name, value.parse().unwrap());
    }
    headers
}

#[test]
fn all_three_schemes_carry_the_key() {
    for pairs in [
        [("x-api-key", "k1")].as_slice(),
        &[("authorization", "Bearer k1")],
        &[("authorization", "apikey   k1 ")],
        &[("authorization", "BEARER k1"), ("x-api-key", "k1")],
        &[("authorization", "Basic dTpw"), ("x-api-key", "k1")],
    ] {
        assert_eq!(sent_key(&headers(pairs)).unwrap(), "k1", "{pairs:?}");
    }
}

#[test]
fn errors_name_the_problem() {
    for (pairs, word) in [
        ([].as_slice(), "key_missing"),
        (&[("x-api-key", "")], "key_missing"),
        (&[("authorization", "Bearer ")], "key_malformed"),
        (&[("authorization", "Basic dTpw")], "key_malformed"),
        (&[("x-api-key", "é")], "key_malformed"),
        (&[("x-api-key", "k1"), ("authorization", "Bearer k2")], "key_ambiguous"),
        (&[("x-api-key", "k1"), ("x-api-key", "k2")], "key_ambiguous"),
    ] {
        assert_eq!(sent_key(&headers(pairs)).unwrap_err().parts().word, word, "{pairs:?}");
    }
}
