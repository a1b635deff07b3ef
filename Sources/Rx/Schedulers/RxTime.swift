public import Dispatch
public import FoundationEssentials

/// A point in time of a scheduler.
public typealias RxTime = Date

/// A span of time for a scheduler.
public typealias RxTimeInterval = DispatchTimeInterval

extension DispatchTimeInterval {
    static var zero: DispatchTimeInterval { .nanoseconds(0) }

    /// The rest of this span at `now` if it began at `start`; nil if it is over.
    ///
    /// Precise to the microsecond, about the precision of a `Date`. Never exceeds the whole span, even if the clock was
    /// set back.
    func rest(since start: RxTime, now: RxTime) -> DispatchTimeInterval? {
        let whole = seconds * 1e6
        if whole == .infinity { return .never }
        let rest = (whole - now.timeIntervalSince(start) * 1e6).rounded()
        if rest <= 0 { return nil }
        if rest >= whole { return self }
        return Int(exactly: rest).map { .microseconds($0) } ?? .never
    }

    /// The span in seconds; `never` is infinite.
    var seconds: Double {
        switch self {
        case .seconds(let count): Double(count)
        case .milliseconds(let count): Double(count) / 1e3
        case .microseconds(let count): Double(count) / 1e6
        case .nanoseconds(let count): Double(count) / 1e9
        case .never: .infinity
        @unknown default: .infinity
        }
    }
}
