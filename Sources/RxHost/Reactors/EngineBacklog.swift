internal import Rx
internal import RxStore
internal import Synchronization

/// Counts the dispatches that an engine has taken and not answered, so that the engine is replaced after the last one.
final class EngineBacklog: Sendable {
    /// The number of these dispatches; until `drain`, one more.
    private let count = Atomic<Int>(1)
    private let whenDrained = Locked<(@Sendable () -> Void)?>(nil)
    private let lost = Locked<StoreError?>(nil)

    /// Why the engine is stopped before it has answered these dispatches: one of them could not be stored. Nil if that
    /// is not so.
    var loss: StoreError? {
        get { lost.withLock { $0 } }
        set { lost.withLock { $0 = newValue } }
    }

    /// The engine takes a dispatch.
    func enter() { count.add(1, ordering: .relaxed) }

    /// A dispatch is answered.
    func leave() {
        if count.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { cutShort() }
    }

    /// Calls `whenDrained` once, on any thread, when the last dispatch is answered, or at `cutShort`. To be called
    /// once; the engine takes no more dispatches.
    func drain(_ whenDrained: @escaping @Sendable () -> Void) {
        self.whenDrained.withLock { $0 = whenDrained }
        leave()
    }

    /// Waits no longer.
    func cutShort() {
        whenDrained.withLock { body in
            defer { body = nil }
            return body
        }?()
    }
}
