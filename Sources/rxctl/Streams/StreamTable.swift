internal import Glibc
internal import RxJSON

/// The list of streams for a terminal.
enum StreamTable {
    static func lines(of streams: [JSONValue], at now: Int64) -> [String] {
        Table.lines(
            [["STREAM", "STATE", "NEXT", "LAST", "STARTS"]]
                + streams.map { stream in
                    [
                        stream["stream"]?.string ?? "", stream["state"]?.string ?? "",
                        stream["next"]?.string.flatMap { WireTime.milliseconds($0) }.map { left($0 - now) } ?? "",
                        stream["last"].map { last($0, at: now) } ?? "",
                        (stream["targets"]?.array ?? []).compactMap(\.string).joined(separator: " "),
                    ]
                })
    }

    /// `in 3h`.
    private static func left(_ milliseconds: Int64) -> String { "in " + rough(max(0, milliseconds)) }

    /// `started 5m ago`.
    private static func last(_ firing: JSONValue, at now: Int64) -> String {
        let word = firing["end"]?.string ?? firing["outcome"]?.string ?? ""
        guard let time = firing["time"]?.string.flatMap({ WireTime.milliseconds($0) }) else { return word }
        return "\(word) \(rough(max(0, now - time))) ago"
    }

    /// The largest unit of a duration.
    static func rough(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1000
        for (unit, name) in [(86_400, "d"), (3_600, "h"), (60, "m")] where seconds >= unit {
            return "\(seconds / Int64(unit))\(name)"
        }
        return "\(seconds)s"
    }

    /// Milliseconds since 1970.
    static var now: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}
