internal import RxStreams

/// What the streams and bindings of a test use.
struct TestSurroundings {
    unowned let clock: TestClock
    let evaluator: any ProgramEvaluator
    let actions: MockedActions
    let reactors: [String: RunningReactor]
}
