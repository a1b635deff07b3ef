internal import Synchronization

// Sendable: the lock guards `shares` and the closures posted to each; `taken` is used only on the loop's thread.
/// Closures posted to the loop from any thread, each to a share. Wakes the kernel only if the loop may be asleep.
final class PostedWork: @unchecked Sendable {
    typealias Body = LoopShare.Body

    private let kernel: LoopKernel
    private let lock = Lock()
    /// The shares with closures that were not collected.
    @exclusivity(unchecked) private var shares: [LoopShare] = []
    @exclusivity(unchecked) private var taken: [LoopShare] = []
    private let state = Atomic<UInt8>(State.awake)

    private enum State {
        static let awake: UInt8 = 0
        static let asleep: UInt8 = 1
        static let posted: UInt8 = 2
    }

    init(_ kernel: LoopKernel) {
        self.kernel = kernel
    }

    func post(_ body: @escaping Body, to share: LoopShare) {
        lock.withLock {
            if share.posted.isEmpty { shares.append(share) }
            share.posted.append(body)
        }
        if state.exchange(State.posted, ordering: .acquiringAndReleasing) == State.asleep {
            kernel.wake()
        }
    }

    /// Called before the loop blocks. False when there are closures to run first.
    func mayFallAsleep() -> Bool {
        state.compareExchange(expected: State.awake, desired: State.asleep, ordering: .acquiringAndReleasing).exchanged
    }

    /// Moves the closures posted so far into their shares, and calls `body` with each of these shares.
    func collect(_ body: (LoopShare) -> Void) {
        guard state.exchange(State.awake, ordering: .acquiringAndReleasing) == State.posted else { return }
        lock.withLock {
            swap(&shares, &taken)
            for share in taken { share.collectPosted() }
        }
        for share in taken { body(share) }
        taken.removeAll(keepingCapacity: true)
    }
}
