internal import RxJSON
internal import RxStreams

/// What the streams and bindings of a test use.
struct TestSurroundings {
    unowned let clock: TestClock
    let evaluator: any ProgramEvaluator
    /// What is wrong with an input of an action; nil if its schema accepts the input.
    let inputFault: @Sendable (_ action: String, _ input: RawJSON) -> String?
    /// The actions with a mock.
    let actions: [String: MockedAction]
    let reactors: [String: RunningReactor]
}
