import Rx
import RxTest

/// One line of a marble diagram in a doc comment. `Sources/Rx/Rx.swift` defines the notation.
struct MarbleLine: Sendable, Equatable {
    enum Mark: Hashable, Sendable {
        case element(String)
        case completed, failed, subscribed, disposed
    }

    struct Moment: Hashable, Sendable {
        let frame: Int
        let mark: Mark
    }

    let label: String
    /// The frame at which the line begins.
    let start: Int
    /// The frame after the last column.
    let end: Int
    let moments: [Moment]

    /// The elements, the completion, and the error.
    var events: [Moment] { moments.filter { $0.mark != .subscribed && $0.mark != .disposed } }
    var subscribed: Int? { moments.first { $0.mark == .subscribed }?.frame }
    var disposed: Int? { moments.first { $0.mark == .disposed }?.frame }

    /// - Parameter text: the diagram from frame 0 on. Leading spaces are time before the line begins.
    init(label: String, text: Substring) throws(MarbleFault) {
        self.label = label
        let characters = Array(text)
        start = characters.firstIndex { $0 != " " } ?? 0
        end = characters.count
        var moments: [Moment] = []
        var index = start
        while index < characters.count {
            let frame = index
            switch characters[index] {
            case "-", " ": index += 1
            case "(":
                guard let close = characters[index...].firstIndex(of: ")") else {
                    throw MarbleFault("\(label): no `)` follows `(` in \(text)")
                }
                index += 1
                while index < close {
                    if characters[index] == " " {
                        index += 1
                    } else {
                        moments.append(Moment(frame: frame, mark: Self.mark(characters, &index)))
                    }
                }
                index = close + 1
            default: moments.append(Moment(frame: frame, mark: Self.mark(characters, &index)))
            }
        }
        self.moments = moments
    }

    /// The mark at `index`, which then is the index after the mark.
    private static func mark(_ characters: [Character], _ index: inout Int) -> Mark {
        let first = characters[index]
        index += 1
        switch first {
        case "|": return .completed
        case "#": return .failed
        case "^": return .subscribed
        case "!": return .disposed
        default:
            var text = String(first)
            var depth = 0
            while index < characters.count, depth > 0 || !"-|#^!) ".contains(characters[index]) {
                if characters[index] == "(" { depth += 1 }
                if characters[index] == ")" { depth -= 1 }
                text.append(characters[index])
                index += 1
            }
            return .element(text)
        }
    }
}

struct MarbleFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension MarbleLine.Moment: CustomStringConvertible {
    init<Element>(_ event: Event<Element>, at frame: Int) {
        self.frame = frame
        switch event {
        case .next(let element): mark = .element("\(element)".filter { $0 != " " })
        case .completed: mark = .completed
        case .error: mark = .failed
        }
    }

    var description: String {
        switch mark {
        case .element(let text): "\(text)@\(frame)"
        case .completed: "|@\(frame)"
        case .failed: "#@\(frame)"
        case .subscribed: "^@\(frame)"
        case .disposed: "!@\(frame)"
        }
    }
}
