internal import Glibc
internal import RxClient
internal import RxProtocol
internal import RxTime

/// A time as people write it, for each option that takes one: a time of day (`18:00`), a day (`2026-12-24`), or both
/// (`2026-12-24T18:00`, also with a space in the place of the T), with or without seconds and a fraction. It is one of
/// this machine's clock, or of the zone that follows after a space; after a day and a time there may be `Z` or an
/// offset (`+01:00`) instead.
struct GivenTime {
    /// Which day a time of day is of.
    enum Side {
        /// The last one until now.
        case past
        /// The next one from now on.
        case future
    }

    let timestamp: Timestamp

    /// - Parameters:
    ///   - side: where a time of day is looked for.
    ///   - now: the present.
    ///   - files: where zones come from.
    ///   - zone: the value of TZ, for times without a zone; nil for the machine's.
    init(
        _ text: String, in side: Side, now: Timestamp = .now, files: ZoneFiles = .system(),
        zone variable: String? = getenv("TZ").map { String(cString: $0) }
    ) throws(GivenTimeFault) {
        if let time = Self.farTime(text) {
            timestamp = time
            return
        }
        var form = text
        do {
            var words = text.split(separator: " ").map(String.init)
            var zone: TimeZoneRules?
            // "2026-12-24 18:00" has a time in the second place.
            if words.count > 1, let last = words.last, !(last.first?.isNumber ?? false) {
                zone = try files.zone(named: last)
                words.removeLast()
            }
            form = words.joined(separator: " ")
            let instant: Instant?
            if Self.isTimeOfDay(form) {
                let present = Instant(microseconds: now.milliseconds * 1000)
                let rules = try zone ?? files.machineZone(variable: variable)
                let slots = try CalendarExpression(form).schedule(in: rules)
                instant =
                    switch side {
                    case .past: slots.previous(before: present.adding(microseconds: 1))
                    case .future: slots.next(after: present)
                    }
            } else {
                if Self.isDay(form) { form += "T00:00" }
                let at = try AtTime(form)
                guard zone == nil || !at.hasOffset else {
                    throw GivenTimeFault(reason: "it has an offset and a zone; remove one of them")
                }
                instant = at.instant(in: at.hasOffset ? .utc : try zone ?? files.machineZone(variable: variable))
            }
            guard let instant else { throw GivenTimeFault(reason: "there is no such time") }
            timestamp = Timestamp(milliseconds: instant.microseconds / 1000)
        } catch let fault as GivenTimeFault {
            throw fault
        } catch {
            // The reason begins with the text, too.
            throw GivenTimeFault(reason: String("\(error)".trimmingPrefix("\"\(form)\", ")))
        }
    }

    /// Whether the text has digits and colons only: an expression of a calendar that has one time a day.
    private static func isTimeOfDay(_ text: String) -> Bool {
        text.contains(":") && text.allSatisfy { $0.isNumber || $0 == ":" }
    }

    /// Whether the text is like `2026-12-24`.
    private static func isDay(_ text: String) -> Bool {
        text.utf8.count == 10 && text.allSatisfy { $0.isNumber || $0 == "-" }
    }

    /// A time of a year for which zones have no rules, such as `9999-12-31`: it is one of UTC.
    private static func farTime(_ text: String) -> Timestamp? {
        guard let year = Int(text.prefix(4)), !(1970...2199).contains(year) else { return nil }
        let form = text.replacing(" ", with: "T", maxReplacements: 1)
        // What is left out, by the length of what is there.
        let missing = [10: "T00:00:00.000Z", 16: ":00.000Z", 19: ".000Z", 24: ""]
        return missing[form.utf8.count].flatMap { Timestamp(form + $0) }
    }
}

/// Why a text is not a time.
struct GivenTimeFault: Error, Equatable {
    let reason: String
}
