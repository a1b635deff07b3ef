internal import RxHost
internal import RxJSON

/// What an engine is to do, in its turn.
enum EngineRequest: Sendable {
    case action(DispatchProgress)
    case element(rule: Int, RawJSON, DispatchProgress)
    case failure(rule: Int, RawJSON, DispatchProgress)
    /// What an execution told is reduced by now. A fault, if its failure becomes no mutation.
    case executionEnded(ReactorFault?, DispatchProgress)
    case merged(Int, RawJSON)
    /// The state of what it merges; nil until its turn comes, for then there may be a newer one in the mailbox.
    case state(merge: Int, RawJSON?)
    /// The action is a mutation, and only that.
    case replay(DispatchProgress)
    case stop(@Sendable () -> Void)

    /// Whether it came from a stream that does not wait for us.
    var isElement: Bool {
        switch self {
        case .element, .merged: true
        case .action, .failure, .executionEnded, .state, .replay, .stop: false
        }
    }
}

/// One dispatched action until everything that it began has ended.
// Unchecked: used by the engine's thread alone.
final class DispatchProgress: @unchecked Sendable {
    let input: ReactorInput
    private let completion: @Sendable (ReactorFault?) -> Void
    /// The action itself, and its executions.
    private var unfinished = 1
    private var fault: ReactorFault?

    init(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) {
        self.input = input
        self.completion = completion
    }

    var isFinished: Bool { unfinished == 0 }

    func begin() { unfinished += 1 }

    func note(_ new: ReactorFault) { fault = fault ?? new }

    func finishPart() {
        unfinished -= 1
        if unfinished == 0 { completion(fault) }
    }

    /// Whatever is not finished.
    func abandon(_ fault: ReactorFault) {
        guard unfinished > 0 else { return }
        unfinished = 0
        completion(self.fault ?? fault)
    }
}
