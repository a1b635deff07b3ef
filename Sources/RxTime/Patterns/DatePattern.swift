/// A set of dates in the years 1970 to 2199.
struct DatePattern: Hashable, Sendable {
    var years = YearSet.all
    var months = NumberSet(1...12)
    var days = DayRule(days: MonthDays.all(31))

    func contains(_ date: CivilDate) -> Bool {
        years.contains(date.year) && months.contains(date.month)
            && days.matches(year: date.year, month: date.month) >> UInt32(date.day) & 1 == 1
    }

    /// The first date that is not before `date`, whose day may be one more than its month has.
    func first(from date: CivilDate) -> CivilDate? {
        var (least, month) = (date.day, date.month)
        var yearFrom = date.year
        while let year = years.first(from: yearFrom) {
            if year != date.year { (least, month) = (1, 1) }
            while let next = months.first(from: month) {
                if next != month { least = 1 }
                let found = days.matches(year: year, month: next) & ~MonthDays.all(least - 1)
                if found != 0 { return CivilDate(year: year, month: next, day: found.trailingZeroBitCount) }
                (least, month) = (1, next + 1)
            }
            yearFrom = year + 1
        }
        return nil
    }

    /// The last date that is not after `date`, whose day may be 0.
    func last(through date: CivilDate) -> CivilDate? {
        var (most, month) = (date.day, date.month)
        var yearThrough = date.year
        while let year = years.last(through: yearThrough) {
            if year != date.year { (most, month) = (31, 12) }
            while let before = months.last(through: month) {
                if before != month { most = 31 }
                let found = days.matches(year: year, month: before) & MonthDays.all(most)
                if found != 0 { return CivilDate(year: year, month: before, day: 31 - found.leadingZeroBitCount) }
                (most, month) = (31, before - 1)
            }
            yearThrough = year - 1
        }
        return nil
    }

    /// How many dates are from `first` through `last`, in their order.
    func count(from first: CivilDate, through last: CivilDate) -> Int {
        var count = 0
        var yearFrom = first.year
        while let year = years.first(from: yearFrom), year <= last.year {
            var monthFrom = year == first.year ? first.month : 1
            while let month = months.first(from: monthFrom), year < last.year || month <= last.month {
                var found = days.matches(year: year, month: month)
                if (year, month) == (first.year, first.month) { found &= ~MonthDays.all(first.day - 1) }
                if (year, month) == (last.year, last.month) { found &= MonthDays.all(last.day) }
                count += found.nonzeroBitCount
                monthFrom = month + 1
            }
            yearFrom = year + 1
        }
        return count
    }
}
