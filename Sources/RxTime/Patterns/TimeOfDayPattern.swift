/// A set of times of day, in microseconds since midnight: every combination of an hour, a minute, and a second. None of
/// the three sets is empty.
struct TimeOfDayPattern: Hashable, Sendable {
    let hours: NumberSet
    let minutes: NumberSet
    let seconds: SecondSet

    /// How many times a day has.
    var count: Int { hours.count * minutes.count * secondsPerMinute }

    func first(from least: Int64) -> Int64? {
        let (hour, minute, second) = parts(least)
        if hours.contains(hour) {
            if minutes.contains(minute), let found = seconds.first(from: second) { return time(hour, minute, found) }
            if let next = minutes.first(from: minute + 1) { return time(hour, next, seconds.first(from: 0)!) }
        }
        return hours.first(from: hour + 1).map { time($0, minutes.first(from: 0)!, seconds.first(from: 0)!) }
    }

    func last(through most: Int64) -> Int64? {
        let (hour, minute, second) = parts(most)
        let lastSecond = seconds.last(through: Microseconds.perMinute - 1)!
        if hours.contains(hour) {
            if minutes.contains(minute), let found = seconds.last(through: second) { return time(hour, minute, found) }
            if let before = minutes.last(through: minute - 1) { return time(hour, before, lastSecond) }
        }
        return hours.last(through: hour - 1).map { time($0, minutes.last(through: 59)!, lastSecond) }
    }

    /// How many times are not after `most`; 0 for a negative one.
    func count(through most: Int64) -> Int {
        guard most >= 0 else { return 0 }
        let (hour, minute, second) = parts(most)
        let secondsPerMinute = secondsPerMinute
        var count = hours.count(below: hour) * minutes.count * secondsPerMinute
        if hours.contains(hour) {
            count += minutes.count(below: minute) * secondsPerMinute
            if minutes.contains(minute) { count += seconds.count(through: second) }
        }
        return count
    }

    private var secondsPerMinute: Int { seconds.count(through: Microseconds.perMinute - 1) }

    private func parts(_ time: Int64) -> (hour: Int, minute: Int, second: Int64) {
        let (minutes, second) = time.quotientAndRemainder(dividingBy: Microseconds.perMinute)
        return (Int(minutes) / 60, Int(minutes) % 60, second)
    }

    private func time(_ hour: Int, _ minute: Int, _ second: Int64) -> Int64 {
        Int64(hour * 60 + minute) * Microseconds.perMinute + second
    }
}
