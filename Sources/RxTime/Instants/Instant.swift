/// A moment in time: microseconds since 1970-01-01T00:00:00Z, without leap seconds.
public struct Instant: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public let microseconds: Int64

    /// The moment that many microseconds after 1970-01-01T00:00:00Z.
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// The moment that many seconds after 1970-01-01T00:00:00Z, or the nearest one that can be represented.
    public init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: Microseconds.perSecond)
        microseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// No slot is earlier: at this moment it is 1969 in every zone.
    public static let beginning = Instant(seconds: -172_800)

    /// No slot is at this moment or later: it is 2200 in every zone.
    public static let horizon = Instant(seconds: 7_258_204_800)

    /// The moment that many microseconds later, or the nearest one that can be represented.
    public func adding(microseconds more: Int64) -> Instant {
        Instant(microseconds: microseconds.addingWithinBounds(more))
    }

    /// The moment in UTC: `2026-03-29T01:00:00.000Z`, with microseconds where they are not zero.
    public var text: String { TimeText.utc(self) }

    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
    var seconds: Int64 { microseconds.dividedDown(by: Microseconds.perSecond).quotient }

    public static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }
}
