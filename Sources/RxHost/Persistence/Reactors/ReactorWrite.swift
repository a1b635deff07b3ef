internal import RxJSON

/// One change of what is kept of a reactor, and who wants to hear of it.
struct ReactorWrite: QueuedWrite {
    enum Change: Sendable {
        case step(KeptStep)
        case snapshot(Snapshot)
    }

    /// A state to be written. Only then, so that the reactor does not wait for its text.
    struct Snapshot: Sendable {
        let revision: Int
        let time: Int64
        let fingerprint: String
        let state: any ReactorState
        /// Nil if it is the state of steps that are kept; then it bridges what was lost, if anything was.
        let replaces: KeptStep.Cause?
    }

    let log: ReactorLog
    let change: Change
    /// Steps to be kept.
    let history: Int
    let durability: ReactorPersistence.Durability
    let bytes: Int
    let completion: (@Sendable (StoreError?) -> Void)?

    var isUrgent: Bool { durability != .off }

    var revision: Int {
        switch change {
        case .step(let step): step.revision
        case .snapshot(let snapshot): snapshot.revision
        }
    }

    func end(_ failure: StoreError?) {
        log.ended(change, failure)
        completion?(failure)
    }
}

extension KeptStep {
    /// The value itself and its small parts.
    private static let overhead = 512

    /// What it takes to remember it until it is written, about.
    var waitingBytes: Int { Self.overhead + textBytes }

    /// What is written of it, about.
    var textBytes: Int {
        switch change {
        case .reduced(let reduction):
            (reduction.action?.utf8.count ?? 0) + reduction.mutation.utf8.count + reduction.patch.utf8.count
        case .replaced: 0
        }
    }
}
