/// Aligns two lists row by row. Common elements share a row; a missing one is nil on its side.
func alignment<Value>(
    of actual: [Value], with expected: [Value], _ areEqual: (Value, Value) -> Bool
) -> [(expected: Value?, actual: Value?)] {
    var removed = Set<Int>(), inserted = Set<Int>()
    for change in actual.difference(from: expected, by: areEqual) {
        switch change {
        case .remove(let offset, _, _): removed.insert(offset)
        case .insert(let offset, _, _): inserted.insert(offset)
        }
    }
    var rows: [(Value?, Value?)] = []
    var left = 0, right = 0
    while left < expected.count || right < actual.count {
        if removed.contains(left) {
            rows.append((expected[left], nil))
            left += 1
        } else if inserted.contains(right) {
            rows.append((nil, actual[right]))
            right += 1
        } else {
            rows.append((expected[left], actual[right]))
            left += 1
            right += 1
        }
    }
    return rows
}

/// The two lists as a diff, or nil if they are equal: `-` marks an expected element that is missing, `+` an unexpected
/// one.
func difference<Value>(
    of actual: [Value], from expected: [Value], _ areEqual: (Value, Value) -> Bool
) -> String? {
    guard !actual.elementsEqual(expected, by: areEqual) else { return nil }
    let rows = alignment(of: actual, with: expected, areEqual).map { row in
        switch row {
        case (let wanted?, nil): "- \(wanted)"
        case (nil, let found?): "+ \(found)"
        case (_, let found): "  \(found.map { "\($0)" } ?? "")"
        }
    }
    return (["not equal (- expected, + actual):"] + rows).joined(separator: "\n")
}
