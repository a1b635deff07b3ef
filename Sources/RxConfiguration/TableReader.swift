internal import RxJSON
internal import RxStreams

/// Reads the keys of one table with their types and collects faults.
///
/// A key that was never read is unknown: `finish` adds a fault for it, with the nearest known key.
struct TableReader {
    let path: [String]
    let place: SourcePlace
    let faults: FaultList
    private var remaining: [String: TOMLNode]
    private let given: [String: TOMLNode]
    private var known: [String] = []

    init(path: [String], place: SourcePlace, members: [String: TOMLNode], faults: FaultList) {
        self.path = path
        self.place = place
        self.faults = faults
        remaining = members
        given = members
    }

    /// Nil, with a fault added, if the node is not a table.
    init?(_ node: TOMLNode, path: [String], faults: FaultList) {
        guard case .table(let members) = node.content else {
            faults.add("must be a table, not \(node.kind)", at: node.place, key: path)
            return nil
        }
        self.init(path: path, place: node.place, members: members, faults: faults)
    }

    // MARK: Values

    /// The value of a key, of any type.
    mutating func node(_ key: String) -> TOMLNode? {
        known.append(key)
        return remaining.removeValue(forKey: key)
    }

    mutating func string(_ key: String) -> String? {
        guard let node = node(key) else { return nil }
        guard case .string(let text) = node.content else { return mismatch(key, node, "a string") }
        return text
    }

    mutating func integer(_ key: String, in range: ClosedRange<Int>) -> Int? {
        guard let node = node(key) else { return nil }
        guard case .integer(let number) = node.content else { return mismatch(key, node, "an integer") }
        guard range.contains(number) else {
            fault("must be from \(range.lowerBound) to \(range.upperBound)", at: node, key: key)
            return nil
        }
        return number
    }

    /// A number of bytes: a size such as "64MiB", or an integer.
    mutating func bytes(_ key: String, in range: ClosedRange<Int>) -> Int? {
        guard let node = node(key) else { return nil }
        let wanted = "\(ByteSize.grammar) or an integer of bytes"
        let number: Int
        switch node.content {
        case .integer(let bytes): number = bytes
        case .string(let text):
            guard let bytes = ByteSize.parse(text) else {
                fault("must be \(wanted), not \"\(text)\"", at: node, key: key)
                return nil
            }
            number = bytes
        case .float, .boolean, .array, .table, .time: return mismatch(key, node, wanted)
        }
        guard range.contains(number) else {
            let (least, most) = (ByteSize.text(range.lowerBound), ByteSize.text(range.upperBound))
            fault("must be from \"\(least)\" to \"\(most)\"", at: node, key: key)
            return nil
        }
        return number
    }

    mutating func duration(_ key: String, atLeast least: Duration = .zero) -> Duration? {
        guard let node = node(key) else { return nil }
        return duration(node, key: key, atLeast: least)
    }

    /// A duration that can also be "none".
    mutating func optionalDuration(_ key: String, atLeast least: Duration = .zero) -> Choice<Duration>? {
        guard let node = node(key) else { return nil }
        if case .string("none") = node.content { return Choice.none }
        return duration(node, key: key, atLeast: least, alternative: " or \"none\"").map { .some($0) }
    }

    /// One of an enumeration's raw values.
    mutating func choice<Value: RawRepresentable & CaseIterable>(_ key: String, _: Value.Type) -> Value?
    where Value.RawValue == String {
        choice(key, among: Value.allCases.map { ($0.rawValue, $0) })
    }

    mutating func choice<Value>(_ key: String, among values: [(name: String, value: Value)]) -> Value? {
        guard let node = node(key) else { return nil }
        guard case .string(let text) = node.content else { return mismatch(key, node, "a string") }
        if let match = values.first(where: { $0.name == text }) { return match.value }
        let names = values.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let rule = values.count == 1 ? "must be \(names)" : "must be one of \(names)"
        fault("\(rule), not \"\(text)\"", at: node, key: key)
        return nil
    }

