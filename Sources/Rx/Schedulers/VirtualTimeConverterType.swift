public import FoundationEssentials

/// The time units of a `VirtualTimeScheduler` and their conversion to `RxTime`.
///
/// The functions must be pure.
#if Migration
    @preconcurrency
#endif
public protocol VirtualTimeConverterType<VirtualTimeUnit>: RxSendable {
    /// A point in virtual time.
    associatedtype VirtualTimeUnit: RxSendable
    /// A span of virtual time.
    associatedtype VirtualTimeIntervalUnit: RxSendable

    /// Returns the date of a point in virtual time.
    func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime
    /// Returns the point in virtual time of a date.
    func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit

    /// Returns the length of a span of virtual time in seconds.
    func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> TimeInterval
    /// Returns the span of virtual time for a number of seconds.
    func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> VirtualTimeIntervalUnit

    /// Returns the point in virtual time `offset` after `time`.
    func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit

    /// Compares two points in virtual time; must be a total order.
    func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison
}

/// The relation of one point in virtual time to another.
public enum VirtualTimeComparison: Sendable {
    /// The first is earlier.
    case lessThan
    /// Both are the same.
    case equal
    /// The first is later.
    case greaterThan
}
