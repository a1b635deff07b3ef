internal import RxJSON
internal import RxTime

extension SlotElement {
    /// The element of a slot that is at the present instant.
    static func ofNow(_ now: Instant, in zone: TimeZoneRules) -> SlotElement {
        SlotElement(scheduled: now, zone: zone, fired: now, missed: 0)
    }

    /// `{"scheduled":…,"local":…,"fired":…,"missed":…}`.
    var json: RawJSON {
        var writer = JSONWriter(reserving: 160)
        writer.object {
            $0.field("scheduled", scheduled)
            $0.field("local", local)
            $0.field("fired", fired)
            $0.field("missed", missed)
        }
        return RawJSON(unchecked: writer.bytes)
    }
}

/// The position of a time source: an instant in microseconds since 1970.
enum SlotPosition {
    static func json(_ instant: Instant) -> RawJSON { RawJSON(unchecked: Array("\(instant.microseconds)".utf8)) }

    /// Nil for anything that is not a position.
    static func instant(_ json: RawJSON) -> Instant? { Int64(json.text).map { Instant(microseconds: $0) } }
}
