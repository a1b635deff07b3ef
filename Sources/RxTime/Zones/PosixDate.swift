/// The day of the year on which a POSIX rule changes the clock.
enum PosixDate: Hashable, Sendable {
    /// `J60`: 1 to 365. February 29 is not counted, so that 60 is always March 1.
    case julian(Int)
    /// `59`: 0 to 365. February 29 is counted.
    case dayOfYear(Int)
    /// `M3.5.0`: month 1 to 12, week 1 to 5 (5 is the last), weekday 0 (Sunday) to 6.
    case weekday(month: Int, week: Int, weekday: Int)

    /// Days since 1970-01-01.
    func dayNumber(year: Int) -> Int {
        let first = CivilDate(year: year, month: 1, day: 1).dayNumber
        switch self {
        case .julian(let day): return first + day - (day >= 60 && CivilDate.isLeap(year) ? 0 : 1)
        case .dayOfYear(let day): return first + day
        case .weekday(let month, let week, let weekday):
            let monthStart = CivilDate(year: year, month: month, day: 1).dayNumber
            let fromMonday = (weekday + 6) % 7
            let ahead = (fromMonday - CivilDate.weekday(dayNumber: monthStart) + 7) % 7
            let day = ahead + (week - 1) * 7
            return monthStart + (day < CivilDate.length(ofMonth: month, year: year) ? day : day - 7)
        }
    }
}
