//! Rows by a number, such as an account: a look-up reads one or two places in memory, however many rows there
//! are.

/// On average.
const ROWS_A_BUCKET: usize = 4;

pub(crate) trait Numbered {
    fn number(&self) -> i64;
}

pub(crate) struct ByNumber<T> {
    /// Bucket by bucket.
    rows: Box<[T]>,
    /// Where each bucket begins, and where the last one ends.
    begins: Box<[u32]>,
}

impl<T: Numbered> ByNumber<T> {
    pub(crate) fn new(mut rows: Vec<T>) -> Self {
        let buckets = rows.len().div_ceil(ROWS_A_BUCKET).max(1);
        rows.sort_unstable_by_key(|row| bucket(row.number(), buckets));
        let mut begins = vec![0; buckets + 1];
        for row in &rows {
            begins[bucket(row.number(), buckets) + 1] += 1;
        }
        for at in 1..begins.len() {
            begins[at] += begins[at - 1];
        }
        Self { rows: rows.into(), begins: begins.into() }
    }

    /// All rows with the number.
    pub(crate) fn find(&self, number: i64) -> impl Iterator<Item = &T> {
        let bucket = bucket(number, self.begins.len() - 1);
        let rows = self.begins[bucket] as usize..self.begins[bucket + 1] as usize;
        self.rows[rows].iter().filter(move |row| row.number() == number)
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.rows) + size_of_val(&*self.begins)
    }
}

/// Ids count up and have gaps: mixed they fill all buckets alike.
#[expect(clippy::cast_possible_truncation, reason = "below the number of buckets")]
fn bucket(number: i64, buckets: usize) -> usize {
    let mut mixed = number.cast_unsigned();
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    ((u128::from(mixed) * buckets as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Numbered for (i64, u32) {
        fn number(&self) -> i64 {
            self.0
        }
    }

    #[test]
    fn every_row_is_found_by_its_number() {
        for count in [0, 1, 3, 4, 5, 1_000] {
            let numbers =
                (1..=count).flat_map(|number| [number, -number, 1_000_000_000_000_000_000 + number]);
            let rows = ByNumber::new(numbers.flat_map(|number| [(number, 1), (number, 2)]).collect());
            for number in [1, count, -count, 1_000_000_000_000_000_000 + count] {
                let mut found: Vec<_> = rows.find(number).copied().collect();
                found.sort_unstable();
                let expected = [(number, 1), (number, 2)];
                assert_eq!(found, if count == 0 { &[][..] } else { &expected[..] }, "{number} of {count}");
            }
            assert_eq!(rows.find(count + 1).count(), 0);
            assert!(rows.bytes() >= rows.len() * size_of::<(i64, u32)>());
        }
    }

    #[test]
    fn ids_that_count_up_fill_the_buckets_alike() {
        for step in [1, 2, 1_000, 1 << 22] {
            let rows = ByNumber::new((0..40_000).map(|n| (10_000 + n * step, 0)).collect());
            let fullest = rows.begins.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
            assert!(fullest < 24, "{fullest} of ids {step} apart");
        }
    }
}
