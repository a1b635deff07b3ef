internal import RxHost
internal import RxJSON

/// A request to an engine, processed in order.
enum EngineRequest: Sendable {
    case action(DispatchProgress)
    case element(rule: Int, RawJSON, DispatchProgress)
    case failure(rule: Int, RawJSON, DispatchProgress)
    /// An execution has ended and its elements are reduced. Carries a fault if its failure produces no mutation.
    case executionEnded(ReactorFault?, DispatchProgress)
    case merged(Int, RawJSON)
    /// The state of a merged reactor; nil until it is processed, because the mailbox may have a newer one by then.
    case state(merge: Int, RawJSON?)
    /// Reduces the action as a mutation, without rules.
    case replay(DispatchProgress)
    case stop(@Sendable () -> Void)

    /// Whether it comes from a stream without backpressure.
    var isElement: Bool {
        switch self {
        case .element, .merged: true
        case .action, .failure, .executionEnded, .state, .replay, .stop: false
        }
    }
}

// Unchecked: used only on the engine's thread.
/// One dispatched action, until everything that it started has ended.
final class DispatchProgress: @unchecked Sendable {
    let input: ReactorInput
    private let completion: @Sendable (ReactorFault?) -> Void
    /// The number of unfinished parts: the action itself and its executions.
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

    /// Ends all unfinished parts with `fault`.
    func abandon(_ fault: ReactorFault) {
        guard unfinished > 0 else { return }
        unfinished = 0
        completion(self.fault ?? fault)
    }
}
