public import RxJSON
public import RxReactor

// Inlinable, as `KeyedList` is: specialized for its elements it is many times as fast.
extension JSONPatch {
    /// The patch from one list to another at a place in a state. Parts that the two share are not compared, so the cost
    /// follows the change. If there are more changes than elements, the patch replaces the array.
    ///
    /// - Parameters:
    ///   - path: the place of the array.
    ///   - value: encodes an element.
    @inlinable
    public init<Element: Identifiable & Equatable>(
        from old: KeyedList<Element>, to new: KeyedList<Element>, at path: JSONPointer,
        _ value: (Element) -> JSONValue
    ) {
        let steps = KeyedChanges(from: old, to: new).steps
        if steps.count > new.count {
            self.init([.replace(path, .array(new.map(value)))])
            return
        }
        self.init()
        for step in steps {
            switch step {
            case .delete(_, let place): operations.append(.remove(path.appending(String(place))))
            case .insert(let element, let place):
                operations.append(.add(path.appending(String(place)), value(element)))
            case .move(_, let from, let to):
                operations.append(.move(from: path.appending(String(from)), to: path.appending(String(to))))
            case .update(let element, let place):
                // Only an element that was there is updated.
                let before = old[id: element.id].map(value) ?? .null
                let inner = JSONPatch(from: before, to: value(element))
                operations += inner.operations.map { $0.within(path.appending(String(place))) }
            }
        }
    }
}

extension JSONPatch.Operation {
    /// This operation on a value that lies at `path` of another one.
    @usableFromInline
    func within(_ path: JSONPointer) -> JSONPatch.Operation {
        func outer(_ inner: JSONPointer) -> JSONPointer { JSONPointer(tokens: path.tokens + inner.tokens) }
        return switch self {
        case .add(let path, let value): .add(outer(path), value)
        case .remove(let path): .remove(outer(path))
        case .replace(let path, let value): .replace(outer(path), value)
        case .move(let from, let to): .move(from: outer(from), to: outer(to))
        case .copy(let from, let to): .copy(from: outer(from), to: outer(to))
        case .test(let path, let value): .test(outer(path), value)
        }
    }
}
