/// The states that the client of one subscription to reactors has once it has read everything that is sent.
struct SentStates {
    /// Whether the client wants patches where it has the state before.
    let wantsPatches: Bool
    /// By reactor.
    private var revisions: [ObjectIdentifier: UInt64] = [:]

    init(wantsPatches: Bool = false) { self.wantsPatches = wantsPatches }

    /// Records the state that is sent next.
    ///
    /// - Returns: whether a patch can be sent in its place.
    mutating func record(_ revision: UInt64, of reactor: ObjectIdentifier) -> Bool {
        guard let before = revisions.updateValue(revision, forKey: reactor) else { return false }
        return wantsPatches && before + 1 == revision
    }
}
