internal import RxJSON
internal import RxStreams

/// The arguments of sources and steps, each on one line.
struct StructureText {
    /// The longest text of a source or a step, in characters: pictures show less.
    static let longest = 160

    /// Whether there is any text.
    let isShown: Bool

    /// The value of a source, such as `*-*-* 03:00 Europe/Berlin`.
    func value(of source: SourceDefinition) -> String {
        guard isShown else { return "" }
        switch source {
        case .external(let source): return line(source.arguments, main: source.kind)
        case .stream(let name, let channel): return channel == .elements ? name : "\(name) \(channel.rawValue)"
        case .merge, .combineLatest, .zip: return ""
        }
    }

    /// The argument of a step and its options, such as `300ms, at-most 5s`. What is drawn as an edge or as a step is
    /// left out: sources, inner steps, and the action.
    func arguments(of step: StepDefinition) -> String {
        guard isShown else { return "" }
        var arguments = step.arguments
        if OperatorTable.named(step.name)?.isExecuting ?? false, case .text? = step.main { arguments[step.name] = nil }
        return line(arguments, main: step.name)
    }

    private func line(_ arguments: [String: ArgumentValue], main: String) -> String {
        var parts = [arguments[main].flatMap { $0 == .boolean(true) ? nil : Self.text($0) } ?? ""]
        for (name, value) in arguments.sorted(by: { $0.key < $1.key }) where name != main {
            guard let text = Self.text(value) else { continue }
            // An expression with its zone, and a path with its globs, are read as one.
            if ["zone", "include", "channel", "pointer"].contains(name) {
                parts[0] += (parts[0].isEmpty ? "" : " ") + text
            } else {
                parts.append(value == .boolean(true) ? name : "\(name) \(text)")
            }
        }
        let line = parts.filter { !$0.isEmpty }.joined(separator: ", ")
        return Self.shortened(line)
    }

    static func shortened(_ line: String) -> String {
        line.count > longest ? line.prefix(longest - 1) + "…" : line
    }

    /// Nil for what is drawn in another way.
    private static func text(_ value: ArgumentValue) -> String? {
        switch value {
        case .boolean(let isOn): isOn ? "true" : "false"
        case .count(let count): "\(count)"
        case .duration(let microseconds): Duration.microseconds(microseconds).rxText
        case .text(let text): text
        case .texts(let texts): texts.joined(separator: " ")
        case .table(let table): table.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        case .json(let json): json.text
        case .program(let program): program.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        case .each(let program, _): program.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        case .source, .sources, .named, .steps: nil
        }
    }
}
