internal import RxJSON
internal import RxPictures

/// What has happened at a stream, as the events of a picture: a lane for its elements and errors, and one for each
/// action and reactor that it gives elements to, with the firings and the executions.
struct StreamMarbles {
    /// The name of the stream.
    let name: String
    private let stream: JSONValue
    private var executions: [String: JSONValue] = [:]
    /// Nil if they are not known.
    private var events: [JSONValue]?
    private var firings: [JSONValue]
    /// The events with the ends of firings, by their executions.
    private var ends: [String: JSONValue] = [:]

    /// - Parameter stream: the reply to `stream.describe`.
    init(_ stream: JSONValue) {
        name = stream.text("stream")
        self.stream = stream
        firings = stream["firings"]?.array ?? []
    }

    /// Adds the records of all events of the stream that the daemon still has. Firings that are known already are left
    /// out, and so are events from before the time. If the daemon has forgotten elements since then, a gap is added
    /// with their number.
    ///
    /// - Parameter time: in milliseconds since 1970.
    mutating func add(events all: [JSONValue], since time: Int64) {
        var new = all.filter { WireTime.milliseconds($0.text("time")) ?? time >= time }
        let elements = all.filter { $0.text("channel") == "elements" }
        let forgotten = (stream["emitted"]?.int ?? 0) - elements.count
        if forgotten > 0, let oldest = elements.first, (WireTime.milliseconds(oldest.text("time")) ?? 0) > time {
            let gap: JSONValue = [
                "time": .string(oldest.text("time")), "channel": "lag", "stream": .string(name),
                "value": ["dropped": JSONValue(forgotten)],
            ]
            new.insert(gap, at: 0)
        }
        events = (events ?? []) + new.filter { $0.text("channel") != "firings" }
        add(firings: new.filter { $0.text("channel") == "firings" })
    }

    /// Adds firings; if one came again when its execution had ended, the later one counts.
    private mutating func add(firings events: [JSONValue]) {
        var known = Dictionary(firings.indices.map { (Self.identity(firings[$0]), $0) }) { $1 }
        for event in events {
            guard let firing = event["value"] else { continue }
            if let index = known[Self.identity(firing)] {
                if firing["end"] != nil { firings[index] = firing }
            } else {
                known[Self.identity(firing)] = firings.count
                firings.append(firing)
            }
            if firing["end"] != nil { ends[firing.text("execution")] = event }
        }
    }

    /// Adds records of executions; those that the stream has not started are left out.
    mutating func add(records: [JSONValue]) {
        let fired = Set(firings.compactMap { $0["execution"]?.string })
        for record in records {
            let id = record.text("execution")
            guard fired.contains(id) || record["by"]?["stream"]?.string == name else { continue }
            executions[id] = record
        }
    }

    /// Whether the daemon has forgotten events, nobody knows how many.
    var isIncomplete: Bool {
        (events ?? []).contains { $0.text("channel") == "lag" && $0["value"]?["dropped"]?.int == nil }
    }

    /// The picture of a time, in milliseconds since 1970.
    ///
    /// - Parameter offset: the seconds that local time is ahead of UTC.
    func marbles(
        from: Int64, to: Int64, offset: @escaping @Sendable (Int64) -> Int = { LocalOffset.seconds(at: $0) }
    ) -> Marbles {
        let own = (events ?? []).compactMap(mark)
        let targets = (stream["targets"]?.array ?? []).compactMap(\.string)
        return Marbles(
            title: name, events: own + firings.compactMap(event) + executions.values.flatMap(Self.events) + unrecorded,
            lanes: (events == nil ? [] : [name]) + targets, from: from, to: to, offset: offset)
    }

    /// An element, an error, or a gap of the stream itself.
    private func mark(_ event: JSONValue) -> MarbleEvent? {
        guard let time = WireTime.milliseconds(event.text("time")) else { return nil }
        switch event.text("channel") {
        case "elements":
            return MarbleEvent(time: time, lane: name, kind: .element, value: event["value"].map { RawJSON($0) })
        case "errors":
            return MarbleEvent(time: time, lane: name, kind: .error, error: event["error"]?["message"]?.string)
        case "lag": return event["value"]?["dropped"]?.int.map { MarbleEvent(time: time, lane: name, kind: .lag($0)) }
        default: return nil
        }
    }

    private static func identity(_ firing: JSONValue) -> String {
        "\(firing["number"]?.int ?? 0) \(firing.text("time")) \(firing.text("target"))"
    }

    /// The events of the stream, the firings, and the records of executions, in the order of the daemon.
    var rows: [JSONValue] { (events ?? []) + firings + executions.sorted { $0.key < $1.key }.map(\.value) }

    private func event(_ firing: JSONValue) -> MarbleEvent? {
        guard let time = WireTime.milliseconds(firing.text("time")),
            let outcome = MarbleEvent.Firing(rawValue: firing.text("outcome"))
        else { return nil }
        return MarbleEvent(
            time: time, lane: firing.text("target"), kind: .firing(outcome), execution: firing["execution"]?.string,
            error: firing["error"]?.string ?? firing["message"]?.string)
    }

    /// The executions that have ended without a record, such as those of actions without a history.
    private var unrecorded: [MarbleEvent] {
        firings.flatMap { firing -> [MarbleEvent] in
            let id = firing.text("execution")
            guard executions[id] == nil, let event = ends[id] else { return [] }
            let end = firing.text("end")
            return Self.events([
                "execution": .string(id), "action": .string(firing.text("target")),
                "startedAt": .string(firing.text("time")), "endedAt": .string(event.text("time")),
                "state": .string(end),
            ])
        }
    }

    /// The beginning and the end of an execution, as far as they have come.
    private static func events(_ record: JSONValue) -> [MarbleEvent] {
        let (id, lane) = (record.text("execution"), record.text("action"))
        guard let start = WireTime.milliseconds(record.text("startedAt")) else { return [] }
        let begun = MarbleEvent(time: start, lane: lane, kind: .executionStarted, execution: id)
        guard let end = WireTime.milliseconds(record.text("endedAt")) else { return [begun] }
        let state = record.text("state")
        return [
            begun,
            MarbleEvent(
                time: end, lane: lane, kind: .executionEnded, execution: id, error: state == "completed" ? nil : state),
        ]
    }
}
