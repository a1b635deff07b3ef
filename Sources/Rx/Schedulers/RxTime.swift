public import Dispatch
public import FoundationEssentials

/// A point in time, as schedulers tell it.
public typealias RxTime = Date

/// A span of time, as schedulers take it.
public typealias RxTimeInterval = DispatchTimeInterval

extension DispatchTimeInterval {
    static var zero: DispatchTimeInterval { .nanoseconds(0) }

    /// What is left of this span at `now` when it began at `start`; nil when nothing is.
    ///
    /// To the microsecond, which is about as fine as a `Date` is, and never more than the whole span, should the clock have
    /// been set back.
    func rest(since start: RxTime, now: RxTime) -> DispatchTimeInterval? {
        let whole = seconds * 1e6
        if whole == .infinity { return .never }
        let rest = (whole - now.timeIntervalSince(start) * 1e6).rounded()
        if rest <= 0 { return nil }
        if rest >= whole { return self }
        return Int(exactly: rest).map { .microseconds($0) } ?? .never
    }

    /// In seconds; `never` is infinite.
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
