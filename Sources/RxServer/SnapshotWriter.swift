internal import RxRecords
internal import RxAction
internal import RxHost
internal import RxJSON

// The `snapshot` in the response to `subscribe`.

extension EventOpening {
    /// Writes an object with one of the members `actions`, `reactors`, `streams`, and `executions`, as `client` may see
    /// them.
    ///
    /// - Parameter hasText: whether the state at a place of the source has a text already: then
    ///   `SplitText.placeholder` stands for it.
    func write(
        _ source: EventSource, _ records: [ExecutionRecord], of subject: HostedKind, for client: Client,
        hasText: (_ place: Int) -> Bool, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        switch source {
        case .named(let sources):
            switch subject {
            case .action: writer.key("actions")
            case .reactor: writer.key("reactors")
            case .stream: writer.key("streams")
            }
            writer.beginObject()
            for (place, (source, levels)) in zip(sources, levels).enumerated() {
                // Actions that are gone have events only.
                guard subject != .action || client.isConfigured(source) else { continue }
                writer.key(source.name)
                switch levels {
                case .action(let levels): client.shown(levels).write(to: &writer)
                case .reactor(let levels): levels.write(hasText: hasText(place), to: &writer)
                case .stream: writer.value(.object(client.snapshot(ofStream: source.name)))
                }
            }
            writer.endObject()
        case .executions:
            writer.key("executions")
            writer.beginObject()
            for record in records {
                writer.key(record.id.description)
                record.write(to: &writer)
            }
            writer.endObject()
        }
        writer.endObject()
    }
}

extension ActionLevels {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("executing", executing)
        enabled.write(to: &writer)
        writer.key("executions")
        writer.beginArray()
        for record in executions { record.write(to: &writer) }
        writer.endArray()
        writer.endObject()
    }
}

extension ReactorLevels {
    fileprivate func write(hasText: Bool, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("state")
        if hasText { writer.raw(SplitText.placeholder) } else { state.write(to: &writer) }
        writer.field("revision", revision)
        writer.endObject()
    }
}
