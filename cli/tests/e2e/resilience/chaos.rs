//! A short run of the chaos test; `bench::chaos` describes its checks, `bench chaos` runs the long one.

mod kills {
    use bench::chaos::{Plan, Report, run};

    fn sound(plan: &Plan) -> Report {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let report = runtime.block_on(run(plan)).unwrap();
        println!("{report}");
        assert!(report.is_sound(), "see the report");
        let counts = (report.calls.attempted, report.calls.accepted, report.verdict.finished);
        assert_eq!(counts, (plan.jobs, plan.jobs, plan.jobs));
        assert!(report.killed() >= plan.kills, "{report}");
        report
    }

    #[test]
    fn lose_and_repeat_no_job() {
        let plan = Plan::small(false);
        let report = sound(&plan);
        assert_eq!(report.faults.broker_kills, plan.broker_kills);
    }

    #[test]
    fn of_serve_lose_and_repeat_no_job() {
        sound(&Plan::small(true));
    }
}
