internal import RxJSON

/// The letters of the elements that are visible on their own, and what the legend reports about them.
struct Letters {
    struct Row {
        var kind: Mark.Kind
        /// The letter of an element; empty for other kinds.
        var symbol = ""
        var time: Int64
        var text: String
    }

    /// An element without a letter of its own.
    static let other = "•"
    private static let alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".map(String.init)
    /// Longer values are cut before they are laid out; no legend is that wide.
    private static let mostValueBytes = 400

    private var letters: [RawJSON: String] = [:]
    private(set) var rows: [Row] = []
    /// How many visible marks the legend leaves out.
    private(set) var omitted = 0

    /// - Parameter marks: the visible single marks of all lanes. Equal values have the same letter.
    init(_ marks: [Mark]) {
        let ordered = marks.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
        var rowOf: [RawJSON: Int] = [:]
        var counts: [RawJSON: Int] = [:]
        for (_, mark) in ordered {
            switch mark.kind {
            case .element:
                let value = mark.value ?? .null
                counts[value, default: 0] += 1
                if rowOf[value] != nil { continue }
                if letters[value] == nil && letters.count < Self.alphabet.count && rows.count < Marbles.mostLegend {
                    letters[value] = Self.alphabet[letters.count]
                    rowOf[value] = rows.count
                    rows.append(
                        Row(
                            kind: .element, symbol: letters[value] ?? "", time: mark.time,
                            text: mark.value.map(Self.text) ?? ""))
                } else {
                    omitted += 1
                }
            case .error, .firing, .ended:
                let parts = [mark.firingWord, mark.error ?? "", mark.outcome.map { "→ \($0)" } ?? ""]
                let text = parts.filter { !$0.isEmpty }.joined(separator: " ").oneLine
                // What is just as expected needs no explanation.
                if mark.error == nil && (mark.outcome == nil || mark.outcome == "succeeded") { continue }
                guard rows.count < Marbles.mostLegend else {
                    omitted += 1
                    continue
                }
                rows.append(Row(kind: mark.kind, time: mark.time, text: text))
            case .completed, .lag: break
            }
        }
        for (value, row) in rowOf {
            if let count = counts[value], count > 1 { rows[row].text += "  ×\(count)" }
        }
    }

    func letter(_ mark: Mark) -> String { letters[mark.value ?? .null] ?? Self.other }

    private static func text(_ value: RawJSON) -> String {
        String(decoding: value.utf8.prefix(mostValueBytes), as: UTF8.self).oneLine
    }
}

extension Mark {
    fileprivate var firingWord: String {
        switch kind {
        case .firing(let firing): firing.rawValue
        case .ended(let isGood): isGood ? "" : "ended:"
        case .element, .error, .completed, .lag: ""
        }
    }
}
