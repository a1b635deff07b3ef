/// A set of years from 1970 to 2199.
struct YearSet: Hashable, Sendable {
    /// The years of the sets: those of systemd. A search without a result ends with the last one.
    static let range = 1970...2199

    private var years: [Bool]

    /// All years.
    static let all = YearSet(years: Array(repeating: true, count: range.count))

    /// The years of `numbers`, which must be in the range.
    init(_ numbers: some Sequence<Int>) {
        years = Array(repeating: false, count: Self.range.count)
        for year in numbers { years[year - Self.range.lowerBound] = true }
    }

    private init(years: [Bool]) { self.years = years }

    func contains(_ year: Int) -> Bool { Self.range.contains(year) && years[year - Self.range.lowerBound] }

    /// The first year that is not before `least`.
    func first(from least: Int) -> Int? {
        var year = max(least, Self.range.lowerBound)
        while year <= Self.range.upperBound {
            if contains(year) { return year }
            year += 1
        }
        return nil
    }

    /// The last year that is not after `most`.
    func last(through most: Int) -> Int? {
        var year = min(most, Self.range.upperBound)
        while year >= Self.range.lowerBound {
            if contains(year) { return year }
            year -= 1
        }
        return nil
    }
}
