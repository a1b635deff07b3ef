internal import RxJSON

/// What differs between two states, member by member: unlike the shortest patch, it never replaces an object or an
/// array as a whole.
struct StateDifference {
    private(set) var operations: [JSONPatch.Operation] = []
    /// For people: what is gone after `-`, and what is new after `+`.
    private(set) var lines: [String] = []

    init(from old: JSONValue, to new: JSONValue) { compare(old, new, []) }

    private mutating func compare(_ old: JSONValue, _ new: JSONValue, _ path: [String]) {
        switch (old, new) {
        case (.object(let olds), .object(let news)):
            for member in olds where news[member.key] == nil { remove(member.value, path + [member.key]) }
            for member in news {
                if let old = olds[member.key] {
                    compare(old, member.value, path + [member.key])
                } else {
                    add(member.value, path + [member.key])
                }
            }
        case (.array(let olds), .array(let news)):
            compareElements(olds, news, path)
        case (.array, _), (.object, _), (.null, _), (.bool, _), (.number, _), (.string, _):
            guard old != new else { return }
            operations.append(.replace(JSONPointer(tokens: path), new))
            lines += ["- \(Self.line(path, old))", "+ \(Self.line(path, new))"]
        }
    }

    /// Leaves out what both have at the start and at the end, and compares the rest by position.
    private mutating func compareElements(_ olds: [JSONValue], _ news: [JSONValue], _ path: [String]) {
        let least = min(olds.count, news.count)
        let start = zip(olds, news).prefix { $0 == $1 }.count
        let end = zip(olds.reversed(), news.reversed()).prefix(least - start).prefix { $0 == $1 }.count
        let (oldEnd, newEnd) = (olds.count - end, news.count - end)
        for place in start..<min(oldEnd, newEnd) { compare(olds[place], news[place], path + ["\(place)"]) }
        let common = min(oldEnd, newEnd)
        // From the last on, so that each place is what it was.
        for place in (common..<oldEnd).reversed() { remove(olds[place], path + ["\(place)"]) }
        for place in common..<newEnd { add(news[place], path + ["\(place)"]) }
    }

    private mutating func remove(_ value: JSONValue, _ path: [String]) {
        operations.append(.remove(JSONPointer(tokens: path)))
        lines.append("- \(Self.line(path, value))")
    }

    private mutating func add(_ value: JSONValue, _ path: [String]) {
        operations.append(.add(JSONPointer(tokens: path), value))
        lines.append("+ \(Self.line(path, value))")
    }

    private static func line(_ path: [String], _ value: JSONValue) -> String {
        let place = JSONPointer(tokens: path).description
        return (place.isEmpty ? "" : place + ": ") + RawJSON(value).text
    }
}
