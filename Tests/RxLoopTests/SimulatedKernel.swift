@testable import RxLoop

/// A kernel in which a test decides what is ready and what time it is. It never blocks and has no descriptors.
// Unchecked: used on the thread of one test.
final class SimulatedKernel: LoopKernel, @unchecked Sendable {
    private struct Watched {
        var interest: Interest
        let key: UInt64
    }

    /// Nanoseconds.
    private(set) var time: UInt64 = 0
    /// Times that the clock was read.
    private(set) var readings = 0
    /// Calls of `wake`.
    private(set) var wakes = 0
    /// How long the loop last wanted to wait, in nanoseconds; negative for no limit.
    private(set) var wantedWait: Int64 = 0
    /// Called while the loop sleeps.
    var onWait: () -> Void = {}
    private var watched: [Int32: Watched] = [:]
    private var ready: [(fd: Int32, readiness: Readiness)] = []

    /// The descriptors that the loop watches.
    var descriptors: Set<Int32> { Set(watched.keys) }

    func advance(by duration: Duration) { time += duration.nanosecondsRoundedUp }

    /// Makes `fd` ready in the next turn.
    func makeReady(_ fd: Int32, _ readiness: Readiness) { ready.append((fd, readiness)) }

    override func add(_ fd: Int32, _ interest: Interest, key: UInt64) -> Int32 {
        watched[fd] = Watched(interest: interest, key: key)
        return 0
    }

    override func modify(_ fd: Int32, _ interest: Interest, key: UInt64) { watched[fd]?.interest = interest }

    override func remove(_ fd: Int32) { watched[fd] = nil }

    override func wait(nanoseconds: Int64) -> Int {
        wantedWait = nanoseconds
        onWait()
        var count = 0
        for (fd, readiness) in ready {
            guard let watch = watched[fd] else { continue }
            let reported = readiness.intersection(Readiness(watch.interest).union(.hangUp))
            guard !reported.isEmpty else { continue }
            setEvent(count, reported, key: watch.key)
            count += 1
        }
        ready = []
        return count
    }

    override var now: UInt64 {
        readings += 1
        return time
    }

    override func wake() { wakes += 1 }
}
