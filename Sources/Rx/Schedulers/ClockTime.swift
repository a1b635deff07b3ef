internal import Dispatch
internal import FoundationEssentials

/// The instants of a clock, as the times of a queue of scheduled actions.
struct ClockTime<Instant: InstantProtocol>: VirtualTimeConverterType where Instant.Duration == Duration {
    /// The instant of `date`.
    let origin: Instant
    let date: RxTime

    func convertFromVirtualTime(_ instant: Instant) -> RxTime {
        date.addingTimeInterval(convertFromVirtualTimeInterval(origin.duration(to: instant)))
    }

    func convertToVirtualTime(_ time: RxTime) -> Instant {
        origin.advanced(by: convertToVirtualTimeInterval(time.timeIntervalSince(date)))
    }

    func convertFromVirtualTimeInterval(_ duration: Duration) -> TimeInterval { duration / .seconds(1) }
    func convertToVirtualTimeInterval(_ seconds: TimeInterval) -> Duration { .seconds(seconds) }
    func offsetVirtualTime(_ instant: Instant, offset: Duration) -> Instant { instant.advanced(by: offset) }

    func compareVirtualTime(_ one: Instant, _ other: Instant) -> VirtualTimeComparison {
        one < other ? .lessThan : other < one ? .greaterThan : .equal
    }
}

extension DispatchTimeInterval {
    /// The longest delay on a clock, 100 years: instants far beyond it overflow.
    private static let longest = Duration.seconds(3_155_760_000)

    /// The span as a duration of at most 100 years; nil for `never`.
    var duration: Duration? {
        switch self {
        case .seconds(let count): min(.seconds(count), DispatchTimeInterval.longest)
        case .milliseconds(let count): min(.milliseconds(count), DispatchTimeInterval.longest)
        case .microseconds(let count): min(.microseconds(count), DispatchTimeInterval.longest)
        case .nanoseconds(let count): min(.nanoseconds(count), DispatchTimeInterval.longest)
        case .never: nil
        @unknown default: nil
        }
    }
}
