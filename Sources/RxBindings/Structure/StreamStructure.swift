internal import RxHost
internal import RxJSON
internal import RxStreams

/// What a stream consists of, in flat lists: the sources with their places, the steps with theirs, and the targets.
///
/// What the client may not see is left out; see ``StreamView``.
struct StreamStructure {
    private let definition: StreamDefinition
    private let view: StreamView
    private let text: StructureText
    private(set) var sources: [JSONValue] = []
    private(set) var steps: [JSONValue] = []

    /// - Parameter figures: of the steps, by their places.
    init(_ definition: StreamDefinition, figures: [String: StreamStatus.Step], for view: StreamView) {
        self.definition = definition
        self.view = view
        text = StructureText(isShown: view.showsTexts)
        add(definition.source, step: "0", place: "1")
        add(definition.steps, in: "", figures: figures)
    }

    // MARK: Sources

    /// Adds a source, then its parts.
    private mutating func add(_ source: SourceDefinition, step: String, place: String) {
        var row: JSONObject = ["step": .string(step), "place": .string(place), "key": .string(Self.key(source))]
        row["value"] = .string(text.value(of: source))
        row["references"] = .array(references(source))
        sources.append(.object(row))
        for (index, part) in Self.parts(source).enumerated() { add(part, step: step, place: "\(place).\(index + 1)") }
    }

    private static func key(_ source: SourceDefinition) -> String {
        switch source {
        case .external(let source): source.kind
        case .stream: "stream"
        case .merge: "merge"
        case .combineLatest: "combineLatest"
        case .zip: "zip"
        }
    }

    private static func parts(_ source: SourceDefinition) -> [SourceDefinition] {
        switch source {
        case .external, .stream: []
        case .merge(let sources): sources
        case .combineLatest(let sources), .zip(let sources): sources.map(\.source)
        }
    }

    /// What of the daemon the source reads.
    private func references(_ source: SourceDefinition) -> [JSONValue] {
        switch source {
        case .stream(let name, let channel):
            reference("stream", name, channel == .elements ? "" : channel.rawValue).map { [$0] } ?? []
        case .external(let source) where source.kind == "reactor":
            reference("reactor", source.text("reactor") ?? "", source.text("pointer") ?? "").map { [$0] } ?? []
        case .external(let source) where source.kind == "action":
            (source.texts("action") ?? []).compactMap { name in
                name == "*" ? nil : reference("action", name, (source.texts("channel") ?? []).joined(separator: " "))
            }
        case .external, .merge, .combineLatest, .zip: []
        }
    }

    private func reference(_ kind: String, _ name: String, _ label: String) -> JSONValue? {
        guard view.shows(name) else { return nil }
        return ["kind": .string(kind), "name": .string(name), "label": .string(label)]
    }

    // MARK: Steps

    /// Adds steps in order, each followed by the steps within it.
    private mutating func add(_ chain: [StepDefinition], in outer: String, figures: [String: StreamStatus.Step]) {
        for (index, step) in chain.enumerated() {
            let place = outer.isEmpty ? "\(index + 1)" : "\(outer).\(index + 1)"
            var row: JSONObject = ["step": .string(place), "operator": .string(step.name)]
            row["argument"] = .string(text.arguments(of: step))
            if let action = step.executed, view.shows(action) { row["executes"] = .string(action) }
            // What modifies another step emits nothing by itself.
            if let figures = figures[place], !(OperatorTable.named(step.name)?.isModifier ?? false) {
                row["emitted"] = JSONValue(figures.emitted)
                row["failed"] = JSONValue(figures.failed)
            }
            steps.append(.object(row))
            for (index, source) in step.ownSources.enumerated() { add(source, step: place, place: "\(index + 1)") }
            for inner in step.innerChains { add(inner, in: place, figures: figures) }
        }
    }
}

extension StepDefinition {
    /// The action that the step itself executes.
    fileprivate var executed: String? {
        guard OperatorTable.named(name)?.isExecuting ?? false, case .text(let action)? = main else { return nil }
        return action
    }

    /// The sources that the step itself reads.
    fileprivate var ownSources: [SourceDefinition] {
        arguments.sorted { $0.key < $1.key }.flatMap { _, value -> [SourceDefinition] in
            switch value {
            case .source(let source): [source]
            case .sources(let sources): sources
            case .named(let sources): sources.map(\.source)
            case .boolean, .count, .duration, .text, .texts, .table, .json, .program, .steps, .each: []
            }
        }
    }
}
