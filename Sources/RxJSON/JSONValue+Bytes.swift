extension JSONValue {
    /// The approximate length as JSON in bytes, without counting escapes in strings. Stops counting at `limit`, and
    /// then returns `limit` or more; the time is bounded accordingly.
    public func bytes(upTo limit: Int) -> Int {
        var sum = 0
        count(into: &sum, limit)
        return sum
    }

    private func count(into sum: inout Int, _ limit: Int) {
        switch self {
        case .null: sum += 4
        case .bool(let value): sum += value ? 4 : 5
        case .number(let number): sum += number.text.utf8.count
        case .string(let text): sum += text.utf8.count + 2
        case .array(let elements):
            sum += 1 + max(1, elements.count)
            for element in elements {
                guard sum < limit else { return }
                element.count(into: &sum, limit)
            }
        case .object(let members):
            sum += 1 + max(1, members.count)
            for member in members.members {
                guard sum < limit else { return }
                sum += member.key.utf8.count + 3
                member.value.count(into: &sum, limit)
            }
        }
    }
}
