internal import RxJSON

/// The stored state and the rehearsed one; a single value as long as they are equal.
struct ComparedStates {
    private(set) var kept: JSONValue
    /// The rehearsed state; nil if it is equal.
    private var now: JSONValue?
    /// A place where they differed: most likely they still do after the next step.
    private var place = JSONPointer(tokens: [])

    init(_ kept: JSONValue) { self.kept = kept }

    var areSame: Bool { now == nil }

    /// The patch from the stored state to the rehearsed one.
    var difference: JSONPatch { now.map { JSONPatch(from: kept, to: $0) } ?? JSONPatch() }

    mutating func begin(now: JSONValue) {
        self.now = now
        compare()
    }

    /// Drops the rehearsed state.
    mutating func meet() { now = nil }

    /// Applies a patch to each of the two. Equal operations cost the length of their path; the states are not compared.
    ///
    /// - Returns: false if one of the patches does not apply.
    mutating func step(kept keptPatches: [JSONPatch], now nowPatches: [JSONPatch]) -> Bool {
        let isTogether = now == nil && keptPatches == nowPatches
        if now == nil, !isTogether { now = kept }
        do throws(JSONPatchError) {
            for patch in keptPatches { try patch.apply(to: &kept) }
            if isTogether { return true }
            for patch in nowPatches { try patch.apply(to: &now!) }
        } catch {
            return false
        }
        compare()
        return true
    }

    private mutating func compare() {
        guard let now, kept.value(at: place) == now.value(at: place) else { return }
        guard let found = firstDifference(kept, now) else {
            self.now = nil
            return
        }
        place = JSONPointer(tokens: found)
    }
}

/// The path to a value that differs, or that only one of the two has; nil if there is none.
private func firstDifference(_ one: JSONValue, _ other: JSONValue) -> [String]? {
    switch (one, other) {
    case (.array(let one), .array(let other)):
        for (index, (one, other)) in zip(one, other).enumerated() {
            if let way = firstDifference(one, other) { return [String(index)] + way }
        }
        return one.count == other.count ? nil : [String(min(one.count, other.count))]
    case (.object(let one), .object(let other)):
        for member in one {
            guard let value = other[member.key] else { return [member.key] }
            if let way = firstDifference(member.value, value) { return [member.key] + way }
        }
        return other.first { one[$0.key] == nil }.map { [$0.key] }
    case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _):
        return one == other ? nil : []
    }
}
