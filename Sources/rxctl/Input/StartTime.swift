internal import Glibc
internal import RxClient
internal import RxProtocol
internal import RxTime

/// A time to come: `18:00` (the next one), or `2026-12-24T18:00`, both also with seconds. A zone follows after a space;
/// after a date there may be `Z` or an offset instead.
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
        var words = text.split(separator: " ").map(String.init)
        let present = Instant(microseconds: now.milliseconds * 1000)
        let start: Instant?
        do {
            var zone: TimeZoneRules?
            // "2026-12-24 18:00" has a time in the second place.
            if words.count > 1, let last = words.last, !(last.first?.isNumber ?? false) {
                zone = try files.zone(named: last)
                words.removeLast()
            }
            let time = words.joined(separator: " ")
            let rules = try zone ?? files.machineZone(variable: variable)
            if Self.isTimeOfDay(time) {
                start = try CalendarExpression(time).schedule(in: rules).next(after: present)
            } else {
                let at = try AtTime(time)
                guard zone == nil || !at.hasOffset else {
                    throw StartTimeFault(message: "\"\(text)\" has an offset and a zone; remove one of them")
                }
                start = at.instant(in: rules)
            }
        } catch let fault as StartTimeFault {
            throw fault
        } catch {
            // The reason begins with the text, too.
            let reason = "\(error)".trimmingPrefix("\"\(text)\", ")
            throw StartTimeFault(message: "\"\(text)\" is not a time such as 18:00 or 2026-12-24T18:00: \(reason)")
        }
        guard let start, start > present else { throw StartTimeFault(message: "\"\(text)\" is in the past") }
        timestamp = Timestamp(milliseconds: start.microseconds / 1000)
    }

    /// Whether the text has digits and colons only: an expression of a calendar that has one time a day.
    private static func isTimeOfDay(_ text: String) -> Bool {
        text.contains(":") && text.allSatisfy { $0.isNumber || $0 == ":" }
    }
}

/// Why a text is not a time to come.
struct StartTimeFault: Error, Equatable {
    let message: String
}
