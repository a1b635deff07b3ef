/// The changes between two arrays of keyed elements: ordered steps, then the elements that both arrays contain.
struct ArrayDifference {
    enum Step: Equatable {
        /// Positions refer to the array after all previous steps.
        case remove(at: Int)
        case move(from: Int, to: Int)
        /// `element` is the position in the new array.
        case add(element: Int, at: Int)
    }

    private(set) var steps: [Step] = []
    /// For each element in both arrays: its position in the new array and its old value.
    private(set) var matched: [(place: Int, old: JSONValue)] = []

    /// Member names that can serve as a key, in order of preference.
    static let keys = ["id", "key", "name"]

    /// Returns nil if no member identifies all elements uniquely.
    init?(from old: ArraySlice<JSONValue>, to new: ArraySlice<JSONValue>) {
        for key in Self.keys where old[old.startIndex][key] != nil && new[new.startIndex][key] != nil {
            if Self.areAligned(old, new, by: key) {
                matched = zip(old, new).enumerated().map { ($0, $1.0) }
                return
            }
            guard let places = Self.places(of: new, by: key), let before = Self.places(of: old, by: key) else {
                continue
            }
            match(old, new, places: places, before: before, by: key)
            return
        }
        return nil
    }

    private mutating func match(
        _ old: ArraySlice<JSONValue>, _ new: ArraySlice<JSONValue>, places: [JSONValue: Int],
        before: [JSONValue: Int], by key: String
    ) {
        // The new positions of the remaining elements, in their current order.
        var targets: [Int] = []
        for (place, element) in old.enumerated() {
            if let target = element[key].flatMap({ places[$0] }) {
                targets.append(target)
            } else {
                steps.append(.remove(at: place))
            }
        }
        // From the last, so that the positions of the others stay valid.
        steps.reverse()
        order(targets, count: new.count)
        for (place, element) in new.enumerated() {
            guard let was = element[key].flatMap({ before[$0] }) else { continue }
            matched.append((place, old[old.startIndex + was]))
        }
    }

    /// Builds the new order from its end: each element is placed before its successor. A longest subsequence that is
    /// already in order stays.
    private mutating func order(_ targets: [Int], count: Int) {
        var present = [Int?](repeating: nil, count: count)
        for (place, target) in targets.enumerated() { present[target] = place }
        let stays = longestIncreasingRun(of: targets)
        // A placed element counts at the old position of the next one that stays; the extra slot is the end.
        var slots = CountTree(ones: targets.count, slots: targets.count + 1)
        var next = targets.count
        for target in (0..<count).reversed() {
            if let place = present[target] {
                if stays[place] {
                    next = place
                    continue
                }
                let from = slots.count(before: place)
                slots.add(-1, at: place)
                let to = slots.count(before: next)
                if from != to { steps.append(.move(from: from, to: to)) }
            } else {
                steps.append(.add(element: target, at: slots.count(before: next)))
            }
            slots.add(1, at: next)
        }
    }

    // MARK: Keys

    /// Whether all elements are already in the same positions, so that no lookup is needed.
    private static func areAligned(_ old: ArraySlice<JSONValue>, _ new: ArraySlice<JSONValue>, by key: String) -> Bool {
        old.count == new.count
            && zip(old, new).allSatisfy { old, new in
                guard case .object(let old) = old, case .object(let new) = new else { return false }
                return old.sharesStorage(with: new) || old[key] == new[key]
            }
    }

    /// The position of each key; nil if an element has no key or two have the same.
    private static func places(of elements: ArraySlice<JSONValue>, by key: String) -> [JSONValue: Int]? {
        var places: [JSONValue: Int] = [:]
        places.reserveCapacity(elements.count)
        for (place, element) in elements.enumerated() {
            guard let value = element[key] else { return nil }
            switch value {
            case .bool, .number, .string:
                guard places.updateValue(place, forKey: value) == nil else { return nil }
            case .null, .array, .object:
                return nil
            }
        }
        return places
    }
}
