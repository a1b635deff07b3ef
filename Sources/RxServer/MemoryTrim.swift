internal import RxLoop
internal import RxPlatform

/// Gives memory that the allocator keeps for later back to the system, once much was freed and some time has passed.
/// Used on the loop.
final class MemoryTrim {
    /// Bytes freed before the allocator is looked at.
    static let leastFreed = 4 << 20
    /// Peers often come back at once, and need the memory again.
    static let delay = Duration.seconds(3)
    /// What a connection frees at its end, beside what waits for its peer.
    static let bytesOfConnection = 65_536

    private let loop: EventLoop
    private let queue: WorkQueue
    private let memory: GrownMemory
    private var freed = 0
    private var isScheduled = false

    /// - Parameter queue: where the allocator is used.
    init(loop: EventLoop, queue: WorkQueue, allocator: Allocator) {
        self.loop = loop
        self.queue = queue
        memory = GrownMemory(allocator)
    }

    /// Something of about this size was freed.
    func freed(_ bytes: Int) {
        freed += bytes
        if freed >= Self.leastFreed, !isScheduled { schedule() }
    }

    private func schedule() {
        isScheduled = true
        loop.schedule(after: Self.delay) { [self] in
            freed = 0
            queue.async { [memory, loop, self = LoopConfined(self)] in
                let gained = memory.trim()
                loop.execute { self.value.looked(gained) }
            }
        }
    }

    /// Threads free what they have used without reporting it, some of it later: as long as a trim gains something,
    /// there may be more.
    private func looked(_ gained: Bool) {
        isScheduled = false
        if gained || freed >= Self.leastFreed { schedule() }
    }
}
