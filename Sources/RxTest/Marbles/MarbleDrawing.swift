internal import Rx

/// Draws events as a diagram, and two lists of them as a diff.
struct MarbleDrawing<Element: Equatable & RxSendable> {
    /// The longest wait, in frames, that is drawn as dashes. Longer ones are drawn as a duration.
    private static var longestWait: Int { 40 }

    private let resolution: Double
    private let otherwise: @Sendable (Character) -> Element?
    private var legend: [(name: Character, value: Element)]

    init(resolution: Double, names: [String: Element], otherwise: @escaping @Sendable (Character) -> Element?) {
        self.resolution = resolution
        self.otherwise = otherwise
        legend = names.sorted { $0.key < $1.key }.compactMap { name, value in name.first.map { ($0, value) } }
    }

    /// Draws both lists as diagrams, explains the names, and adds a table by frames in which `<` marks each difference.
    func difference(of actual: [Recorded<Event<Element>>], from expected: [Recorded<Event<Element>>]) -> String {
        var drawing = self
        var lines = ["the marbles differ"]
        lines.append("expected  " + drawing.draw(expected))
        lines.append("actual    " + drawing.draw(actual))
        let used = drawing.legend.filter { entry in
            (expected + actual).contains { $0.value.element == entry.value } && "\(entry.value)" != "\(entry.name)"
        }
        if !used.isEmpty {
            lines.append("          " + used.map { "\($0.name) = \($0.value)" }.joined(separator: ", "))
        }
        lines.append("")
        let rows = difference(actual.map { ($0.time, "\($0.value)") }, expected.map { ($0.time, "\($0.value)") })
        return (lines + rows).joined(separator: "\n")
    }

    /// Draws each list of subscriptions as a diagram, with `<` where they differ.
    func difference(of actual: [Subscription], from expected: [Subscription]) -> String {
        var lines = ["the subscriptions differ"]
        for index in 0..<max(actual.count, expected.count) {
            let wanted = index < expected.count ? expected[index] : nil
            let found = index < actual.count ? actual[index] : nil
            let mark = wanted == found ? "" : "  <"
            lines.append("\(index + 1). expected  \(wanted.map(draw) ?? "none")")
            lines.append("   actual    \(found.map(draw) ?? "none")\(mark)")
        }
        return lines.joined(separator: "\n")
    }

    /// Draws events as a diagram, or lists them in words if events follow a group too closely for the notation.
    mutating func draw(_ events: [Recorded<Event<Element>>]) -> String {
        var text = ""
        var frame = 0
        var rest = events[...]
        while let time = rest.first?.time {
            let together = rest.prefix { $0.time == time }
            rest = rest[together.endIndex...]
            guard time >= frame else { return "(cannot be drawn: frame \(time) is within a group)" }
            text += wait(time - frame)
            let symbols = together.map { symbol($0.value) }
            text += symbols.count == 1 ? String(symbols) : "(" + String(symbols) + ")"
            frame = time + (symbols.count == 1 ? 1 : symbols.count + 2)
        }
        return text
    }

    private func draw(_ subscription: Subscription) -> String {
        let start = wait(subscription.subscribe)
        if subscription.unsubscribe == .max { return start + "^" }
        if subscription.unsubscribe == subscription.subscribe { return start + "(^!)" }
        return start + "^" + wait(subscription.unsubscribe - subscription.subscribe - 1) + "!"
    }

    private func wait(_ frames: Int) -> String {
        if frames > Self.longestWait, let time = MarbleDuration.text(seconds: Double(frames) * resolution) {
            return " \(time) "
        }
        return String(repeating: "-", count: max(0, frames))
    }

    private mutating func symbol(_ event: Event<Element>) -> Character {
        switch event {
        case .completed: return "|"
        case .error: return "#"
        case .next(let element):
            if let known = legend.first(where: { $0.value == element }) { return known.name }
            let own = "\(element)"
            let name =
                if own.count == 1, let character = own.first, otherwise(character) == element { character } else {
                    unused(in: legend)
                }
            legend.append((name, element))
            return name
        }
    }

    /// A letter without a value; `?` if all have one.
    private func unused(in legend: [(name: Character, value: Element)]) -> Character {
        "zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA".first { letter in
            !legend.contains { $0.name == letter } && otherwise(letter) == nil
        } ?? "?"
    }

    private func difference(_ actual: [(Int, String)], _ expected: [(Int, String)]) -> [String] {
        // Rows of one frame keep their order.
        let rows = alignment(of: actual, with: expected) { $0 == $1 }
            .map { (frame: ($0.expected ?? $0.actual)?.0 ?? 0, wanted: $0.expected?.1, found: $0.actual?.1) }
            .enumerated().sorted { ($0.element.frame, $0.offset) < ($1.element.frame, $1.offset) }.map(\.element)
        let width = max("expected".count, expected.map(\.1.count).max() ?? 0)
        let width2 = max("actual".count, actual.map(\.1.count).max() ?? 0)
        let head = "frame  " + padded("expected", width) + "  " + "actual"
        return [head]
            + rows.map { row in
                let frame = String(repeating: " ", count: max(0, 5 - "\(row.frame)".count)) + "\(row.frame)"
                let line = frame + "  " + padded(row.wanted ?? "", width) + "  "
                if let found = row.found, row.wanted != nil { return line + found }
                return line + padded(row.found ?? "", width2) + "  <"
            }
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