    mutating func strings(_ key: String, check: (String, String) -> String?) -> [String: String]? {
        guard let node = node(key) else { return nil }
        guard case .table(let members) = node.content else { return mismatch(key, node, "a table") }
        var result: [String: String] = [:]
        for (name, member) in members {
            guard case .string(let text) = member.content else {
                faults.add("must be a string, not \(member.kind)", at: member.place, key: path + [key, name])
                continue
            }
            if let message = check(name, text) {
                faults.add(message, at: member.place, key: path + [key, name])
            } else {
                result[name] = text
            }
        }
        return result
    }

    /// Whether the table has a key, even if it was read or has the wrong type.
    func isGiven(_ key: String) -> Bool { given[key] != nil }

    /// Where a key is; where the table is, if it has no such key.
    func place(of key: String) -> SourcePlace { given[key]?.place ?? place }

    /// Where a value within the table is, by keys and by indices such as `[1]`, and the part of the path that there is:
    /// a single value may stand for an array.
    func place(of path: [String]) -> (place: SourcePlace, path: [String]) {
        var found = place
        var members = given
        var taken: [String] = []
        for part in path {
            guard let node = members[part] else { break }
            found = node.place
            taken.append(part)
            switch node.content {
            case .table(let table): members = table
            case .array(let elements):
                members = Dictionary(uniqueKeysWithValues: elements.enumerated().map { ("[\($0)]", $1) })
            case .string, .integer, .float, .boolean, .time: members = [:]
            }
        }
        return (found, taken)
    }

    /// Keys that may be in the table, beside those that are read.
    mutating func know(_ keys: [String]) { known += keys }

    /// All keys that were not read, with their values, of a table whose keys are names.
    var members: [String: TOMLNode] { remaining }

    /// The keys that were not read and are not known.
    var unknownKeys: [String] { remaining.keys.filter { !known.contains($0) } }

    // MARK: Faults

    func fault(_ message: String, at node: TOMLNode, key: String) {
        faults.add(message, at: node.place, key: path + [key])
    }

    /// A fault of the table as a whole.
    func fault(_ message: String) {
        faults.add(message, at: place, key: path)
    }

    /// Adds a fault with its own message for a key that is known in other tables or will be in the future.
    mutating func refuse(_ key: String, _ message: String) {
        // Not a known key, because it must not be suggested.
        guard let node = remaining.removeValue(forKey: key) else { return }
        fault(message, at: node, key: key)
    }

    /// Adds a fault for every key that was not read, with `hint`'s text or the nearest known key, and a warning for
    /// every retired key. Call it last.
    func finish(hint: (_ key: String, TOMLNode) -> String? = { _, _ in nil }) {
        faults.note(known: known, of: path)
        for (key, node) in remaining {
            if let retired = RetiredKey.row(of: path + [key]) {
                faults.warn(retired.message, at: node.place, key: path + [key])
                continue
            }
            let meant = hint(key, node) ?? nearest(to: key, among: known).map { "did you mean \"\($0)\"?" }
            fault("unknown key" + (meant.map { "; \($0)" } ?? ""), at: node, key: key)
        }
    }

    private func mismatch<Value>(_ key: String, _ node: TOMLNode, _ wanted: String) -> Value? {
        fault("must be \(wanted), not \(node.kind)", at: node, key: key)
        return nil
    }

    private func duration(
        _ node: TOMLNode, key: String, atLeast least: Duration, alternative: String = ""
    ) -> Duration? {
        guard case .string(let text) = node.content else {
            return mismatch(key, node, "a duration such as \"10s\"\(alternative)")
        }
        guard let duration = Duration(rxText: text) else {
            fault(
                "must be a duration such as \"500ms\", \"10s\" or \"1h30m\"\(alternative), not \"\(text)\"", at: node,
                key: key)
            return nil
        }
        guard duration >= least else {
            fault("must be at least \"\(least.rxText)\"", at: node, key: key)
            return nil
        }
        return duration
    }
}

/// A value that the word "none" turns off; a missing key means the default.
enum Choice<Value: Sendable & Equatable>: Sendable, Equatable {
    case none
    case some(Value)

    var value: Value? {
        switch self {
        case .none: nil
        case .some(let value): value
        }
    }
}
