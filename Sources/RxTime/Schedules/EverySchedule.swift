/// Slots at regular distances: below a day at the multiples of the distance since 1970-01-01T00:00:00Z, whatever the
/// zone; for whole days at midnights in the zone. Days are counted from 1970-01-01, and multiples of seven days from
/// Monday 1970-01-05.
public struct EverySchedule: Hashable, Sendable {
    /// The smallest distance, in microseconds: below it a machine would do little else.
    public static let leastMicroseconds: Int64 = 100_000

    private let distance: Distance

    private enum Distance: Hashable {
        case microseconds(Int64)
        case days(Midnights, TimeZoneRules)
    }

    /// Why a distance cannot be used.
    public enum Fault: Error, Hashable, Sendable {
        /// It is below 100 ms.
        case tooShort
        /// It is above a day, but not in whole days.
        case notInDays
    }

    /// Slots every so many microseconds; a multiple of 24 hours means days. The zone matters for days only.
    public init(microseconds: Int64, zone: TimeZoneRules) throws(Fault) {
        guard microseconds >= Self.leastMicroseconds else { throw .tooShort }
        let (days, rest) = microseconds.quotientAndRemainder(dividingBy: Microseconds.perDay)
        guard days == 0 || rest == 0 else { throw .notInDays }
        distance = days == 0 ? .microseconds(microseconds) : .days(Midnights(days: days), zone)
    }

    func next(after instant: Instant) -> Instant? {
        switch distance {
        case .microseconds(let step):
            let next = (max(instant.microseconds, -1).dividedDown(by: step).quotient + 1) * step
            return next < Instant.horizon.microseconds ? Instant(microseconds: next) : nil
        case .days(let midnights, let zone): return FixedSlots(times: midnights, zone: zone).next(after: instant)
        }
    }

    func previous(before instant: Instant) -> Instant? {
        switch distance {
        case .microseconds(let step):
            let previous = (instant.microseconds - 1).dividedDown(by: step).quotient * step
            return previous >= 0 ? Instant(microseconds: previous) : nil
        case .days(let midnights, let zone): return FixedSlots(times: midnights, zone: zone).previous(before: instant)
        }
    }

    func isMoved(_ slot: Instant) -> Bool {
        switch distance {
        case .microseconds: false
        case .days(let midnights, let zone): FixedSlots(times: midnights, zone: zone).isMoved(slot)
        }
    }

    func count(after first: Instant, through last: Instant) -> Int {
        switch distance {
        case .microseconds(let step):
            let places = [first, last].map { max($0.microseconds, -1).dividedDown(by: step).quotient }
            return Int(max(0, places[1] - places[0]))
        case .days(let midnights, let zone):
            return FixedSlots(times: midnights, zone: zone).count(after: first, through: last)
        }
    }
}

extension EverySchedule.Fault: CustomStringConvertible {
    /// What is wrong and what to do, in one line.
    public var description: String {
        switch self {
        case .tooShort: "the distance is below 100ms; use 100ms or more"
        case .notInDays: "a duration above one day must be whole days, such as 2d"
        }
    }
}
