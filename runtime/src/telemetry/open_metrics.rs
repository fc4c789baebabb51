//! Metrics as `OpenMetrics` 1.0, from the Prometheus text that the recorder writes. The series are the same; the name of a
//! counter's family has no `_total`, units have lines, bounds are decimals, no line is empty, and the end is marked.

/// The units that names of families end with.
const UNITS: [&str; 2] = ["seconds", "bytes"];

pub(crate) fn open_metrics(text: &str) -> String {
    let mut translated = String::with_capacity(text.len() + text.len() / 16);
    for line in text.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("# ") {
            Some(about) => push_about(&mut translated, about),
            None => push_sample(&mut translated, line),
        }
    }
    translated + "# EOF\n"
}

/// `HELP name text` or `TYPE name type`.
fn push_about(translated: &mut String, about: &str) {
    let mut words = about.splitn(3, ' ');
    let [keyword, name, rest] = std::array::from_fn(|_| words.next().unwrap_or_default());
    let family = name.strip_suffix("_total").unwrap_or(name);
    let unit = UNITS.into_iter().find(|unit| family.ends_with(unit));
    if let ("TYPE", Some(unit)) = (keyword, unit) {
        translated.extend(["# UNIT ", family, " ", unit, "\n"]);
    }
    let rest = rest.replace('"', "\\\"");
    translated.extend(["# ", keyword, " ", family, " ", rest.as_str(), "\n"]);
}

fn push_sample(translated: &mut String, line: &str) {
    const BOUND: &str = "le=\"";
    let bound = line.find(BOUND).map(|at| at + BOUND.len());
    let end = bound.and_then(|begin| Some(begin + line[begin..].find('"')?));
    match (bound, end) {
        (Some(begin), Some(end)) if line[begin..end].bytes().all(|byte| byte.is_ascii_digit()) => {
            translated.extend([&line[..end], ".0", &line[end..], "\n"]);
        }
        _ => translated.extend([line, "\n"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A real Prometheus reads that of each process in `cli/tests/e2e/prometheus.rs`.
    #[test]
    fn families_units_and_bounds_are_written_as_the_standard_says() {
        let text = "\
# HELP a_seconds_total how \"long\"
# TYPE a_seconds_total counter
a_seconds_total 3

# TYPE b_seconds histogram
b_seconds_bucket{class=\"1\",le=\"0.5\"} 1
b_seconds_bucket{class=\"1\",le=\"60\"} 2
b_seconds_bucket{class=\"1\",le=\"+Inf\"} 2

# TYPE c gauge
c{file=\"x\"} 1.5
";
        let expected = "\
# HELP a_seconds how \\\"long\\\"
# UNIT a_seconds seconds
# TYPE a_seconds counter
a_seconds_total 3
# UNIT b_seconds seconds
# TYPE b_seconds histogram
b_seconds_bucket{class=\"1\",le=\"0.5\"} 1
b_seconds_bucket{class=\"1\",le=\"60.0\"} 2
b_seconds_bucket{class=\"1\",le=\"+Inf\"} 2
# TYPE c gauge
c{file=\"x\"} 1.5
# EOF
";
        assert_eq!(open_metrics(text), expected);
    }
}
