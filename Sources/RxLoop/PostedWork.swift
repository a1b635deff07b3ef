internal import Synchronization

// Sendable: the lock guards `posted`; `taken` is used only on the loop's thread.
/// Closures posted to the loop from any thread. Wakes the kernel only if the loop may be asleep.
final class PostedWork: @unchecked Sendable {
    typealias Body = @Sendable () -> Void

    /// Capacity kept for the next turn; memory beyond it is freed after a burst.
    private static let retainedBodies = 1024

    private let kernel: LoopKernel
    private let lock = Lock()
    private var posted: [Body] = []
    private var taken: [Body] = []
    private let state = Atomic<UInt8>(State.awake)

    private enum State {
        static let awake: UInt8 = 0
        static let asleep: UInt8 = 1
        static let posted: UInt8 = 2
    }

    init(_ kernel: LoopKernel) {
        self.kernel = kernel
    }

    func post(_ body: @escaping Body) {
        lock.withLock { posted.append(body) }
        if state.exchange(State.posted, ordering: .acquiringAndReleasing) == State.asleep {
            kernel.wake()
        }
    }

    /// Called before the loop blocks. False when there are closures to run first.
    func mayFallAsleep() -> Bool {
        state.compareExchange(expected: State.awake, desired: State.asleep, ordering: .acquiringAndReleasing).exchanged
    }

    /// Runs the closures posted so far, in order. Closures that these post wait for the next call.
    func run() {
        guard state.exchange(State.awake, ordering: .acquiringAndReleasing) == State.posted else { return }
        lock.withLock { swap(&posted, &taken) }
        // By index: an iterator would hold a second reference, and emptying the array would then copy it.
        var index = 0
        while index < taken.count {
            taken[index]()
            index += 1
        }
        taken.removeAll(keepingCapacity: taken.capacity <= Self.retainedBodies)
    }
}
