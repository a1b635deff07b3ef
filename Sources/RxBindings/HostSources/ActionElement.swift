internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxRecords
internal import RxStore
internal import RxTime

/// What a stream receives of an event of an execution: `{"action","execution","channel","time"}`, on `errors` and
/// `executions` also `input` and `by`, and `value` or `error`.
enum ActionElement {
    /// Nil for an event that the source does not emit.
    static func value(of event: HostEvent) -> RawJSON? {
        switch event.change {
        case .element(let element):
            object(event, "elements") { $0.field("value", element) }
        case .failure(let error, let record):
            error.isFailure ? object(event, "errors", of: record) { $0.field("error", error.flat) } : nil
        // The next daemon starts it: that is no end.
        case .execution(let record) where record.isPostponed: nil
        case .execution(let record):
            object(event, "executions", of: record) { $0.field("value", record.course) }
        case .executing(let executing):
            object(event, "executing") { $0.field("value", executing) }
        case .refusal, .queueFull, .conditionFailure, .enabled, .state, .fault, .firing, .streamFailure, .drops,
            .added, .changed, .removed:
            nil
        }
    }

    private static func object(
        _ event: HostEvent, _ channel: String, of record: ExecutionRecord? = nil,
        _ writeValue: (inout JSONWriter) -> Void
    ) -> RawJSON {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("action", event.source.name)
            if let id = event.execution { writer.field("execution", "\(id)") }
            writer.field("channel", channel)
            writer.field("time", text(event.time))
            if let record {
                if let input = record.input { writer.field("input", input) }
                writer.field("by", record.causes.by.object)
            }
            writeValue(&writer)
        }
        return RawJSON(unchecked: writer.bytes)
    }

    /// - Parameter milliseconds: since 1970.
    fileprivate static func text(_ milliseconds: Int64) -> String {
        TimeText.utc(Instant(microseconds: milliseconds * 1000))
    }
}

extension Origin {
    /// As clients see it; null for the daemon itself.
    fileprivate var object: RawJSON {
        if case .host = self { .null } else { stored }
    }
}

extension ExecutionRecord {
    /// How far it is: the state, times, the number of elements, and the error of an end without success.
    fileprivate var course: RawJSON {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("state", state.rawValue)
            writer.field("queuedAt", ActionElement.text(queuedAt))
            if let startedAt { writer.field("startedAt", ActionElement.text(startedAt)) }
            if let endedAt { writer.field("endedAt", ActionElement.text(endedAt)) }
            writer.field("elements", elements)
            if let error { writer.field("error", error.flat) }
        }
        return RawJSON(unchecked: writer.bytes)
    }
}

extension ExecutionError {
    /// Whether it is one of those that the channel `errors` carries: not an end that somebody requested.
    fileprivate var isFailure: Bool {
        switch self {
        case .failed, .timedOut, .interrupted: true
        case .cancelled, .superseded, .stopped, .postponed: false
        }
    }

    /// An object with `name`, `message`, and the facts.
    fileprivate var flat: RawJSON {
        var object: JSONObject = if case .failed(let failure) = self { failure.facts } else { JSONObject() }
        object["name"] = .string(name.rawValue)
        object["message"] = .string(description)
        object["cause"] = cause.map { .string($0) }
        return RawJSON(.object(object))
    }

    /// Why it ended, where that is not the work itself: the words of `data.cause` on the wire.
    private var cause: String? {
        switch self {
        case .failed, .timedOut, .cancelled: nil
        case .superseded: "superseded"
        case .stopped, .postponed: "stopping"
        case .interrupted: "interrupted"
        }
    }
}
