//! The collector of traces.

use clap::Args;
use http::{HeaderMap, HeaderName, HeaderValue, Uri};
use percent_encoding::percent_decode_str;

use super::plain::is_plain;
use crate::error::StartError;
use crate::secret::{Secret, either, secret_file};
use crate::settings::{OTLP_ENDPOINT, OTLP_HEADERS};

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Traces")]
pub struct OtlpArgs {
    /// Base URL of a collector that takes traces by OTLP over HTTP, such as `http://collector:4318`; `/v1/traces` is
    /// appended [default: no traces]
    #[arg(long, env = OTLP_ENDPOINT, value_name = "URL")]
    pub otlp_endpoint: Option<String>,
    /// File with the headers for the collector that `OTEL_EXPORTER_OTLP_HEADERS` holds otherwise: `name=value,name=value`
    #[arg(long, env = "OTEL_EXPORTER_OTLP_HEADERS_FILE", value_name = "FILE", value_parser = secret_file())]
    pub otlp_headers_file: Option<Secret>,
    #[arg(skip = Secret::of_variable(OTLP_HEADERS))]
    pub otlp_headers: Option<Secret>,
}

/// Where traces are sent.
#[derive(Clone, Debug)]
pub struct OtlpConfig {
    pub(crate) traces_url: String,
    pub(crate) headers: HeaderMap,
}

impl OtlpConfig {
    /// Headers, which may be credentials, would cross a network without TLS.
    pub(crate) fn is_in_clear(&self) -> bool {
        !self.headers.is_empty() && is_plain(&self.traces_url, "http")
    }
}

impl OtlpArgs {
    /// `None`: no traces.
    pub fn checked(&self) -> Result<Option<OtlpConfig>, StartError> {
        let endpoint = self.otlp_endpoint.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let Some(endpoint) = endpoint else { return Ok(None) };
        let headers = either(OTLP_HEADERS, self.otlp_headers.as_ref(), self.otlp_headers_file.as_ref())?;
        Ok(Some(OtlpConfig {
            traces_url: traces_url(endpoint)?,
            headers: headers.map_or_else(|| Ok(HeaderMap::new()), |text| checked_headers(text.expose()))?,
        }))
    }
}

fn traces_url(endpoint: &str) -> Result<String, StartError> {
    let fits = |uri: &Uri| {
        let authority = uri.authority().map(http::uri::Authority::as_str);
        matches!(uri.scheme_str(), Some("http" | "https"))
            && authority.is_some_and(|authority| !authority.starts_with(':') && !authority.contains('@'))
            && uri.query().is_none()
    };
    if !endpoint.contains('#') && endpoint.parse().is_ok_and(|uri| fits(&uri)) {
        return Ok(format!("{}/v1/traces", endpoint.trim_end_matches('/')));
    }
    let problem = "is not the base URL of a collector; the form is http://collector:4318, without credentials or a query";
    Err(StartError::setting(OTLP_ENDPOINT, problem))
}

/// As the OTLP standard writes them: `name=value` with commas between, values percent-encoded.
fn checked_headers(text: &str) -> Result<HeaderMap, StartError> {
    let header = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        let mut value = HeaderValue::try_from(&*value).ok()?;
        value.set_sensitive(true);
        Some((HeaderName::try_from(name.trim()).ok()?, value))
    };
    let pairs = text.split(',').map(str::trim).filter(|pair| !pair.is_empty());
    let headers = pairs.map(header).collect::<Option<HeaderMap>>();
    headers.ok_or_else(|| {
        StartError::setting(OTLP_HEADERS, "is not a list of headers: give name=value,name=value")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(endpoint: &str, headers: Option<&str>, file: Option<&str>) -> OtlpArgs {
        OtlpArgs {
            otlp_endpoint: Some(endpoint.to_owned()),
            otlp_headers: headers.map(Secret::from),
            otlp_headers_file: file.map(Secret::from),
        }
    }

    #[test]
    fn the_path_of_traces_is_appended_to_the_base() {
        for (base, url) in [
            ("http://collector:4318", "http://collector:4318/v1/traces"),
            (" https://otlp.example.org/tenant/ ", "https://otlp.example.org/tenant/v1/traces"),
            ("http://[::1]:4318/", "http://[::1]:4318/v1/traces"),
        ] {
            assert_eq!(args(base, None, None).checked().unwrap().unwrap().traces_url, url);
        }
        assert!(args(" ", Some("x"), None).checked().unwrap().is_none(), "unset");
    }

    #[test]
    fn an_endpoint_that_is_none_is_an_error_that_names_the_setting() {
        let bad = [
            "collector:4318",
            "grpc://collector:4317",
            "http://",
            "http://:4318",
            "http://a b",
            "/v1/traces",
        ];
        for bad in bad.into_iter().chain(["http://user:word@collector", "http://c/?key=1", "http://c/#x"]) {
            let error = args(bad, None, None).checked().unwrap_err().to_string();
            assert!(error.starts_with(OTLP_ENDPOINT), "{bad}: {error}");
            assert!(!error.contains("word"), "{error}");
        }
    }

    #[test]
    fn headers_to_another_machine_need_tls() {
        for (base, headers, is_in_clear) in [
            ("http://collector:4318", Some("a=b"), true),
            ("http://collector:4318", None, false),
            ("http://127.0.0.1:4318", Some("a=b"), false),
            ("https://collector:4318", Some("a=b"), false),
        ] {
            let checked = args(base, headers, None).checked().unwrap().unwrap();
            assert_eq!(checked.is_in_clear(), is_in_clear, "{base} {headers:?}");
        }
    }

    #[test]
    fn headers_are_read_as_the_standard_writes_them() {
        let of = |text: Option<&str>, file: Option<&str>| args("http://collector", text, file).checked();
        for both in [
            of(Some("authorization=Basic%20eA==, x-tenant = guild ,"), None),
            of(None, Some("authorization=Basic%20eA%3D%3D,x-tenant=guild")),
        ] {
            let headers = both.unwrap().unwrap().headers;
            assert_eq!(
                (&headers["authorization"], &headers["x-tenant"]),
                (&HeaderValue::from_static("Basic eA=="), &HeaderValue::from_static("guild"))
            );
            assert!(!format!("{headers:?}").contains("eA"));
        }
        for bad in ["authorization", "a b=c", "a=%0a"] {
            let error = of(Some(bad), None).unwrap_err().to_string();
            assert!(error.starts_with(OTLP_HEADERS), "{bad}: {error}");
        }
        assert!(of(Some("a=b"), Some("a=b")).is_err(), "set in two ways");
    }
}
