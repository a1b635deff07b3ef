/// A parsed diagram: the events by frame.
///
/// A frame is one unit of test time. Every character takes one frame; spaces take none:
///
/// | in a diagram | means |
/// |---|---|
/// | `-` | time passes |
/// | `a`, `B`, `7` | an element: the value of that name |
/// | `|` | the sequence completes |
/// | `#` | the sequence fails |
/// | `(ab|)` | all of these at the frame of the `(`; the group still takes one frame per character |
/// | `^` | frame 0, where a hot sequence is subscribed; without it, frame 0 is the first character |
/// | ` 9s `, ` 20ms `, ` 1.5m ` | this much time passes; surrounded by spaces, a whole number of frames |
///
/// In the diagram of a subscription, `^` marks the subscription and `!` its disposal.
struct MarbleDiagram: Equatable {
    enum Kind {
        case hot, cold, expected, subscription
    }

    enum Mark: Equatable {
        case value(Character)
        case completed, failed, subscribed, unsubscribed
    }

    struct Entry: Equatable {
        var frame: Int
        let mark: Mark
        /// The column in characters, counted from 1.
        let column: Int
    }

    private(set) var entries: [Entry] = []
    /// The length in frames, from frame 0.
    private(set) var length = 0

    let text: String
    private let kind: Kind
    private let resolution: Double
    private var groupStart: (frame: Int, column: Int)?

    /// - Parameter resolution: the length of a frame in seconds.
    init(_ text: String, _ kind: Kind, resolution: Double = 1) throws(MarbleSyntaxError) {
        self.text = text
        self.kind = kind
        self.resolution = resolution
        var column = 1
        for word in text.split(omittingEmptySubsequences: false, whereSeparator: \.isWhitespace) {
            try read(word, column)
            column += word.count + 1
        }
        if let groupStart { throw error(groupStart.column, "this group is not closed") }
        if let zero = entries.first(where: { $0.mark == .subscribed }), kind == .hot {
            for index in entries.indices { entries[index].frame -= zero.frame }
            length -= zero.frame
        }
    }

    func error(_ column: Int, _ problem: String) -> MarbleSyntaxError {
        MarbleSyntaxError(diagram: text, column: column, problem: problem)
    }

    private mutating func read(_ word: Substring, _ start: Int) throws(MarbleSyntaxError) {
        if let seconds = MarbleDuration.seconds(in: word) {
            if groupStart != nil { throw error(start, "time does not pass within a group") }
            let frames = (seconds / resolution).rounded()
            guard abs(frames * resolution - seconds) <= 1e-9 * seconds, let count = Int(exactly: frames) else {
                throw error(start, "\(word) is not a whole number of frames of \(resolution) s")
            }
            length += count
            return
        }
        for (offset, character) in word.enumerated() { try read(character, start + offset) }
    }

    private mutating func read(_ character: Character, _ column: Int) throws(MarbleSyntaxError) {
        switch character {
        case "-":
            if groupStart != nil { throw error(column, "time does not pass within a group") }
        case "(":
            if groupStart != nil { throw error(column, "a group within a group") }
            groupStart = (length, column)
        case ")":
            guard groupStart != nil else { throw error(column, "no group begins before this `)`") }
            groupStart = nil
        case "|": try add(.completed, column)
        case "#": try add(.failed, column)
        case "^": try add(.subscribed, column)
        case "!": try add(.unsubscribed, column)
        default:
            guard character.isLetter || character.isNumber else {
                throw error(column, "`\(character)` means nothing here")
            }
            try add(.value(character), column)
        }
        length += 1
    }

    private mutating func add(_ mark: Mark, _ column: Int) throws(MarbleSyntaxError) {
        switch (kind, mark) {
        case (.subscription, .subscribed), (.subscription, .unsubscribed), (.hot, .subscribed):
            if entries.contains(where: { $0.mark == mark }) { throw error(column, "this stands here once only") }
            if groupStart != nil && kind == .hot { throw error(column, "`^` does not stand in a group") }
        case (.subscription, _): throw error(column, "a subscription has only `^` and `!`")
        case (_, .unsubscribed): throw error(column, "`!` belongs to diagrams of subscriptions")
        case (_, .subscribed): throw error(column, "`^` belongs to hot sequences and to subscriptions")
        case (_, .value), (_, .completed), (_, .failed): break
        }
        if entries.contains(where: { $0.mark == .completed || $0.mark == .failed }), mark != .subscribed {
            throw error(column, "the sequence has ended before this")
        }
        entries.append(Entry(frame: groupStart?.frame ?? length, mark: mark, column: column))
    }

    static func == (one: MarbleDiagram, other: MarbleDiagram) -> Bool { one.entries == other.entries }
}

/// The notation for a duration in diagrams: a number and `ms`, `s`, or `m`.
enum MarbleDuration {
    static func seconds(in word: Substring) -> Double? {
        let digits = word.prefix { ("0"..."9").contains($0) || $0 == "." }
        guard digits.first != ".", digits.last != ".", let number = Double(digits) else { return nil }
        return switch word[digits.endIndex...] {
        case "ms": number / 1000
        case "s": number
        case "m": number * 60
        default: nil
        }
    }

    /// Returns nil for a duration that the notation cannot express.
    static func text(seconds: Double) -> String? {
        if seconds == seconds.rounded() { return "\(Int(seconds))s" }
        let milliseconds = (seconds * 1000).rounded()
        return abs(milliseconds - seconds * 1000) < 1e-6 ? "\(Int(milliseconds))ms" : nil
    }
}

/// A syntax error in a diagram and its column.
struct MarbleSyntaxError: Error, Equatable, CustomStringConvertible {
    let diagram: String
    /// The column in characters, counted from 1.
    let column: Int
    let problem: String

    var description: String {
        """
        marble diagram, column \(column): \(problem)
        \(diagram)
        \(String(repeating: " ", count: column - 1))^ here
        """
    }
}
