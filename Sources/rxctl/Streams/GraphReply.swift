internal import RxJSON
internal import RxPictures

/// The reply to `stream.list` with `graph`, as the rows of a picture.
///
/// Members that are missing, as in the reply of another release, leave gaps in the picture.
struct GraphReply {
    private let streams: [JSONValue]
    private let actions: [JSONValue]
    private let reactors: [JSONValue]

    init(_ reply: JSONValue) {
        streams = reply["streams"]?.array ?? []
        actions = reply["actions"]?.array ?? []
        reactors = reply["reactors"]?.array ?? []
    }

    /// The rows of all streams, and of the actions and reactors that are connected to one or have the name.
    func input(title: String, name: String?) -> GraphInput {
        let rows = streams.map(StreamRow.init)
        var connected = Set(rows.flatMap(\.mentioned))
        for action in actions where !GraphInput.Reference.all(action["conditions"]).isEmpty {
            connected.insert(action.text("action"))
            connected.formUnion(GraphInput.Reference.all(action["conditions"]).map(\.name))
        }
        if let name { connected.insert(name) }
        for reactor in reactors where connected.contains(reactor.text("reactor")) {
            connected.formUnion((reactor["executes"]?.array ?? []).compactMap(\.string))
        }
        let targets = actions.map { action($0, rows) } + reactors.map { reactor($0, rows) }
        return GraphInput(
            title: title, streams: rows.map(\.stream), targets: targets.filter { connected.contains($0.name) })
    }

    private func action(_ action: JSONValue, _ rows: [StreamRow]) -> GraphInput.Target {
        var target = target(.action, action.text("action"), rows)
        target.conditions = GraphInput.Reference.all(action["conditions"])
        // What is executing, or stops, is as it should be.
        if action["enabled"]?.bool == false, let reason = action["reason"],
            !["executing", "stopping"].contains(reason.text("cause"))
        {
            // The words of whoever switched it off matter most, and there is little room.
            target.figures.disabled = reason["reason"]?.string ?? ReasonText.cause(reason)
        }
        return target
    }

    private func reactor(_ reactor: JSONValue, _ rows: [StreamRow]) -> GraphInput.Target {
        var target = target(.reactor, reactor.text("reactor"), rows)
        target.outputs = (reactor["executes"]?.array ?? []).compactMap(\.string).map {
            GraphInput.Reference(.action, $0)
        }
        return target
    }

    private func target(_ kind: GraphInput.Target.Kind, _ name: String, _ rows: [StreamRow]) -> GraphInput.Target {
        let feeding = rows.compactMap { row in row.refused[name].map { (row.stream.name, $0) } }
        let refused = feeding.reduce(0) { $0 + $1.1 }
        return GraphInput.Target(
            kind: kind, name: name, on: feeding.map(\.0),
            figures: GraphFigures(refused: feeding.isEmpty ? nil : refused))
    }
}

/// One stream of the reply.
private struct StreamRow {
    /// Rates are averages over at least so many seconds: one element in the first second is not sixty per minute.
    private static let leastSeconds = 60

    private let json: JSONValue
    private let graph: JSONValue
    private let sources: [JSONValue]
    private let steps: [JSONValue]

    init(_ json: JSONValue) {
        self.json = json
        graph = json["graph"] ?? .null
        sources = graph["sources"]?.array ?? []
        steps = graph["steps"]?.array ?? []
    }

    var stream: GraphInput.Stream {
        var source =
            source(of: "0", "1") ?? GraphInput.Source(key: "source", value: json.text("source"))
        // The elements of all sources are counted together.
        if sources.count == 1 { source.figures.perMinute = rate(json["taken"]) }
        return GraphInput.Stream(
            name: json.text("stream"), description: json.text("description"),
            isInline: graph["inline"]?.bool ?? false, source: source, steps: chain(in: ""),
            conditions: GraphInput.Reference.all(graph["conditions"]), figures: figures)
    }

    private var figures: GraphFigures {
        let state = json.text("state")
        return GraphFigures(
            perMinute: rate(json["emitted"]), waiting: state == "waiting" ? json.text("reason") : nil,
            disabled: state == "disabled" ? json.text("reason") : nil, isEnded: state == "ended")
    }

    /// The refused firings by the names of its targets.
    var refused: [String: Int] {
        (graph["targets"]?.array ?? []).reduce(into: [:]) { sums, target in
            sums[target.text("name"), default: 0] += target["refused"]?.int ?? 0
        }
    }

    /// The actions, reactors, and streams that it is connected to.
    var mentioned: [String] {
        let references = sources.flatMap { $0["references"]?.array ?? [] } + (graph["conditions"]?.array ?? [])
        return refused.keys + references.map { $0.text("name") } + steps.compactMap { $0["executes"]?.string }
    }

    private func rate(_ count: JSONValue?) -> Double? {
        guard let count = count?.int, let seconds = graph["seconds"]?.int else { return nil }
        return Double(count) * 60 / Double(max(seconds, Self.leastSeconds))
    }

    // MARK: Places

    private func source(of step: String, _ place: String) -> GraphInput.Source? {
        guard let row = sources.first(where: { $0.text("step") == step && $0.text("place") == place }) else {
            return nil
        }
        let references = GraphInput.Reference.all(row["references"])
        return GraphInput.Source(
            key: row.text("key"), value: row.text("value"), references: references,
            parts: sourcePlaces(of: step, in: place).compactMap { source(of: step, $0) })
    }

    /// The places of the sources of a step: those directly within another one.
    private func sourcePlaces(of step: String, in outer: String) -> [String] {
        sources.filter { $0.text("step") == step }.map { $0.text("place") }.filter { $0.isPlace(directlyIn: outer) }
    }

    /// The steps directly within another one.
    private func chain(in outer: String) -> [GraphInput.Step] {
        steps.filter { $0.text("step").isPlace(directlyIn: outer) }.map { row in
            let number = row.text("step")
            return GraphInput.Step(
                number: number, operation: row.text("operator"), argument: row.text("argument"),
                sources: sourcePlaces(of: number, in: "").compactMap { source(of: number, $0) },
                executes: row["executes"]?.string, inner: chain(in: number),
                figures: GraphFigures(perMinute: rate(row["emitted"])))
        }
    }
}

extension GraphInput.Reference {
    /// The references of a reply's array.
    fileprivate static func all(_ array: JSONValue?) -> [GraphInput.Reference] {
        (array?.array ?? []).compactMap { reference in
            Kind(rawValue: reference.text("kind")).map {
                GraphInput.Reference($0, reference.text("name"), label: reference.text("label"))
            }
        }
    }
}

extension String {
    /// Whether `2.1` is directly in `2`, or `2` in the empty place.
    fileprivate func isPlace(directlyIn outer: String) -> Bool {
        let prefix = outer.isEmpty ? "" : outer + "."
        guard hasPrefix(prefix), count > prefix.count else { return false }
        return !dropFirst(prefix.count).contains(".")
    }
}

extension JSONValue {
    /// The string of a member; empty without one.
    func text(_ member: StaticString) -> String { self["\(member)"]?.string ?? "" }
}
