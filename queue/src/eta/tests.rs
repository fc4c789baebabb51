use chrono::{DateTime, TimeDelta};
use entities::JobId;
use entities::job::State;

use super::*;

fn at(millis: i64) -> Timestamp {
    DateTime::from_timestamp_millis(1_800_000_000_000 + millis).unwrap()
}

fn job(class: Class, state: State, done: i64, total: i64) -> Model {
    Model {
        job_id: JobId(uuid::Uuid::nil()),
        guild_id: None,
        parent_id: None,
        kind: "bulk".into(),
        class,
        args: json!({}),
        state,
        attempt: 1,
        max_attempts: 8,
        crashes: 0,
        token: 1,
        worker: None,
        run_at: at(0),
        reply_to: None,
        dedupe_key: None,
        progress_done: done,
        progress_total: total,
        progress_failed: 0,
        checkpoint: None,
        saves: 0,
        cancel_requested: false,
        result: None,
        error: None,
        actor_id: None,
        key_id: None,
        request_id: None,
        traceparent: None,
        created_at: at(0),
        started_at: Some(at(0)),
        finished_at: None,
        errors: None,
        progress_at: None,
    }
}

fn bulk(done: i64, total: i64, since: i64, base: i64) -> Model {
    Model { checkpoint: Some(begun(at(since), base)), ..job(Class::Bulk, State::Waiting, done, total) }
}

#[test]
fn it_goes_by_the_speed_of_writing_and_counts_down_between_two_notes() {
    let noted = Model { progress_at: Some(at(15_000)), ..bulk(850, 1_000, 10_000, 800) };
    assert_eq!(eta(&noted, at(15_000)), Some(Duration::from_secs(15)));
    assert_eq!(eta(&noted, at(15_700)), Some(Duration::from_millis(14_300)));
    assert_eq!(eta(&noted, at(99_000)), Some(Duration::ZERO));
}

#[test]
fn nobody_knows_before_the_first_step_while_planning_and_at_the_end() {
    let now = at(20_000);
    let noted = |job: Model| Model { progress_at: Some(at(15_000)), ..job };
    assert_eq!(eta(&noted(bulk(800, 1_000, 10_000, 800)), now), None, "no write yet");
    assert_eq!(eta(&bulk(850, 1_000, 10_000, 800), now), None, "never noted");
    let few = Model { progress_at: Some(at(10_200)), ..bulk(809, 1_000, 10_000, 800) };
    assert_eq!(eta(&few, now), None, "nine of two hundred in a fifth of a second say nothing");
    assert_eq!(eta(&noted(job(Class::Bulk, State::Running, 250, 1_000)), now), None, "planning");
    assert_eq!(eta(&noted(job(Class::Default, State::Succeeded, 9, 9)), now), None, "over");
    let import = noted(job(Class::Default, State::Running, 250, 1_000));
    assert_eq!(eta(&import, now), Some(Duration::from_secs(40)), "45 s for the rest, 5 s of them gone");
}

/// A simulated bulk job: two chunks of at most 200 steps at a time share the pace of `rate` steps a second. Each
/// writes its progress after 50 steps or 250 ms, and starts `pause` ms after the previous one.
struct Run {
    planned: i64,
    rate: i64,
    pause: i64,
}

#[derive(Default)]
struct Chunk {
    left: i64,
    starts: i64,
    unnoted: i64,
    noted_at: i64,
}

impl Run {
    fn chunk(&self, pool: &mut i64, now: i64) -> Chunk {
        let left = 200.min(*pool);
        *pool -= left;
        let starts = now + self.pause * 1_000;
        Chunk { left, starts, unnoted: 0, noted_at: starts }
    }

    /// The progress updates as `(milliseconds, steps since the chunk's last one)`, in order.
    fn notes(&self) -> Vec<(i64, i64)> {
        let (mut pool, mut now, mut notes) = (self.planned, 0, Vec::new());
        let mut chunks = [self.chunk(&mut pool, 0), self.chunk(&mut pool, 0)];
        for turn in 0.. {
            let first_start = chunks.iter().filter(|chunk| chunk.left > 0).map(|chunk| chunk.starts).min();
            let Some(first_start) = first_start else { break };
            now = now.max(first_start);
            let ready = |index: &usize| chunks[*index].left > 0 && chunks[*index].starts <= now;
            let Some(index) = [turn % 2, (turn + 1) % 2].into_iter().find(ready) else { continue };
            now += 1_000_000 / self.rate;
            let chunk = &mut chunks[index];
            (chunk.left, chunk.unnoted) = (chunk.left - 1, chunk.unnoted + 1);
            if chunk.unnoted == 50 || now - chunk.noted_at >= 250_000 || chunk.left == 0 {
                notes.push((now / 1_000, chunk.unnoted));
                (chunk.unnoted, chunk.noted_at) = (0, now);
            }
            if chunk.left == 0 {
                chunks[index] = self.chunk(&mut pool, now);
            }
        }
        notes
    }

    /// The estimate's worst error as a part of the time left, from the first tenth to the last, sampled every 100 ms.
    fn worst(&self) -> f64 {
        let (since, base) = (7_345, 400);
        let notes = self.notes();
        let end = notes.last().unwrap().0;
        let mut row = bulk(base, base + self.planned, since, base);
        let (mut next, mut worst) = (notes.iter().peekable(), 0.0_f64);
        for now in (0..end * 9 / 10).step_by(100) {
            while let Some((at_ms, steps)) = next.next_if(|(at_ms, _)| *at_ms <= now) {
                row.progress_done += steps;
                row.progress_at = Some(at(since + at_ms));
            }
            if (row.progress_done - base) * 10 < self.planned {
                continue;
            }
            let told = eta(&row, at(since) + TimeDelta::milliseconds(now)).unwrap().as_secs_f64();
            #[expect(clippy::cast_precision_loss, reason = "milliseconds of minutes")]
            let left = (end - now) as f64 / 1_000.0;
            worst = worst.max((told - left).abs() / left);
        }
        worst
    }
}

#[test]
fn it_is_right_within_a_fifth_from_the_first_tenth_on() {
    let runs = [
        (120, 45, 20),
        (250, 45, 20),
        (600, 45, 20),
        (2_000, 45, 300),
        (5_000, 200, 50),
        (100_000, 45, 20),
        (100_000, 500, 5),
    ];
    for (planned, rate, pause) in runs {
        let worst = Run { planned, rate, pause }.worst();
        println!(
            "{planned} steps at {rate}/s, {pause} ms between chunks: off by {:.1} % at most",
            worst * 100.0
        );
        assert!(worst <= 0.2, "{planned} at {rate}/s: {worst}");
    }
}
