internal import RxRecords
internal import RxAction
internal import RxHost
internal import RxJSON

/// The `snapshot` in the response to `subscribe`, as one client may see it. Made on the loop, written on any thread.
struct SubscriptionSnapshot: Sendable {
    private enum Row {
        /// An action; of one that is gone there are events only.
        case action(ActionLevels, isConfigured: Bool)
        case reactor(ReactorLevels, hasText: Bool)
        /// Nil for a stream or a reactor that is no longer configured: of those, too, there are events only.
        case stream(VisibleStream?)
    }

    private let subject: HostedKind
    private let source: EventSource
    /// For each name of the source.
    private let rows: [Row]
    private let records: [ExecutionRecord]

    /// - Parameters:
    ///   - records: those of the executions, if the source has executions.
    ///   - hasText: whether the state at a place of the source has a text already: then `SplitText.placeholder` stands
    ///     for it.
    init(
        _ opening: EventOpening, of source: EventSource, _ records: [ExecutionRecord], _ subject: HostedKind,
        for client: Client, hasText: (_ place: Int) -> Bool
    ) {
        self.subject = subject
        self.source = source
        self.records = records
        // Shared: what the client may see of a stream depends on all others.
        var rights = StreamRights(client: client)
        rows = zip(source.sources, opening.levels).enumerated().map { place, named in
            let (source, levels) = named
            switch levels {
            case .action(let levels):
                return .action(client.shown(levels), isConfigured: client.isConfigured(source))
            case .reactor(let levels): return .reactor(levels, hasText: hasText(place))
            case .nothing: return .stream(client.host.streams[source.name].map { rights.visible($0) })
            }
        }
    }

    /// The levels of the actions.
    var levels: [(source: Hosted, levels: ActionLevels)] {
        zip(source.sources, rows).compactMap { source, row in
            if case .action(let levels, _) = row { (source, levels) } else { nil }
        }
    }

    /// Writes an object with one of the members `actions`, `reactors`, `streams`, and `executions`.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        switch source {
        case .named(let sources):
            switch subject {
            case .action: writer.key("actions")
            case .reactor: writer.key("reactors")
            case .stream: writer.key("streams")
            }
            writer.beginObject()
            for (source, row) in zip(sources, rows) { write(row, of: source.name, to: &writer) }
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

    private func write(_ row: Row, of name: String, to writer: inout JSONWriter) {
        switch row {
        case .action(_, isConfigured: false): break
        case .action(let levels, isConfigured: true):
            writer.key(name)
            levels.write(to: &writer)
        case .reactor(let levels, let hasText):
            writer.key(name)
            levels.write(hasText: hasText, to: &writer)
        case .stream(nil): break
        case .stream(let stream?):
            writer.key(name)
            writer.value(.object(stream.snapshot))
        }
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
