internal import RxStreams

/// The names that streams can refer to, valid or not: those of actions, reactors, and streams.
struct StreamNames {
    let actions: Set<String>
    let reactors: Set<String>
    private(set) var streams: Set<String> = []
    private var places: [String: SourcePlace] = [:]

    /// Adds a fault for each stream whose name is taken.
    init(
        actions: [String: TOMLNode], reactors: [String: TOMLNode], streams: [String: TOMLNode], _ faults: FaultList
    ) {
        self.actions = Set(actions.keys)
        self.reactors = Set(reactors.keys)
        for (name, node) in streams.sorted(by: { $0.key < $1.key }) {
            add(name, node.place, ["stream", name], faults)
        }
        for (section, owners) in [("action", actions), ("reactor", reactors)] {
            for (owner, node) in owners.sorted(by: { $0.key < $1.key }) {
                guard case .table(let members) = node.content, let on = members["on"] else { continue }
                for inline in InlineSource.all(in: on, path: [section, owner, "on"]) {
                    add(inline.name(of: owner), inline.namePlace, inline.namePath, faults)
                }
            }
        }
    }

    /// The names of a configuration without faults.
    init(_ configuration: Configuration) {
        actions = Set(configuration.actions.map(\.name))
        reactors = Set(configuration.reactors.map(\.name))
        streams = Set(configuration.streams.map(\.name))
    }

    private mutating func add(_ name: String, _ place: SourcePlace, _ key: [String], _ faults: FaultList) {
        let rule = "names are unique across actions, reactors, and streams"
        if actions.contains(name) {
            faults.add("\"\(name)\" is also the name of an action; \(rule)", at: place, key: key)
        } else if reactors.contains(name) {
            faults.add("\"\(name)\" is also the name of a reactor; \(rule)", at: place, key: key)
        } else if let first = places[name] {
            faults.add(
                "\"\(name)\" is also the name of the stream at \(first.file):\(first.line); \(rule)", at: place,
                key: key)
        }
        streams.insert(name)
        places[name] = places[name] ?? place
    }

    // MARK: References

    /// What a name can refer to.
    enum Kind: String {
        case action, reactor, stream
    }

    /// Why there is no such thing, as a message; nil if there is.
    func fault(_ name: String, _ kind: Kind) -> String? {
        let known =
            switch kind {
            case .action: actions
            case .reactor: reactors
            case .stream: streams
            }
        guard !known.contains(name) else { return nil }
        let message = "there is no \(kind.rawValue) \"\(name)\""
        if let near = nearest(to: name, among: known.sorted()) { return message + "; did you mean \"\(near)\"?" }
        guard kind == .stream else { return message }
        if actions.contains(name) {
            return message + "; the events of the action are the source { action = \"\(name)\" }"
        }
        return reactors.contains(name)
            ? message + "; the state of the reactor is the source { reactor = \"\(name)\" }" : message
    }
}

/// One source in an `on` that has a table of its own.
struct InlineSource {
    let node: TOMLNode
    let path: [String]
    /// From 1; the place in the array.
    let number: Int
    let isInArray: Bool

    /// The tables of an `on`.
    static func all(in on: TOMLNode, path: [String]) -> [InlineSource] {
        switch on.content {
        case .table: return [InlineSource(node: on, path: path, number: 1, isInArray: false)]
        case .array(let elements):
            return elements.enumerated().compactMap { index, element in
                guard case .table = element.content else { return nil }
                return InlineSource(node: element, path: path + ["[\(index)]"], number: index + 1, isInArray: true)
            }
        case .string, .integer, .float, .boolean, .time: return []
        }
    }

    /// The value of its key `name`, or `NAME@1`.
    func name(of owner: String) -> String { given?.name ?? "\(owner)@\(number)" }

    /// Whether it has a key `name`.
    var isNamed: Bool { given != nil }

    var namePlace: SourcePlace { given?.place ?? node.place }

    var namePath: [String] { given == nil ? path : path + ["name"] }

    private var given: (name: String, place: SourcePlace)? {
        guard case .table(let members) = node.content, let name = members["name"], case .string(let text) = name.content
        else { return nil }
        return (text, name.place)
    }
}
