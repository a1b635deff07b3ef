/// What makes one list of keyed elements into another: steps to be taken in their order, then the elements that both have.
struct ArrayDifference {
    enum Step: Equatable {
        /// All places are of the moment, from the first element of the list.
        case remove(at: Int)
        case move(from: Int, to: Int)
        /// `element` is its place in the new list.
        case add(element: Int, at: Int)
    }

    private(set) var steps: [Step] = []
    /// What was at an element's place in the new list before it changed.
    private(set) var matched: [(place: Int, old: JSONValue)] = []

    /// Members that may be a key, the likeliest first.
    static let keys = ["id", "key", "name"]

    /// Nil without a member that tells all elements apart.
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
        // Where what stays will be, in the order in which it is now.
        var targets: [Int] = []
        for (place, element) in old.enumerated() {
            if let target = element[key].flatMap({ places[$0] }) {
                targets.append(target)
            } else {
                steps.append(.remove(at: place))
            }
        }
        // From the last, so that the places of the others hold.
        steps.reverse()
        order(targets, count: new.count)
        for (place, element) in new.enumerated() {
            guard let was = element[key].flatMap({ before[$0] }) else { continue }
            matched.append((place, old[old.startIndex + was]))
        }
    }

    /// Builds the new list from its end: each element is put before the one that follows it. What stays is a longest
    /// run that is in order already.
    private mutating func order(_ targets: [Int], count: Int) {
        var present = [Int?](repeating: nil, count: count)
        for (place, target) in targets.enumerated() { present[target] = place }
        let stays = longestIncreasingRun(of: targets)
        // An element that has been put somewhere counts where the next one that stays was; behind all is a place more.
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

    /// Whether each element is in its place, so that nothing has to be looked up.
    private static func areAligned(_ old: ArraySlice<JSONValue>, _ new: ArraySlice<JSONValue>, by key: String) -> Bool {
        old.count == new.count
            && zip(old, new).allSatisfy { old, new in
                guard case .object(let old) = old, case .object(let new) = new else { return false }
                return old.sharesStorage(with: new) || old[key] == new[key]
            }
    }

    /// Which element has which key; nil if one has none, or two have the same.
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
