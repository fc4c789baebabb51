//! The chaos test, small: see `bench::chaos` for what is counted, and `bench chaos` for the large one.

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
    fn lose_and_double_nothing() {
        let plan = Plan::small(false);
        let report = sound(&plan);
        assert_eq!(report.faults.broker_kills, plan.broker_kills);
    }

    #[test]
    fn of_serve_lose_and_double_nothing() {
        sound(&Plan::small(true));
    }
}
