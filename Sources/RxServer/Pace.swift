internal import RxHost

/// How the stream of a client's own execution holds back the work while the client reads too slowly: its elements wait
/// instead of being dropped.
final class Pace {
    private let flow: Flow
    /// Whether the work is held back.
    private(set) var isHolding = false

    /// - Parameter flow: the execution's.
    init(_ flow: Flow) {
        self.flow = flow
        flow.addReader()
    }

    /// Holds back the work.
    ///
    /// - Returns: whether it was not held back before.
    func hold() -> Bool {
        guard !isHolding else { return false }
        isHolding = true
        flow.hold()
        return true
    }

    /// Lets the work go on.
    func release() {
        guard isHolding else { return }
        isHolding = false
        flow.release()
    }

    /// Never holds the work back again. Called once.
    func stop() {
        release()
        flow.removeReader()
    }
}
