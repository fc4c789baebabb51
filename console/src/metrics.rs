//! The metrics of this process for a page of operators: the text of `/metrics`, parsed.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Rates are measured over this time at most, while a page is open.
const WINDOW: Duration = Duration::from_secs(60);
/// Reads that are closer together count as one.
const MIN_INTERVAL: Duration = Duration::from_secs(1);

/// The label of the status of an answer, in requests and in calls to platforms.
pub(crate) const STATUS: &str = "http_response_status_code";

/// One value with its labels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sample {
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) value: f64,
}

impl Sample {
    pub(crate) fn label(&self, name: &str) -> &str {
        self.labels.get(name).map_or("", String::as_str)
    }
}

/// The samples of one metric in a text of the Prometheus format.
pub(crate) fn samples(text: &str, metric: &str) -> Vec<Sample> {
    text.lines().filter_map(|line| sample(line.strip_prefix(metric)?)).collect()
}

/// `{a="x",b="y"} 3` or ` 3`; `None`: the name goes on, or the line is broken.
fn sample(rest: &str) -> Option<Sample> {
    let (labels, value) = match rest.strip_prefix('{') {
        Some(rest) => rest.rsplit_once("} ")?,
        None => ("", rest.strip_prefix(' ')?),
    };
    // The values of our labels contain no commas and no quotes.
    let pairs = labels.split(',').filter_map(|pair| pair.split_once('='));
    let labels = pairs.map(|(name, value)| (name.to_owned(), value.trim_matches('"').to_owned()));
    Some(Sample { labels: labels.collect(), value: value.trim().parse().ok()? })
}

/// The sums of a counter by one label.
pub(crate) fn sums(samples: &[Sample], label: &str) -> BTreeMap<String, f64> {
    let mut sums = BTreeMap::new();
    for sample in samples {
        *sums.entry(sample.label(label).to_owned()).or_default() += sample.value;
    }
    sums
}

/// Earlier reads of a counter, for rates.
#[derive(Default)]
pub(crate) struct CounterHistory(Mutex<VecDeque<(Instant, BTreeMap<String, f64>)>>);

impl CounterHistory {
    /// The growth of each sum a second since an earlier read within [`WINDOW`]; `None`: this is the first.
    pub(crate) fn rates(&self, now: Instant, sums: &BTreeMap<String, f64>) -> Option<BTreeMap<String, f64>> {
        let mut reads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while reads.front().is_some_and(|(at, _)| now.duration_since(*at) > WINDOW) {
            reads.pop_front();
        }
        let rates = reads.front().and_then(|(at, before)| {
            let seconds = now.duration_since(*at);
            let since = |name: &String| before.get(name).copied().unwrap_or_default();
            let rate =
                |(name, sum): (&String, &f64)| (name.clone(), (sum - since(name)) / seconds.as_secs_f64());
            (seconds >= MIN_INTERVAL).then(|| sums.iter().map(rate).collect())
        });
        if reads.back().is_none_or(|(at, _)| now.duration_since(*at) >= MIN_INTERVAL) {
            reads.push_back((now, sums.clone()));
        }
        rates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_one_metric_are_read_with_their_labels() {
        let text = "# TYPE a counter\na_total{route=\"GET /x/{id}\",status=\"200\"} 3\na_total{status=\"500\"} 1\na_total_more 9\nb 2.5\n";
        let found = samples(text, "a_total");
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].label("route"), found[0].value), ("GET /x/{id}", 3.0));
        assert_eq!(
            sums(&found, "status").into_iter().collect::<Vec<_>>(),
            [("200".to_owned(), 3.0), ("500".to_owned(), 1.0)]
        );
        assert_eq!(samples(text, "b"), [Sample { labels: BTreeMap::new(), value: 2.5 }]);
    }

    #[test]
    fn a_rate_needs_two_reads() {
        let (history, began) = (CounterHistory::default(), Instant::now());
        let of = |count: f64| BTreeMap::from([("200".to_owned(), count)]);
        assert_eq!(history.rates(began, &of(10.0)), None);
        assert_eq!(history.rates(began + Duration::from_secs(5), &of(60.0)), Some(of(10.0)));
        assert_eq!(
            history.rates(began + Duration::from_secs(70), &of(60.0)),
            None,
            "the earlier reads are too old"
        );
    }
}
