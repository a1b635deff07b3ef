internal import RxStreams

/// What a test runs: what it names, and what that reads.
struct TestScope {
    /// The streams, each after those that it reads.
    private(set) var streams: [StreamDefinition] = []
    /// The bindings whose firings count.
    private(set) var bindings: [BindingDefinition] = []
    /// The names of the reactors.
    private(set) var reactors: Set<String> = []
    private let test: StreamTestDefinition
    private let configuration: TestedConfiguration
    private var visited: Set<String> = []

    init(_ test: StreamTestDefinition, _ configuration: TestedConfiguration) throws(StreamTestFault) {
        self.test = test
        self.configuration = configuration
        switch test.target {
        case .stream(let name): try add(stream: name)
        case .action(let name):
            try add(action: name)
            guard !bindings.isEmpty else { throw StreamTestFault("no stream is bound to the action \"\(name)\"") }
        case .reactor(let name):
            guard configuration.reactors[name] != nil else { throw StreamTestFault("there is no reactor \"\(name)\"") }
            try add(reactor: name)
            guard !bindings.isEmpty || !(configuration.reactors[name]?.sources.isEmpty ?? true) else {
                throw StreamTestFault("no stream is bound to the reactor \"\(name)\", and it merges nothing")
            }
        }
        for action in executed where test.mock[action]?.isEmpty ?? true {
            throw StreamTestFault("the test executes the action \"\(action)\", which has no mock", key: "mock")
        }
    }

    /// The actions that may be executed, in a fixed order.
    private var executed: [String] {
        streams.flatMap(\.executes)
            + bindings.compactMap { if case .action(let name) = $0.target { name } else { nil } }
            + reactors.sorted().flatMap { configuration.reactors[$0]?.actions.compactMap { $0 } ?? [] }
    }

    // MARK: Parts

    private mutating func add(action name: String) throws(StreamTestFault) {
        for binding in configuration.bindings where binding.target == .action(name) { try add(binding) }
    }

    private mutating func add(reactor name: String) throws(StreamTestFault) {
        guard let reactor = configuration.reactors[name], reactors.insert(name).inserted else { return }
        for binding in configuration.bindings where binding.target == .reactor(name) { try add(binding) }
        for source in reactor.sources {
            switch source {
            case .action(let action): if !isGiven("action:\(action)") { try add(action: action) }
            case .reactor(let other): if !isGiven("reactor:\(other)") { try add(reactor: other) }
            }
        }
    }

    private mutating func add(_ binding: BindingDefinition) throws(StreamTestFault) {
        guard !bindings.contains(binding) else { return }
        bindings.append(binding)
        try add(stream: binding.stream)
        guard case .reactor(let name) = binding.target else { return }
        try add(reactor: name)
    }

    private mutating func add(stream name: String) throws(StreamTestFault) {
        guard visited.insert(name).inserted else { return }
        guard let stream = configuration.streams.first(where: { $0.name == name }) else {
            throw StreamTestFault("there is no stream \"\(name)\"")
        }
        for source in stream.allSources {
            switch source {
            case .stream(let read, let channel):
                try add(stream: read)
                guard channel == .firings else { continue }
                for binding in configuration.bindings where binding.stream == read { try add(binding) }
            case .external(let source): try add(source, of: name)
            case .merge, .combineLatest, .zip: continue
            }
        }
        streams.append(stream)
    }

    /// What a source reads of the host, unless the test gives its elements.
    private mutating func add(_ source: ExternalSource, of stream: String) throws(StreamTestFault) {
        guard !isGiven(stream), !isGiven("source") else { return }
        switch source.kind {
        case "reactor":
            if let name = source.text("reactor"), !isGiven("reactor:\(name)") { try add(reactor: name) }
        case "action":
            // Of all actions, those that the test can execute.
            let names = source.texts("action") ?? []
            for name in names.contains("*") ? test.mock.keys.sorted() : names where !isGiven("action:\(name)") {
                try add(action: name)
            }
        default: return
        }
    }

    private func isGiven(_ name: String) -> Bool { test.given[name] != nil }

    // MARK: Properties

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
