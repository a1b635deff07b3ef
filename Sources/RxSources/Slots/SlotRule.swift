internal import RxJSON
public import RxTime

/// What a time source is configured with: `every`, `calendar`, `cron`, or `at`, read and checked.
public enum SlotRule: Hashable, Sendable {
    /// At multiples of a distance.
    case every(microseconds: Int64)
    /// An expression of systemd.time.
    case calendar(CalendarExpression)
    /// An expression of cron.
    case cron(CronExpression)
    /// One time.
    case at(AtTime)

    /// Reads the value of the key `every`, such as `15m`.
    public static func every(_ text: String) throws(SlotFault) -> SlotRule {
        guard let distance = Duration(rxText: text) else {
            throw SlotFault("every", "\"\(text)\" is not a duration; use one such as 500ms, 15m, 1h30m, or 7d")
        }
        let microseconds = distance.wholeMicroseconds
        do throws(EverySchedule.Fault) {
            _ = try EverySchedule(microseconds: microseconds, zone: .utc)
        } catch {
            throw SlotFault("every", "\"\(text)\": \(error)")
        }
        return .every(microseconds: microseconds)
    }

    /// Reads the value of the key `calendar`.
    public static func calendar(_ text: String) throws(SlotFault) -> SlotRule {
        do throws(ExpressionFault) {
            return .calendar(try CalendarExpression(text))
        } catch {
            throw SlotFault("calendar", error)
        }
    }

    /// Reads the value of the key `cron`. `@reboot` is a fault, since it is no time.
    public static func cron(_ text: String) throws(SlotFault) -> SlotRule {
        guard text.lowercased() != "@reboot" else {
            throw SlotFault("cron", "\"@reboot\" is not a time; use start = true, which emits once at each start")
        }
        do throws(ExpressionFault) {
            return .cron(try CronExpression(text))
        } catch {
            throw SlotFault("cron", error)
        }
    }

    /// Reads the value of the key `at`, a string or the text of a TOML date-time.
    public static func at(_ text: String) throws(SlotFault) -> SlotRule {
        do throws(ExpressionFault) {
            return .at(try AtTime(text))
        } catch {
            throw SlotFault("at", error)
        }
    }

    /// The key in the configuration.
    public var key: String {
        switch self {
        case .every: "every"
        case .calendar: "calendar"
        case .cron: "cron"
        case .at: "at"
        }
    }

    /// The value in the configuration; a distance has its shortest form.
    public var text: String {
        switch self {
        case .every(let microseconds): Duration.microseconds(microseconds).rxText
        case .calendar(let expression): expression.text
        case .cron(let expression): expression.text
        case .at(let time): time.text
        }
    }

    /// The slots in a zone. The distance of `every` was checked when it was read.
    public func schedule(in zone: TimeZoneRules) -> Schedule {
        switch self {
        case .every(let microseconds):
            // `every(_:)` accepts no other distances; one that a caller made up has no slots.
            (try? EverySchedule(microseconds: microseconds, zone: zone)).map { .every($0) }
                ?? .once(.beginning)
        case .calendar(let expression): expression.schedule(in: zone)
        case .cron(let expression): expression.schedule(in: zone)
        case .at(let time): time.schedule(in: zone)
        }
    }
}
