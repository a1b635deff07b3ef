public import FoundationEssentials
public import Rx

/// Test time is a count of `resolution` seconds since 1970, rounded to the nearest.
public struct TestSchedulerVirtualTimeConverter: VirtualTimeConverterType {
    public typealias VirtualTimeUnit = TestTime
    public typealias VirtualTimeIntervalUnit = TestTime

    private let resolution: Double

    init(resolution: Double) {
        precondition(resolution > 0, "a unit of test time is longer than nothing")
        self.resolution = resolution
    }

    public func convertFromVirtualTime(_ virtualTime: TestTime) -> RxTime {
        Date(timeIntervalSince1970: convertFromVirtualTimeInterval(virtualTime))
    }

    public func convertToVirtualTime(_ time: RxTime) -> TestTime {
        convertToVirtualTimeInterval(time.timeIntervalSince1970)
    }

    public func convertFromVirtualTimeInterval(_ virtualTimeInterval: TestTime) -> TimeInterval {
        Double(virtualTimeInterval) * resolution
    }

    public func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> TestTime {
        TestTime(exactly: (timeInterval / resolution).rounded()) ?? (timeInterval < 0 ? .min : .max)
    }

    public func offsetVirtualTime(_ time: TestTime, offset: TestTime) -> TestTime {
        let (sum, overflows) = time.addingReportingOverflow(offset)
        return overflows ? (offset < 0 ? .min : .max) : sum
    }

    public func compareVirtualTime(_ lhs: TestTime, _ rhs: TestTime) -> VirtualTimeComparison {
        lhs < rhs ? .lessThan : lhs > rhs ? .greaterThan : .equal
    }
}
