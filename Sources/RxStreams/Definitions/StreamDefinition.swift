/// One stream: a source passed through steps, under a name.
public struct StreamDefinition: Sendable, Hashable {
    /// Unique among actions, reactors, and streams. `NAME@1` for a source inline in `[action.NAME]`.
    public var name: String
    /// What it is for, from the configuration.
    public var summary: String?
    /// Where its elements come from.
    public var source: SourceDefinition
    /// The steps that they pass.
    public var steps: [StepDefinition]
    /// Whether the state of the steps and the positions of all sources survive a restart.
    public var isPersistent: Bool

    /// Creates a stream.
    public init(
        name: String, summary: String? = nil, source: SourceDefinition, steps: [StepDefinition] = [],
        isPersistent: Bool = false
    ) {
        self.name = name
        self.summary = summary
        self.source = source
        self.steps = steps
        self.isPersistent = isPersistent
    }

    /// The names of the streams that it reads, in its source or in its steps.
    public var reads: Set<String> {
        var names: Set<String> = []
        for source in allSources {
            if case .stream(let name, _) = source { names.insert(name) }
        }
        return names
    }

    /// All sources that emit by themselves: those of the stream, then those of its steps.
    public var allSources: [SourceDefinition] { source.leaves + steps.flatMap(\.sources) }

    /// Whether the configuration names it itself: not a source inline in an `on` without a name.
    public var isNamed: Bool { !name.contains("@") }
}

extension StepDefinition {
    /// The chains of steps within the step.
    public var innerChains: [[StepDefinition]] {
        arguments.sorted { $0.key < $1.key }.compactMap { _, value in
            switch value {
            case .steps(let steps), .each(_, let steps): steps
            case .boolean, .count, .duration, .text, .texts, .table, .json, .program, .source, .sources, .named: nil
            }
        }
    }

    /// The sources that the step and its inner steps read.
    var sources: [SourceDefinition] {
        arguments.sorted { $0.key < $1.key }.flatMap { _, value -> [SourceDefinition] in
            switch value {
            case .source(let source): source.leaves
            case .sources(let sources): sources.flatMap(\.leaves)
            case .named(let sources): sources.flatMap(\.source.leaves)
            case .steps(let steps), .each(_, let steps): steps.flatMap(\.sources)
            case .boolean, .count, .duration, .text, .texts, .table, .json, .program: []
            }
        }
    }
}
