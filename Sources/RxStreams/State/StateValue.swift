internal import RxJSON
internal import RxTime

/// A value that the state of a step consists of, as it is stored.
protocol StateValue: Sendable {
    /// Nil if the stored value is of another type, because an earlier version wrote it.
    init?(stored json: JSONValue)
    var json: JSONValue { get }
}

extension Int: StateValue {
    init?(stored json: JSONValue) {
        guard let value = json.int else { return nil }
        self = value
    }

    var json: JSONValue { JSONValue(self) }
}

extension Bool: StateValue {
    init?(stored json: JSONValue) {
        guard let value = json.bool else { return nil }
        self = value
    }

    var json: JSONValue { .bool(self) }
}

extension Instant: StateValue {
    init?(stored json: JSONValue) {
        guard let value = json.int else { return nil }
        self.init(microseconds: Int64(value))
    }

    var json: JSONValue { JSONValue(Int(microseconds)) }
}

extension RawJSON: StateValue {
    init?(stored json: JSONValue) { self.init(json) }
    var json: JSONValue { value() }
}

extension Optional: StateValue where Wrapped: StateValue {
    init?(stored json: JSONValue) {
        guard let array = json.array else { return nil }
        guard let first = array.first else {
            self = .none
            return
        }
        guard let value = Wrapped(stored: first) else { return nil }
        self = .some(value)
    }

    /// An array, so that a null is a value.
    var json: JSONValue { map { .array([$0.json]) } ?? .array([]) }
}

extension Array: StateValue where Element: StateValue {
    init?(stored json: JSONValue) {
        guard let array = json.array else { return nil }
        let values = array.compactMap { Element(stored: $0) }
        guard values.count == array.count else { return nil }
        self = values
    }

    var json: JSONValue { .array(map(\.json)) }
}

extension StreamElement: StateValue {
    init?(stored json: JSONValue) {
        guard let value = json["value"], let time = json["time"].flatMap(Instant.init(stored:)) else { return nil }
        self.init(
            value: RawJSON(value), time: time, key: json["key"].map { RawJSON($0) },
            from: json["from"].map { RawJSON($0) })
        let origin = ElementOrigin(
            position: json["position"].map { RawJSON($0) }, scheduled: json["scheduled"].flatMap(Instant.init(stored:)),
            causes: json["causes"].map { RawJSON($0) })
        if origin != ElementOrigin() { self.origin = origin }
    }

    var json: JSONValue {
        var members: [(String, JSONValue)] = [("value", value.value()), ("time", time.json)]
        if let key { members.append(("key", key.value())) }
        if let from { members.append(("from", from.value())) }
        if let position = origin?.position { members.append(("position", position.value())) }
        if let scheduled = origin?.scheduled { members.append(("scheduled", scheduled.json)) }
        if let causes = origin?.causes { members.append(("causes", causes.value())) }
        return .object(JSONObject(members))
    }
}
