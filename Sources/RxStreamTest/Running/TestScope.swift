internal import RxStreams

/// What a test runs: what it names, and what that reads.
struct TestScope {
    /// The streams, each after those that it reads.
    private(set) var streams: [StreamDefinition] = []
    /// The bindings whose firings count.
    private(set) var bindings: [BindingDefinition] = []
    private let configuration: TestedConfiguration
    private var visited: Set<String> = []

    init(_ test: StreamTestDefinition, _ configuration: TestedConfiguration) throws(TestFault) {
        self.configuration = configuration
        switch test.target {
        case .stream(let name): try add(stream: name)
        case .action(let name): try add(bindingsOf: .action(name))
        case .reactor(let name):
            guard configuration.reactors[name] != nil else { throw TestFault("there is no reactor \"\(name)\"") }
            try add(bindingsOf: .reactor(name))
        }
        let actions =
            streams.flatMap(\.executes)
            + bindings.compactMap { if case .action(let name) = $0.target { name } else { nil } }
        for action in actions where test.mock[action]?.isEmpty ?? true {
            throw TestFault("the test executes the action \"\(action)\", which has no mock")
        }
    }

    private mutating func add(bindingsOf target: BindingDefinition.Target) throws(TestFault) {
        let found = configuration.bindings.filter { $0.target == target }
        guard !found.isEmpty else { throw TestFault("no stream is bound to \"\(target.name)\"") }
        for binding in found { try add(binding) }
    }

    private mutating func add(_ binding: BindingDefinition) throws(TestFault) {
        guard !bindings.contains(binding) else { return }
        bindings.append(binding)
        try add(stream: binding.stream)
    }

    private mutating func add(stream name: String) throws(TestFault) {
        guard visited.insert(name).inserted else { return }
        guard let stream = configuration.streams.first(where: { $0.name == name }) else {
            throw TestFault("there is no stream \"\(name)\"")
        }
        for case .stream(let read, let channel) in stream.allSources {
            try add(stream: read)
            guard channel == .firings else { continue }
            for binding in configuration.bindings where binding.stream == read { try add(binding) }
        }
        streams.append(stream)
    }

    /// The kind of a source that never ends by itself, if there is one.
    var repeatingSource: String? {
        for case .external(let source) in streams.flatMap(\.allSources)
        where ["every", "after", "calendar", "cron"].contains(source.kind) {
            return source.kind
        }
        return nil
    }

    /// Whether the source of a stream waits while a queue is full.
    func canWait(_ name: String) -> Bool { canWait(name, below: []) }

    private func canWait(_ name: String, below readers: Set<String>) -> Bool {
        guard !readers.contains(name), let stream = streams.first(where: { $0.name == name }) else { return false }
        return stream.source.leaves.allSatisfy { source in
            switch source {
            case .external(let source): SourceTable.named(source.kind)?.canWait ?? false
            case .stream(let read, _): canWait(read, below: readers.union([name]))
            case .merge, .combineLatest, .zip: false
            }
        }
    }
}
