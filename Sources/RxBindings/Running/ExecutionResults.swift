internal import Rx
internal import RxHost
internal import RxJSON
internal import RxStreams

/// Passes what comes of an execution to the step that has requested it, in turns of its stream.
///
/// Of a step that takes the last element only, no more than that is kept. For others, elements wait in the inbox of the
/// stream, within its limits.
final class ExecutionResults: Sendable {
    private let step: String
    private let isLastOnly: Bool
    private let turns: StreamTurns
    private let output: StreamOutput
    private let observer: AnyObserver<RawJSON>
    private let last = Locked<RawJSON?>(nil)

    init(
        of execution: StepExecution, _ turns: StreamTurns, _ output: StreamOutput, _ observer: AnyObserver<RawJSON>
    ) {
        step = execution.step
        isLastOnly = execution.isLastOnly
        self.turns = turns
        self.output = output
        self.observer = observer
    }

    /// Takes an event of the execution. Any thread, one call at a time.
    func take(_ event: ExecutionEvent) {
        switch event {
        case .lost(let count): if !isLastOnly { output.lose(count, step: step) }
        case .element(let value): take(value)
        case .ended(let error):
            let last = last.withLock { $0 }
            turns.perform { [observer] in
                if let error { return observer.onError(StepFailure(error)) }
                if let last { observer.onNext(last) }
                observer.onCompleted()
            }
        }
    }

    private func take(_ value: RawJSON) {
        guard !isLastOnly else { return last.withLock { $0 = value } }
        let result = Inbox.Result(size: value.utf8.count + 64, step: step) { [observer] in observer.onNext(value) }
        for (step, count) in turns.receive(result) { output.lose(count, step: step) }
    }
}
