public import Dispatch
public import FoundationEssentials

/// A point in time, as schedulers tell it.
public typealias RxTime = Date

/// A span of time, as schedulers take it.
public typealias RxTimeInterval = DispatchTimeInterval

extension DispatchTimeInterval {
    init(seconds: Double) {
        self = .nanoseconds(Int(seconds * 1e9))
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
