@testable import RxLoop

/// A kernel without descriptors, whose clock a test controls.
// Unchecked: used on the thread of one test.
final class SteppedKernel: LoopKernel, @unchecked Sendable {
    private(set) var time: UInt64 = 0
    private(set) var readings = 0
    /// What passes after each reading of the clock: the work until the next one.
    var perReading = Duration.zero

    func advance(by duration: Duration) { time += duration.nanosecondsRoundedUp }

    override func wait(nanoseconds: Int64) -> Int { 0 }

    override var now: UInt64 {
        readings += 1
        defer { advance(by: perReading) }
        return time
    }

    override func wake() {}
}
