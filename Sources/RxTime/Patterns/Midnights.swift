/// The midnights of every so many days, counted from 1970-01-01, or, in whole weeks, from Monday 1970-01-05.
struct Midnights: LocalTimes, Hashable, Sendable {
    /// At least 1.
    let days: Int64

    func first(from local: LocalTime) -> LocalTime? {
        let place = local.microseconds.addingWithinBounds(-anchor - 1).dividedDown(by: length).quotient + 1
        return time(max(0, place))
    }

    func last(through local: LocalTime) -> LocalTime? {
        let place = local.microseconds.addingWithinBounds(-anchor).dividedDown(by: length).quotient
        return place < 0 ? nil : time(min(place, (Self.end - anchor - 1) / length))
    }

    func count(from first: LocalTime, through last: LocalTime) -> Int {
        guard let start = self.first(from: first), let end = self.last(through: last), start <= end else { return 0 }
        return Int((end.microseconds - start.microseconds) / length) + 1
    }

    private static let end = LocalTime(year: YearSet.range.upperBound + 1, month: 1, day: 1).microseconds

    private var length: Int64 { days * Microseconds.perDay }
    private var anchor: Int64 { days % 7 == 0 ? 4 * Microseconds.perDay : 0 }

    private func time(_ place: Int64) -> LocalTime? {
        let (product, overflow) = place.multipliedReportingOverflow(by: length)
        guard !overflow, product < Self.end - anchor else { return nil }
        return LocalTime(microseconds: product + anchor)
    }
}
