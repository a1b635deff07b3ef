internal import RxStreams

/// Refuses operators that need a current value where there is none.
struct LevelCheck {
    private let streams: [ReadStream]
    private let levels: Levels
    private let faults: FaultList

    init(_ streams: [ReadStream], _ faults: FaultList) {
        self.streams = streams
        levels = Levels(streams)
        self.faults = faults
    }

    func run() {
        for stream in streams {
            let isLevel = stream.definition.source.isLevel { levels.contains($0) }
            check(stream.definition.steps, ["through"], isLevel: isLevel, stream)
        }
    }

    /// Which streams are levels, each found out once.
    private final class Levels {
        private let definitions: [String: StreamDefinition]
        private var known: [String: Bool] = [:]

        init(_ streams: [ReadStream]) {
            definitions = Dictionary(streams.map { ($0.name, $0.definition) }) { first, _ in first }
        }

        func contains(_ name: String) -> Bool {
            if let isLevel = known[name] { return isLevel }
            // A cycle, which is refused elsewhere, is not a level.
            known[name] = false
            let isLevel = definitions[name]?.isLevel { contains($0) } ?? false
            known[name] = isLevel
            return isLevel
        }
    }

    private func check(_ steps: [StepDefinition], _ path: [String], isLevel: Bool, _ stream: ReadStream) {
        var isLevel = isLevel
        for (index, step) in steps.enumerated() {
            guard let row = OperatorTable.named(step.name) else { continue }
            let path = path + ["[\(index)]"]
            if row.needsLevel, !isLevel {
                let sources = SourceTable.all.filter(\.isLevel).map { "\"\($0.name)\"" }.joined(separator: ", ")
                let steps = OperatorTable.all.filter(\.keepsLevel).map(\.name).joined(separator: ", ")
                faults.add(
                    "needs a current value: one of the sources \(sources), or a combineLatest of them, and only "
                        + "\(steps) may be in between",
                    at: stream.place(of: path), key: stream.path + path + [row.name])
            }
            for (name, value) in step.arguments.sorted(by: { $0.key < $1.key }) {
                switch value {
                // The elements of one group are a current value as the elements of all are.
                case .steps(let inner): check(inner, path + [name], isLevel: isLevel, stream)
                case .each(_, let inner): check(inner, path + [name, "through"], isLevel: false, stream)
                case .boolean, .count, .duration, .text, .texts, .table, .json, .program, .source, .sources, .named:
                    continue
                }
            }
            isLevel = isLevel && row.keepsLevel
        }
    }
}
