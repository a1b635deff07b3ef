internal import RxJq
internal import RxStreams

/// What starts what: streams, actions, and reactors, and the ways that their elements take.
struct StreamGraph {
    /// A part of the configuration. Names are unique, so a name is enough.
    private var edges: [String: Set<String>] = [:]
    private let kinds: [String: String]
    private let streams: [ReadStream]

    init(_ streams: [ReadStream], _ bindings: [ReadBinding], _ configuration: Configuration) {
        self.streams = streams
        var kinds = Dictionary(streams.map { ($0.name, "stream") }) { first, _ in first }
        for action in configuration.actions { kinds[action.name] = "action" }
        for reactor in configuration.reactors { kinds[reactor.name] = "reactor" }
        self.kinds = kinds
        let actions = configuration.actions.map(\.name)
        for stream in streams {
            let definition = stream.definition
            for part in definition.readNames {
                for name in part == "*" ? actions : [part] { edges[name, default: []].insert(stream.name) }
            }
            edges[stream.name, default: []].formUnion(definition.executes)
        }
        for binding in bindings { edges[binding.definition.stream, default: []].insert(binding.definition.target.name) }
        for reactor in configuration.reactors {
            for action in reactor.plan.actions.compactMap({ $0 }) { edges[reactor.name, default: []].insert(action) }
            for source in reactor.plan.sources {
                switch source {
                case .action(let name), .reactor(let name): edges[name, default: []].insert(reactor.name)
                }
            }
        }
    }

    /// Warns of each cycle through an action or a reactor in which no stream holds elements back.
    func warnOfFeedback(_ faults: FaultList) {
        let braked = Set(streams.filter { $0.definition.hasBrake }.map(\.name))
        var reported: Set<String> = []
        for stream in streams where !braked.contains(stream.name) && !reported.contains(stream.name) {
            let way = shortestWay(from: stream.name, to: stream.name) { node in
                (edges[node] ?? []).subtracting(braked).sorted()
            }
            // A cycle of streams alone is a fault.
            guard let way, way.contains(where: { kinds[$0] != "stream" }) else { continue }
            reported.formUnion(way)
            let names = way.map { "\(kinds[$0] ?? "action") \"\($0)\"" }.joined(separator: " -> ")
            faults.warn(
                "is a loop without a time operator and without a filter: \(names)", at: stream.place, key: stream.path)
        }
    }
}

extension StreamDefinition {
    /// Whether a step holds elements back.
    fileprivate var hasBrake: Bool { steps.contains { $0.isBrake } }
}

extension StepDefinition {
    fileprivate var isBrake: Bool {
        OperatorTable.named(name)?.isBrake ?? false || innerChains.contains { $0.contains { $0.isBrake } }
    }
}
