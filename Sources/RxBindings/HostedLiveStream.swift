internal import Rx
internal import RxHost
internal import RxJSON
internal import RxRecords
internal import RxStreams
internal import RxTime

/// A stream as the server sees it.
final class HostedLiveStream: HostedStream {
    fileprivate let stream: LiveStream
    let access: Access?
    let targets: [String]
    fileprivate let condition: EnabledCondition?

    init(_ stream: LiveStream, access: Access?, condition: EnabledCondition?, targets: [String]) {
        self.condition = condition
        self.stream = stream
        self.access = access
        self.targets = targets
    }

    var name: String { stream.name }

    var related: Set<String> {
        var names = Set(targets).union(stream.definition.reads)
        // Its reasons show something of them.
        if let condition { names.formUnion(condition.reactors.union(condition.streams)) }
        for case .external(let source) in stream.definition.allSources {
            if source.kind == "reactor" { names.insert(source.text("reactor") ?? "") }
            if source.kind == "action" { names.formUnion(source.texts("action") ?? []) }
        }
        return names
    }

    var readsMachine: Bool {
        stream.definition.allSources.contains { source in
            if case .external(let source) = source {
                SourceTable.named(source.kind)?.needsManage ?? false
                    || (source.kind == "action" && source.texts("action")?.contains("*") ?? false)
            } else {
                false
            }
        }
    }

    var isSubject: Bool {
        if case .external(let source) = stream.definition.source { source.kind == "subject" } else { false }
    }

    var isPersistent: Bool { stream.definition.isPersistent }

    var places: [String] { StreamSteps.places(stream.definition) }

    func tap(_ place: String, _ body: (@Sendable (RawJSON, Int64) -> Void)?) { stream.tap(place, body) }

    func inject(_ value: RawJSON?, causes: Causes) {
        stream.inject(value ?? stream.elementOfNow, causes: causes)
    }

    var currentValues: [RawJSON]? { stream.isLevel ? stream.output.currentValues : nil }

    func nextTimes(_ count: Int) -> [Int64] { stream.upcoming(count).map { $0.microseconds / 1000 } }

    var disabledReason: String? { stream.disabledReason }

    var hasEnded: Bool { stream.hasEnded }

    func set(_ manual: ManualSwitch?) { stream.set(manual) }

    // MARK: Reports

    var summary: JSONObject { summary(stream.status) }

    private func summary(_ status: StreamStatus) -> JSONObject {
        var object: JSONObject = [
            "stream": .string(name), "description": stream.definition.summary.map { .string($0) } ?? .null,
            "source": .string(stream.definition.source.text), "targets": .array(targets.map { .string($0) }),
        ]
        switch status.state {
        case .running: object["state"] = "running"
        case .ended: object["state"] = "ended"
        case .disabled(let reason):
            object["state"] = "disabled"
            object["reason"] = .string(reason)
        case .waiting(let reason):
            object["state"] = "waiting"
            object["reason"] = .string(reason)
        }
        if let next = status.next { object["next"] = .string(next.shown) }
        if let last = status.firings.last { object["last"] = last.json }
        object["taken"] = JSONValue(status.taken)
        object["emitted"] = JSONValue(status.emitted)
        object["failures"] = JSONValue(status.failures)
        object["lost"] = JSONValue(status.lost)
        object["persist"] = .bool(stream.definition.isPersistent)
        return object
    }

    var details: JSONObject {
        let status = stream.status
        var object = summary(status)
        object["coalesced"] = JSONValue(status.coalesced)
        object["steps"] = .array(
            status.steps.map { step in
                [
                    "step": .string(step.place), "operator": .string(step.name), "taken": JSONValue(step.taken),
                    "emitted": JSONValue(step.emitted), "waiting": JSONValue(step.waiting),
                    "failed": JSONValue(step.failed),
                ]
            })
        object["firings"] = .array(status.firings.map(\.json))
        object["counts"] = .object(
            JSONObject(status.counts.sorted { $0.key < $1.key }.map { ($0.key, JSONValue($0.value)) }))
        if let due = status.due { object["due"] = .string(due.shown) }
        object["upcoming"] = .array(stream.upcoming(5).map { .string($0.shown) })
        return object
    }
}

extension HostedLiveStream {
    func graph(for view: StreamView) -> JSONObject {
        let status = stream.status
        let figures = Dictionary(status.steps.map { ($0.place, $0) }) { first, _ in first }
        let structure = StreamStructure(stream.definition, figures: figures, for: view)
        let targets = stream.bindings.compactMap { binding -> JSONValue? in
            guard view.shows(binding.definition.target.name) else { return nil }
            return [
                "kind": .string(binding.definition.target.kind), "name": .string(binding.definition.target.name),
                "refused": JSONValue(binding.counts["refused"] ?? 0),
            ]
        }
        return [
            "inline": .bool(!stream.definition.isNamed),
            "seconds": JSONValue(Int(max(0, stream.now.microseconds - stream.since.microseconds) / 1_000_000)),
            "sources": .array(structure.sources), "steps": .array(structure.steps), "targets": .array(targets),
            "conditions": .array((condition?.parts ?? []).compactMap { $0.reference(for: view) }),
        ]
    }
}

extension BindingDefinition.Target {
    fileprivate var kind: String {
        switch self {
        case .action: "action"
        case .reactor: "reactor"
        }
    }
}

extension Instant {
    /// In UTC, in milliseconds.
    fileprivate var shown: String { TimeText.utc(Instant(microseconds: microseconds / 1000 * 1000)) }
}

extension SourceDefinition {
    /// The source in a few words, such as `calendar *-*-* 03:00`.
    package var text: String {
        switch self {
        case .external(let source):
            switch source.arguments[source.kind] {
            case .text(let text)?: "\(source.kind) \(text)"
            case .texts(let texts)?: "\(source.kind) \(texts.joined(separator: " "))"
            case .duration(let microseconds)?: "\(source.kind) \(Duration.microseconds(microseconds).rxText)"
            default: source.kind
            }
        case .stream(let name, .elements): "stream \(name)"
        case .stream(let name, let channel): "stream \(name) \(channel.rawValue)"
        case .merge(let sources): "merge of \(sources.count)"
        case .combineLatest(let sources): "combineLatest " + sources.map(\.name).joined(separator: " ")
        case .zip(let sources): "zip " + sources.map(\.name).joined(separator: " ")
        }
    }
}
