internal import Glibc

/// Times and durations for people, in a few cells. All are in milliseconds; times since 1970.
enum TimeWords {
    private static let second: Int64 = 1000
    private static let minute = 60 * second
    private static let hour = 60 * minute
    private static let day = 24 * hour
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `3m ago`; for what is older than a day, the local time: `Nov 22 03:00`, or `2024-11-22` in another year.
    static func ago(_ time: Int64, at now: Int64) -> String {
        let age = now - time
        guard age < day else { return clock(time, at: now) }
        return "\(rough(max(0, age))) ago"
    }

    /// `in 3h 12m`
    static func ahead(_ time: Int64, at now: Int64) -> String { "in \(span(max(0, time - now)))" }

    /// The largest unit: `3h`.
    static func rough(_ duration: Int64) -> String {
        for (unit, name) in [(day, "d"), (hour, "h"), (minute, "m")] where duration >= unit {
            return "\(duration / unit)\(name)"
        }
        return "\(duration / second)s"
    }

    /// The two largest units: `3h 12m`, `2m 5s`, `12s`.
    static func span(_ duration: Int64) -> String {
        let units = [(day, "d"), (hour, "h"), (minute, "m"), (second, "s")]
        guard let first = units.firstIndex(where: { duration >= $0.0 }) else { return "0s" }
        let parts = units[first...].prefix(2).enumerated().map { place, unit in
            (place == 0 ? duration / unit.0 : duration % units[first].0 / unit.0, unit.1)
        }
        return parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined(separator: " ")
    }

    /// How long something took: `250ms`, `1.2s`, `3m 20s`.
    static func took(_ duration: Int64) -> String {
        if duration < second { return "\(max(0, duration))ms" }
        if duration < 10 * second { return "\(duration / second).\(duration % second / 100)s" }
        return span(duration)
    }

    /// The local time of day: `14:02:31`.
    static func ofDay(_ time: Int64) -> String {
        let local = local(time)
        return "\(two(local.tm_hour)):\(two(local.tm_min)):\(two(local.tm_sec))"
    }

    private static func clock(_ time: Int64, at now: Int64) -> String {
        let (local, present) = (local(time), local(now))
        guard local.tm_year == present.tm_year else {
            return "\(local.tm_year + 1900)-\(two(local.tm_mon + 1))-\(two(local.tm_mday))"
        }
        let day = local.tm_mday < 10 ? " \(local.tm_mday)" : "\(local.tm_mday)"
        return "\(months[Int(local.tm_mon)]) \(day) \(two(local.tm_hour)):\(two(local.tm_min))"
    }

    private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func local(_ time: Int64) -> tm {
        var seconds = time_t(time / 1000)
        var local = tm()
        _ = localtime_r(&seconds, &local)
        return local
    }
}
