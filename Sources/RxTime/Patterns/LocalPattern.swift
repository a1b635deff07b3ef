/// The local times that a calendar or cron expression matches: on each of some dates, the same times of day.
struct LocalPattern: LocalTimes, Hashable, Sendable {
    let dates: DatePattern
    let times: TimeOfDayPattern

    /// If no year has such a date.
    var isEmpty: Bool { dates.first(from: CivilDate(year: YearSet.range.lowerBound, month: 1, day: 1)) == nil }

    func first(from local: LocalTime) -> LocalTime? {
        let (dayNumber, timeOfDay) = local.parts
        var date = CivilDate(dayNumber: dayNumber)
        if dates.contains(date), let time = times.first(from: timeOfDay) {
            return LocalTime(dayNumber: dayNumber, timeOfDay: time)
        }
        date.day += 1
        guard let next = dates.first(from: date) else { return nil }
        return LocalTime(dayNumber: next.dayNumber, timeOfDay: times.first(from: 0)!)
    }

    func last(through local: LocalTime) -> LocalTime? {
        let (dayNumber, timeOfDay) = local.parts
        var date = CivilDate(dayNumber: dayNumber)
        if dates.contains(date), let time = times.last(through: timeOfDay) {
            return LocalTime(dayNumber: dayNumber, timeOfDay: time)
        }
        date.day -= 1
        guard let before = dates.last(through: date) else { return nil }
        return LocalTime(dayNumber: before.dayNumber, timeOfDay: times.last(through: Microseconds.perDay - 1)!)
    }

    func count(from first: LocalTime, through last: LocalTime) -> Int {
        guard first <= last else { return 0 }
        let (start, end) = (first.parts, last.parts)
        let (startDate, endDate) = (CivilDate(dayNumber: start.dayNumber), CivilDate(dayNumber: end.dayNumber))
        var count = dates.count(from: startDate, through: endDate) * times.count
        if dates.contains(startDate) { count -= times.count(through: start.timeOfDay - 1) }
        if dates.contains(endDate) { count -= times.count - times.count(through: end.timeOfDay) }
        return count
    }
}
