internal import Rx
internal import RxJSON
internal import RxStreams

/// What is outside of a stream, in a test.
// Unchecked: a test runs on one thread.
final class TestEnvironment: StreamEnvironment, @unchecked Sendable {
    private let actions: MockedActions
    private unowned let clock: TestClock
    /// Receives the failures of the stream.
    var failed: (StreamFailure) -> Void = { _ in }

    init(_ surroundings: TestSurroundings) {
        actions = surroundings.actions
        clock = surroundings.clock
    }

    func execute(_ execution: StepExecution, in context: StreamContext) -> Observable<RawJSON> {
        if let fault = actions.inputFault(execution.action, execution.input) {
            return .error(StepFailure.invalid(fault))
        }
        return Observable.create { [actions, unowned clock, weak context] output in
            guard let action = actions[execution.action] else { return Disposables.create() }
            let request = MockedRequest(execution.input) { event in
                clock.post { [unowned clock] in
                    context?.clock.advance(to: clock.now)
                    switch event {
                    case .element(let value): output.onNext(value)
                    case .success: output.onCompleted()
                    case .failure(let failure): output.onError(failure)
                    }
                }
            }
            switch action.take(request) {
            case .started, .queued, .joined: break
            case .refused(let name): output.onError(StepFailure.refusal(name))
            }
            return Disposables.create { action.cancel(request) }
        }
    }

    func report(_ failure: StreamFailure, in context: StreamContext) { failed(failure) }

    func report(lost count: Int, step: String, in context: StreamContext) {
        failed(StreamFailure(step: step, message: "\(count) elements were dropped"))
    }
}
