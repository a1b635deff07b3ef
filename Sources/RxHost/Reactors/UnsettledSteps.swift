internal import RxJSON
internal import RxRecords

/// The newest steps of a reactor, and the state to which it goes back if one of them cannot be stored. Used with the
/// event log's lock held.
///
/// A step is settled when it and all steps before it are stored, and when the mutations of its dispatch that follow it
/// at once are, too: mutations of one dispatch are undone together.
///
/// Beside the newest state, at most two states are kept, since each may be large: the one to start from (`base`), and a
/// later one that takes its place when it is settled (`checkpoint`). The patches lead to those in between.
struct UnsettledSteps {
    /// The most mutations of one dispatch that are undone together. A dispatch with more of them executes actions that
    /// stream; its older mutations stay.
    static let longestRun = 1000
    /// The steps from which on there is a checkpoint: few patches cost less than a state.
    static let patchesWithoutCheckpoint = 64

    private struct Step {
        /// The dispatch; nil for a mutation of a merged stream.
        let input: ReactorInput?
        let patch: JSONPatch
        var isStored: Bool
        /// Whether the mutation after it is one of another dispatch.
        var isEnd: Bool
    }

    /// A state, as another one and the patches that lead to it.
    struct Target {
        let revision: UInt64
        fileprivate let base: any ReactorState
        fileprivate let patches: [JSONPatch]

        /// The state as a tree. Takes as long as the state is large. A patch that does not fit ends it: an engine that
        /// reports wrong patches has a wrong history, too.
        var tree: JSONValue {
            var tree = base.tree
            for patch in patches {
                var next = tree
                do { try patch.apply(to: &next) } catch { return tree }
                tree = next
            }
            return tree
        }
    }

    private var base: (revision: UInt64, state: any ReactorState) = (0, JSONState(.null))
    private var checkpoint: (revision: UInt64, state: any ReactorState)?
    /// The steps after `base`, in their order.
    private var steps: [Step] = []
    private var newest: (revision: UInt64, state: any ReactorState) = (0, JSONState(.null))
    /// The mutations of the newest dispatch that were reduced one after another.
    private var run = 0
    /// All steps up to here are stored, or need not be.
    private(set) var storedThrough: UInt64 = 0
    private(set) var settledThrough: UInt64 = 0

    /// The newest settled state.
    var target: Target {
        let count = Int(settledThrough - base.revision)
        return Target(revision: settledThrough, base: base.state, patches: steps.prefix(count).map(\.patch))
    }

    /// Whether a step without a patch can follow: nothing is pending.
    var areAllSettled: Bool { settledThrough == newest.revision }

    /// The reactor begins with a state that need not be waited for.
    mutating func begin(with state: any ReactorState, at revision: UInt64) {
        newest = (revision, state)
        (storedThrough, settledThrough) = (revision, revision)
        forget()
    }

    /// A mutation was reduced, to the next revision.
    ///
    /// - Parameters:
    ///   - input: the dispatch; nil for a mutation of a merged stream.
    ///   - patch: the patch from the state before; nil only if `areAllSettled` and `isStored`.
    ///   - isStored: whether the step need not be stored.
    mutating func append(_ input: ReactorInput?, _ patch: JSONPatch?, _ state: any ReactorState, isStored: Bool) {
        let revision = newest.revision + 1
        input?.newestStep = revision
        guard !isStored || !areAllSettled else { return begin(with: state, at: revision) }
        let isContinued = input != nil && steps.last?.input === input
        if !isContinued { end(newest.revision) }
        run = isContinued && run < Self.longestRun ? run + 1 : 1
        steps.append(
            Step(
                input: input, patch: patch ?? JSONPatch(), isStored: false,
                isEnd: input == nil || run == Self.longestRun))
        newest = (revision, state)
        if checkpoint == nil, steps.count >= Self.patchesWithoutCheckpoint { checkpoint = newest }
        if isStored { stored(revision) }
    }

    /// The dispatches whose mutations are undone if the reactor goes back now.
    var unsettledInputs: [ReactorInput] {
        steps.dropFirst(Int(settledThrough - base.revision)).compactMap(\.input)
    }

    /// A dispatch that waits for its answer has a step to this revision.
    func isAwaited(_ revision: UInt64) -> Bool {
        place(of: revision).flatMap { steps[$0].input.map { !$0.isAnswered } } ?? false
    }

    /// A step is stored, or nobody waits for it.
    mutating func stored(_ revision: UInt64) {
        guard let place = place(of: revision) else { return }
        steps[place].isStored = true
        while storedThrough < newest.revision {
            let next = steps[Int(storedThrough - base.revision)]
            guard next.isStored else { break }
            storedThrough += 1
            if next.isEnd { settledThrough = storedThrough }
        }
        advance()
    }

    /// No mutation of the same dispatch follows the one to this revision.
    mutating func end(_ revision: UInt64) {
        guard let place = place(of: revision) else { return }
        steps[place].isEnd = true
        guard settledThrough < revision, revision <= storedThrough else { return }
        settledThrough = revision
        advance()
    }

    private func place(of revision: UInt64) -> Int? {
        guard revision > base.revision, revision <= newest.revision else { return nil }
        return Int(revision - base.revision) - 1
    }

    /// Starts from a later state if there is one that is settled.
    private mutating func advance() {
        if areAllSettled { return forget() }
        guard let checkpoint, checkpoint.revision <= settledThrough else { return }
        steps.removeFirst(Int(checkpoint.revision - base.revision))
        base = checkpoint
        self.checkpoint = steps.count >= Self.patchesWithoutCheckpoint ? newest : nil
    }

    private mutating func forget() {
        base = newest
        checkpoint = nil
        steps.removeAll(keepingCapacity: steps.capacity <= Self.longestRun)
    }
}
