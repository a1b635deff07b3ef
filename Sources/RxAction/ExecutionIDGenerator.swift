internal import Synchronization

/// Makes ids that increase strictly. Making one costs a clock read and one atomic exchange.
///
/// Not copyable, so that it is a part of the object that owns it and costs no reference counting.
package struct ExecutionIDGenerator: ~Copyable, Sendable {
    /// The generator of `ExecutionID()`.
    static let shared = ExecutionIDGenerator(seed: .random(in: .min ... .max))

    /// Distinguishes the ids of this generator from those of others.
    private let seed: UInt64
    /// Nil for the system's clock.
    private let clock: (@Sendable () -> Int64)?
    /// The last stamp: milliseconds since 1970 times 4096, plus a counter.
    private let last = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - seed: a random number. Generators with the same seed and clock make the same ids.
    ///   - clock: milliseconds since 1970; the system's clock if nil, without the cost of a call.
    package init(seed: UInt64, clock: (@Sendable () -> Int64)? = nil) {
        self.seed = seed
        self.clock = clock
    }

    /// Makes an id greater than every id that this generator has made.
    package borrowing func next() -> ExecutionID {
        let stamp = nextStamp(at: clock?() ?? SystemClock.milliseconds)
        return ExecutionID(stamp: stamp, noise: Self.mix(stamp ^ seed))
    }

    /// Returns a stamp greater than all previous ones. More than 4096 per millisecond borrow from the following
    /// milliseconds.
    private borrowing func nextStamp(at milliseconds: Int64) -> UInt64 {
        let now = UInt64(milliseconds) << 12
        var previous = last.load(ordering: .relaxed)
        while true {
            let stamp = max(now, previous + 1)
            let (done, found) = last.weakCompareExchange(expected: previous, desired: stamp, ordering: .relaxed)
            if done { return stamp }
            previous = found
        }
    }

    /// Mixes a number over all 64 bits; a bijection.
    private static func mix(_ number: UInt64) -> UInt64 {
        var mixed = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
