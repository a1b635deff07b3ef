/// Two lists side by side as a diff, nil when they are equal: `-` is expected and missing, `+` is there and unexpected.
func difference<Value>(
    of actual: [Value], from expected: [Value], _ areEqual: (Value, Value) -> Bool
) -> String? {
    guard !actual.elementsEqual(expected, by: areEqual) else { return nil }
    let changes = actual.difference(from: expected, by: areEqual)
    var removed = Set<Int>(), inserted = Set<Int>()
    for change in changes {
        switch change {
        case .remove(let offset, _, _): removed.insert(offset)
        case .insert(let offset, _, _): inserted.insert(offset)
        }
    }
    var lines = ["not equal (- expected, + actual):"]
    var left = 0, right = 0
    while left < expected.count || right < actual.count {
        if removed.contains(left) {
            lines.append("- \(expected[left])")
            left += 1
        } else if inserted.contains(right) {
            lines.append("+ \(actual[right])")
            right += 1
        } else {
            lines.append("  \(actual[right])")
            left += 1
            right += 1
        }
    }
    return lines.joined(separator: "\n")
}
