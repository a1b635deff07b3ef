internal import Glibc
internal import RxClient
internal import RxProtocol
internal import RxTime

/// A time to come: a ``GivenTime``, of which a time of day is the next one.
struct StartTime {
    let timestamp: Timestamp

    /// - Parameters:
    ///   - now: the present.
    ///   - files: where zones come from.
    ///   - zone: the value of TZ, for times without a zone; nil for the machine's.
    init(
        _ text: String, now: Timestamp = .now, files: ZoneFiles = .system(),
        zone variable: String? = getenv("TZ").map { String(cString: $0) }
    ) throws(StartTimeFault) {
        do throws(GivenTimeFault) {
            timestamp = try GivenTime(text, in: .future, now: now, files: files, zone: variable).timestamp
        } catch {
            throw StartTimeFault(
                message: "\"\(text)\" is not a time such as 18:00 or 2026-12-24T18:00: \(error.reason)")
        }
        guard timestamp > now else { throw StartTimeFault(message: "\"\(text)\" is in the past") }
    }
}

/// Why a text is not a time to come.
struct StartTimeFault: Error, Equatable {
    let message: String
}
