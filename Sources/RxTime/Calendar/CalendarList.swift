/// The value of one field of a calendar expression: `*`, or elements separated by commas.
enum CalendarList {
    case any
    case elements([CalendarElement])

    /// The most elements of a list, as in systemd.
    static let mostElements = 240

    /// Reads a list up to the character that ends it.
    init(_ scanner: inout Scanner, isSecond: Bool = false) throws(ExpressionFault) {
        if scanner.skip("*") {
            self = .any
            return
        }
        var elements: [CalendarElement] = []
        repeat {
            guard elements.count < Self.mostElements else {
                throw scanner.fault("a list may have at most \(Self.mostElements) elements")
            }
            elements.append(try CalendarElement(&scanner, isSecond: isSecond))
        } while scanner.skip(",")
        self = .elements(elements)
    }

    var isAny: Bool {
        switch self {
        case .any: true
        case .elements: false
        }
    }

    /// The numbers of the list; nil for `*`.
    func progressions(_ field: CalendarField, _ scanner: Scanner) throws(ExpressionFault) -> [Progression]? {
        switch self {
        case .any: return nil
        case .elements(let elements):
            var progressions: [Progression] = []
            for element in elements { progressions.append(try field.progression(element, scanner)) }
            return progressions
        }
    }

    /// The numbers of the list one by one; nil for `*`.
    func numbers(_ field: CalendarField, _ scanner: Scanner) throws(ExpressionFault) -> [Int]? {
        try progressions(field, scanner)?.flatMap { Self.numbers($0) }
    }

    static func numbers(_ progression: Progression) -> [Int] {
        stride(from: progression.start, through: progression.last, by: Int(progression.step)).map { Int($0) }
    }
}
