internal import RxJSON

/// Returns patch operations, as JSON, that change one list into another. The first element of the lists is at index
/// `start` of the array at `path`.
///
/// The lists exclude the array's common prefix and suffix, so they cannot be replaced as a whole.
func listDifference(at path: [UInt8], start: Int, from old: [UInt8], to new: [UInt8]) -> [UInt8] {
    let pointer = (try? JSONPointer(String(decoding: path, as: UTF8.self)))?.tokens ?? []
    let (old, new) = (RawJSON(unchecked: old).value(), RawJSON(unchecked: new).value())
    func place(_ pointer: JSONPointer, _ prefix: [String]) -> JSONPointer {
        guard let first = pointer.tokens.first, let index = Int(first) else { return pointer }
        return JSONPointer(tokens: prefix + [String(index + start)] + pointer.tokens.dropFirst())
    }
    var operations: [JSONPatch.Operation] = []
    for operation in JSONPatch(from: old, to: new).operations {
        switch operation {
        case .add(let path, let value): operations.append(.add(place(path, pointer), value))
        case .remove(let path): operations.append(.remove(place(path, pointer)))
        case .replace(let path, _) where path.tokens.isEmpty:
            operations = replacement(of: old, by: new).map { operation in
                switch operation {
                case .add(let path, let value): .add(place(path, pointer), value)
                case .replace(let path, let value): .replace(place(path, pointer), value)
                case .remove(let path): .remove(place(path, pointer))
                case .move, .copy, .test: operation
                }
            }
        case .replace(let path, let value): operations.append(.replace(place(path, pointer), value))
        case .move(let from, let path): operations.append(.move(from: place(from, pointer), to: place(path, pointer)))
        case .copy(let from, let path): operations.append(.copy(from: place(from, pointer), to: place(path, pointer)))
        case .test(let path, let value): operations.append(.test(place(path, pointer), value))
        }
    }
    var writer = JSONWriter()
    JSONPatch(operations).write(to: &writer)
    return writer.bytes
}

/// Replaces the list element by element.
private func replacement(of old: JSONValue, by new: JSONValue) -> [JSONPatch.Operation] {
    let (old, new) = (old.array ?? [], new.array ?? [])
    func pointer(_ place: Int) -> JSONPointer { JSONPointer(tokens: [String(place)]) }
    let least = min(old.count, new.count)
    return (0..<least).filter { old[$0] != new[$0] }.map { .replace(pointer($0), new[$0]) }
        + (least..<max(least, old.count)).reversed().map { .remove(pointer($0)) }
        + (least..<max(least, new.count)).map { .add(pointer($0), new[$0]) }
}
