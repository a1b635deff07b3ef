/// Which records of the journal a stream emits: those in which each field has one of its values.
public struct JournalRule: Sendable, Hashable {
    /// The matches, as libsystemd takes them: `NAME=value`. Those of one field follow each other, and one of them must
    /// hold; all fields must.
    public let matches: [String]

    /// The reason why a rule is invalid.
    public struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        /// The field at fault.
        public let field: String
        /// What is wrong and what to do, in a sentence without a period.
        public let description: String
    }

    /// The most matches of a rule: libsystemd looks up each of them in each file of the journal.
    static let mostMatches = 1000
    /// The longest name of a field, as journald has it.
    private static let longestName = 64

    /// A rule of fields, each with one or more values; all records without fields. A value of two whole numbers with
    /// `..` between them stands for all numbers from the first to the second.
    ///
    /// - Throws: the fault, for the author of the configuration.
    public init(_ fields: [String: [String]]) throws(Fault) {
        var matches: [String] = []
        for (field, values) in fields.sorted(by: { $0.key < $1.key }) {
            try Self.check(field)
            guard !values.isEmpty else { throw Fault(field: field, description: "no record matches; give a value") }
            var own: [String] = []
            for value in values {
                for number in try Self.expand(value, of: field) { own.append("\(field)=\(number)") }
            }
            matches += own
            guard matches.count <= Self.mostMatches else {
                throw Fault(field: field, description: "the rule has more than \(Self.mostMatches) values")
            }
        }
        self.matches = matches
    }

    private static func check(_ field: String) throws(Fault) {
        let isValid = field.utf8.allSatisfy { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "_")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        let startsWithDigit = field.utf8.first.map { $0 <= UInt8(ascii: "9") } ?? true
        guard isValid, !startsWithDigit, !field.hasPrefix("__"), field.utf8.count <= longestName else {
            throw Fault(
                field: field,
                description: "\(field.debugDescription) is not a field of the journal; write one such as _SYSTEMD_UNIT")
        }
    }

    private static func expand(_ value: String, of field: String) throws(Fault) -> [String] {
        let values = try range(value, of: field)
        if field == "PRIORITY", !values.allSatisfy({ (UInt8($0) ?? 8) < 8 }) {
            throw Fault(
                field: field, description: "\(value.debugDescription) is not a priority; write 0 (emerg) to 7 (debug)")
        }
        return values
    }

    private static func range(_ value: String, of field: String) throws(Fault) -> [String] {
        guard let dots = value.firstRange(of: ".."), let first = UInt32(value[..<dots.lowerBound]),
            let last = UInt32(value[dots.upperBound...])
        else { return [value] }
        guard first <= last else {
            throw Fault(field: field, description: "\(value) is empty; write the smaller number first")
        }
        guard last - first < mostMatches else {
            throw Fault(field: field, description: "\(value) has more than \(mostMatches) numbers")
        }
        return (first...last).map(String.init)
    }
}
