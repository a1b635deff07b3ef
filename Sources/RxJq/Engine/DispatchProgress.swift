internal import RxHost
internal import RxRecords

// Unchecked: used only by the engine's turns.
/// One dispatched action, until everything that it started has ended.
final class DispatchProgress: @unchecked Sendable {
    let input: ReactorInput
    /// The causes of the dispatch, which all executions that it leads to share.
    private(set) lazy var earlier = EarlierCauses(input.causes)
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
