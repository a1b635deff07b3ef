public import FoundationEssentials
public import Rx

/// Converts between test time and real time. Test time counts units of `resolution` seconds since 1970, rounded to the
/// nearest.
public struct TestSchedulerVirtualTimeConverter: VirtualTimeConverterType, Sendable {
    /// Test time.
    public typealias VirtualTimeUnit = TestTime
    /// A span of test time, in units.
    public typealias VirtualTimeIntervalUnit = TestTime

    private let resolution: Double

    init(resolution: Double) {
        precondition(resolution > 0, "a unit of test time is longer than nothing")
        self.resolution = resolution
    }

    /// The date of a test time.
    public func convertFromVirtualTime(_ virtualTime: TestTime) -> RxTime {
        Date(timeIntervalSince1970: convertFromVirtualTimeInterval(virtualTime))
    }

    /// The test time of a date, rounded to the nearest unit.
    public func convertToVirtualTime(_ time: RxTime) -> TestTime {
        convertToVirtualTimeInterval(time.timeIntervalSince1970)
    }

    /// The length of a span of test time in seconds.
    public func convertFromVirtualTimeInterval(_ virtualTimeInterval: TestTime) -> TimeInterval {
        Double(virtualTimeInterval) * resolution
    }

    /// The number of units in a span of seconds, rounded to the nearest.
    public func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> TestTime {
        TestTime(exactly: (timeInterval / resolution).rounded()) ?? (timeInterval < 0 ? .min : .max)
    }

    /// The test time `offset` units after `time`.
    public func offsetVirtualTime(_ time: TestTime, offset: TestTime) -> TestTime {
        let (sum, overflows) = time.addingReportingOverflow(offset)
        return overflows ? (offset < 0 ? .min : .max) : sum
    }

    /// Compares two test times.
    public func compareVirtualTime(_ lhs: TestTime, _ rhs: TestTime) -> VirtualTimeComparison {
        lhs < rhs ? .lessThan : lhs > rhs ? .greaterThan : .equal
    }
}
