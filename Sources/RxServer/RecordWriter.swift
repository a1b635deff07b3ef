internal import RxRecords
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import JSONRPC

// The host's values on the wire; `RxProtocol/Types` and docs/protocol.md describe every field.

extension ExecutionRecord {
    /// - Parameter addMembers: writes further members into the object.
    func write(to writer: inout JSONWriter, _ addMembers: (inout JSONWriter) -> Void = { _ in }) {
        writer.beginObject()
        writer.key("execution")
        writer.execution(id)
        writer.field("action", action)
        writer.field("state", state.rawValue)
        writer.key("by")
        by.write(to: &writer)
        causes.write(to: &writer)
        if let input {
            writer.field("input", input)
        }
        writer.key("queuedAt")
        writer.time(queuedAt)
        if let dueAt {
            writer.key("at")
            writer.time(dueAt)
        }
        writer.key("startedAt")
        writer.time(startedAt)
        writer.key("endedAt")
        writer.time(endedAt)
        if let attempts { attempts.write(to: &writer) }
        writer.field("elements", elements)
        writer.key("error")
        if let error {
            writer.value(RPCError(error))
        } else {
            writer.null()
        }
        addMembers(&writer)
        writer.endObject()
    }
}

extension Attempts {
    /// Writes the fields `attempt`, `attempts`, and, between two attempts, `retry` into an object that has begun.
    fileprivate func write(to writer: inout JSONWriter) {
        writer.field("attempt", number)
        writer.field("attempts", most)
        guard let failure else { return }
        writer.key("retry")
        writer.beginObject()
        writer.field("error", RPCError(failure.error))
        writer.field("delay", failure.delay.rxText)
        writer.key("at")
        writer.time(failure.endsAt)
        writer.endObject()
    }
}

extension Origin {
    func write(to writer: inout JSONWriter) {
        switch self {
        case .peer(let uid, let gid, let pid):
            writer.beginObject()
            writer.field("uid", Int(uid))
            writer.field("gid", Int(gid))
            writer.field("pid", Int(pid))
            writer.endObject()
        case .rule(let reactor, let rule):
            writer.beginObject()
            writer.field("reactor", reactor)
            writer.field("rule", rule)
            writer.endObject()
        case .stream(let name, let scheduled):
            writer.beginObject()
            writer.field("stream", name)
            if let scheduled { writer.field("scheduled", scheduled) }
            writer.endObject()
        case .host:
            writer.null()
        case .other(let object):
            writer.value(.object(object))
        }
    }
}

extension Causes {
    /// Writes the fields `causes` and, if links are left out, `causesOmitted` into an object that has begun.
    func write(to writer: inout JSONWriter) {
        writer.key("causes")
        writeLinks(to: &writer)
        if omitted > 0 { writer.field("causesOmitted", omitted) }
    }

    /// Writes the links as an array.
    func writeLinks(to writer: inout JSONWriter) {
        writer.beginArray()
        if isChain {
            for link in links { link.write(to: &writer) }
        } else {
            by.write(to: &writer)
        }
        writer.endArray()
    }
}

extension Enabled {
    /// Writes the fields `enabled` and `reason` into an object that has begun.
    func write(to writer: inout JSONWriter) {
        writer.field("enabled", isEnabled)
        writer.key("reason")
        if let reason {
            reason.write(to: &writer)
        } else {
            writer.null()
        }
    }
}

extension DisabledReason {
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("cause")
        switch self {
        case .executing(let id, let since, let by, let inFlight, let limit):
            writer.string("executing")
            writer.field("execution", id.description)
            writer.key("since")
            writer.time(since)
            writer.key("by")
            by.write(to: &writer)
            writer.field("inFlight", inFlight)
            writer.field("limit", limit)
        case .unmet(let condition):
            writer.string("condition")
            writer.field("value", false)
            if let reactor = condition.reactor { writer.field("reactor", reactor) }
            if let when = condition.when { writer.field("when", when) }
            if let text = condition.text { writer.field("message", text) }
            if let error = condition.error { writer.field("error", error) }
        case .condition(let error):
            writer.string("condition")
            writer.field("value", false)
            if let error {
                writer.field("error", error)
            }
        case .manual(let manual):
            writer.string("manual")
            writer.key("by")
            manual.by.write(to: &writer)
            writer.key("since")
            writer.time(manual.since)
            writer.key("reason")
            if let reason = manual.reason {
                writer.string(reason)
            } else {
                writer.null()
            }
        case .stopping:
            writer.string("stopping")
        }
        writer.endObject()
    }
}

extension JSONWriter {
    /// A time of the host, or null.
    mutating func time(_ milliseconds: Int64?) {
        guard let milliseconds else { return null() }
        separate()
        literal("\"")
        Timestamp(milliseconds: milliseconds).write(to: &bytes)
        literal("\"")
        valueEnded()
    }

    mutating func execution(_ id: ExecutionID) {
        separate()
        literal("\"")
        id.append(to: &bytes)
        literal("\"")
        valueEnded()
    }

    mutating func stringOrNull(_ text: String?) {
        if let text { string(text) } else { null() }
    }

    mutating func strings(_ texts: [String]) {
        beginArray()
        for text in texts { string(text) }
        endArray()
    }

    mutating func field(_ name: StaticString, _ error: RPCError) {
        key(name)
        value(error)
    }

    /// The result of an execution with one element; nil if the element has no room.
    mutating func result(of execution: ExecutionID, _ element: RawJSON?) {
        literal("{\"execution\":\"")
        execution.append(to: &bytes)
        literal("\",\"elements\":[")
        if let element { raw(element) }
        literal(element == nil ? "],\"truncated\":true}" : "],\"truncated\":false}")
        valueEnded()
    }

    /// The whole response with `result(of:)`, written with one allocation: the most frequent response by far.
    /// `element` must not have newlines.
    mutating func response(_ id: RequestID, _ execution: ExecutionID, _ element: RawJSON) {
        id.withUTF8 { id in
            element.utf8.withUnsafeBytes { element in
                let room = JSONWriter.responseBytes + id.count + element.count
                bytes.append(addingCapacity: room) { span in
                    span.withUnsafeMutableBufferPointer { buffer, count in
                        var end = LineEnd(UnsafeMutableRawBufferPointer(buffer))
                        end.put("{\"jsonrpc\":\"2.0\",\"id\":")
                        end.put(id)
                        end.put(",\"result\":{\"execution\":\"")
                        end.put(execution)
                        end.put("\",\"elements\":[")
                        end.put(element)
                        end.put("],\"truncated\":false}}")
                        count = end.count
                    }
                }
            }
        }
    }

    /// Most bytes that `response` writes besides the id and the element.
    private static let responseBytes = 128

    /// Ends a message's line.
    mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
    }
}
