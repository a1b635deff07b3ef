internal import Glibc
internal import RxClient
internal import RxJSON
internal import RxProtocol

/// A time in the past: how long ago (`10m`), a local time (`2026-11-22T03:00`, also with seconds, or with a space in
/// the place of the T), a day (`2026-11-22`), or a time in UTC as the daemon writes it (`2026-11-22T03:00:00.000Z`).
struct PastTime {
    let timestamp: Timestamp

    /// Nil for other text.
    ///
    /// - Parameter now: the present, from which a duration counts.
    init?(_ text: String, now: Timestamp = .now) {
        if let ago = Duration(rxText: text) {
            let (seconds, attoseconds) = ago.components
            timestamp = Timestamp(milliseconds: now.milliseconds - seconds * 1000 - attoseconds / 1_000_000_000_000_000)
        } else if let time = Timestamp(text) ?? Self.local(text) {
            timestamp = time
        } else {
            return nil
        }
    }

    /// A time of this machine's zone.
    private static func local(_ text: String) -> Timestamp? {
        let form = text.replacing(" ", with: "T", maxReplacements: 1)
        // What is left out, by the length of what is there.
        let missing = [10: "T00:00:00.000Z", 16: ":00.000Z", 19: ".000Z"]
        guard let rest = missing[form.utf8.count], let time = Timestamp(form + rest) else { return nil }
        var date = tm()
        var seconds = time_t(time.milliseconds / 1000)
        gmtime_r(&seconds, &date)
        // Whether there is summer time then.
        date.tm_isdst = -1
        return Timestamp(milliseconds: Int64(mktime(&date)) * 1000)
    }
}
