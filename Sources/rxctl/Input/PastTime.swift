internal import ArgumentParser
internal import Glibc
internal import RxClient
internal import RxJSON
internal import RxProtocol

/// A time in the past: how long ago (`10m`), or a ``GivenTime``, of which a time of day is the last one.
struct PastTime {
    let timestamp: Timestamp

    /// - Throws: `ValidationError` with what to write instead.
    static func parse(_ text: String) throws -> PastTime {
        do throws(GivenTimeFault) {
            return try PastTime(text)
        } catch {
            throw ValidationError(
                "write how long ago, such as 10m, or a time such as 18:00 or 2026-11-22T03:00: \(error.reason)")
        }
    }

    /// - Parameters:
    ///   - now: the present, from which a duration counts.
    ///   - zone: the value of TZ, for times without a zone; nil for the machine's.
    init(
        _ text: String, now: Timestamp = .now, zone variable: String? = getenv("TZ").map { String(cString: $0) }
    ) throws(GivenTimeFault) {
        if let ago = Duration(rxText: text) {
            let (seconds, attoseconds) = ago.components
            timestamp = Timestamp(milliseconds: now.milliseconds - seconds * 1000 - attoseconds / 1_000_000_000_000_000)
        } else {
            timestamp = try GivenTime(text, in: .past, now: now, zone: variable).timestamp
        }
    }
}
