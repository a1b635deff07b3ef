internal import RxJSON
internal import RxTime

/// The state of a unit, which becomes an element.
///
///     {"unit":"nginx.service","active":"active","sub":"running","result":"success",
///      "since":"2026-03-29T01:00:00.000Z","restarts":0}
///
/// `active`, `sub`, and `result` are systemd's words. `since` is when `active` or `sub` changed last; null for a unit
/// that has not changed since it was loaded. `result` is null for types without one, and `restarts` for all but
/// services. A unit whose file does not exist is `inactive`, with the `sub` `not-found`.
struct UnitState: Hashable {
    /// The `sub` of a unit without a file.
    static let notFound = "not-found"

    var active: String
    var sub: String
    var result: String?
    /// Microseconds since 1970-01-01T00:00:00Z; 0 for none.
    var since: UInt64 = 0
    var restarts: UInt64?

    /// The state of a unit that nothing has happened to.
    init(active: String = "inactive", sub: String = "dead", of kind: UnitKind?) {
        self.active = active
        self.sub = sub
        result = kind?.hasResult == true ? "success" : nil
        restarts = kind?.hasRestarts == true ? 0 : nil
    }

    /// Whether the unit neither runs nor has failed, so that systemd may forget it.
    var isInactive: Bool { active == "inactive" }

    /// Takes over those of the properties that are part of a state.
    mutating func merge(_ properties: JSONValue) {
        if let active = properties["ActiveState"]?.string { self.active = active }
        if let sub = properties["SubState"]?.string { self.sub = sub }
        if let since = properties["StateChangeTimestamp"]?.number?.uint { self.since = since }
        if let result = properties["Result"]?.string { self.result = result }
        if let restarts = properties["NRestarts"]?.number?.uint { self.restarts = restarts }
    }

    /// The element for the unit of this name.
    func element(of unit: String) -> RawJSON {
        var writer = JSONWriter()
        writer.object { object in
            object.field("unit", unit)
            object.field("active", active)
            object.field("sub", sub)
            object.field("result", result.map(JSONValue.string) ?? .null)
            let since = Int64(exactly: since).flatMap { $0 > 0 ? TimeText.utc(Instant(microseconds: $0)) : nil }
            object.field("since", since.map(JSONValue.string) ?? .null)
            object.field("restarts", restarts.map { JSONValue($0) } ?? .null)
        }
        return RawJSON(unchecked: writer.bytes)
    }
}
