public import RxRecords
internal import RxJSON

/// The state of a reactor at one moment.
public struct ReactorLevels: Sendable {
    /// The state itself.
    public let state: any ReactorState
    /// Grows by one with each mutation.
    public let revision: UInt64

    package init(state: any ReactorState, revision: UInt64) {
        self.state = state
        self.revision = revision
    }
}

/// The state and revision of a reactor as they are published. Used with the event log's lock held.
struct ReactorLevelState {
    /// States that may wait to be sent, each of which may be large; older ones are dropped.
    private static let revisionsWaiting = 64

    private(set) var state: any ReactorState = JSONState(.null)
    private(set) var revision: UInt64 = 0
    /// The fingerprint of the definition whose engine made the state. A definition that is to come has another one.
    private(set) var fingerprint = ""
    /// Whether there is a state: an engine has been started.
    private var hasBegun = false
    /// When the state was published last.
    var mark = Mark()
    /// The number of watchers that want patches.
    private var patchWatchers = 0
    /// Published revisions, oldest first, that watchers may not have looked at yet.
    private var waiting: [ReactorRevision] = []
    /// The action whose mutations are being reduced, and the revision of the first one, if it may be dispatched again.
    private var repeated: (input: ReactorInput, start: UInt64)?

    /// The state and the revision; nil before the first engine has started.
    var begun: ReactorLevels? { hasBegun ? value : nil }
    var value: ReactorLevels { ReactorLevels(state: state, revision: revision) }
    var wantsPatches: Bool { patchWatchers > 0 }

    mutating func watchPatches(by change: Int) { patchWatchers += change }

    /// Takes the state that an engine begins with.
    ///
    /// - Returns: the revision to be published, if there was another one before. It has no patch, since none leads to
    ///   the state of another definition.
    mutating func begin(
        with state: any ReactorState, revision: UInt64, of fingerprint: String
    ) -> ReactorRevision? {
        defer { hasBegun = true }
        let isAnother = hasBegun && self.revision != revision
        self.state = state
        self.revision = revision
        self.fingerprint = fingerprint
        return isAnother ? ReactorRevision(revision, state, nil) : nil
    }

    /// Takes the state after a mutation.
    mutating func reduced(to state: any ReactorState, _ patch: JSONPatch?) -> ReactorRevision {
        revision += 1
        self.state = state
        return ReactorRevision(revision, state, patch)
    }

    /// The revision of the first mutation of the action that the newest revision belongs to, if that action may be
    /// dispatched again.
    mutating func start(of step: ReactorStep) -> UInt64? {
        guard step.isRepeatable, let input = step.input else { return nil }
        if let repeated, repeated.input === input { return repeated.start }
        repeated = (input, revision)
        return revision
    }

    /// Keeps a published revision for watchers, within the limit.
    mutating func keep(_ revision: ReactorRevision) {
        waiting.append(revision)
        guard waiting.count > ReactorLevelState.revisionsWaiting else { return }
        waiting.removeFirst().drop()
    }
}
