internal import RxRecords
internal import RxJSON

/// One change of what is kept of a reactor, and who wants to hear of it.
struct ReactorWrite: QueuedWrite {
    enum Change: Sendable {
        case step(KeptStep)
        case snapshot(Snapshot)
    }

    /// A state to be written. Only then, so that the reactor does not wait for its text.
    struct Snapshot: Sendable {
        let revision: UInt64
        let time: Int64
        let fingerprint: String
        let state: any ReactorState
        /// Nil if it is the state of steps that are kept; then it bridges what was lost, if anything was.
        let replaces: KeptStep.Cause?
    }

    /// What it takes to remember one, beside its texts.
    static let overhead = 512

    let log: ReactorLog
    let change: Change
    /// Steps to be kept.
    let history: Int
    let durability: ReactorPersistence.Durability
    let bytes: Int
    let completion: (@Sendable (StoreError?) -> Void)?

    var isUrgent: Bool { durability != .off }

    func end(_ failure: StoreError?) {
        log.ended(change, failure)
        completion?(failure)
    }
}

extension KeptStep {
    /// What it takes to remember it until it is written, about.
    var waitingBytes: Int { ReactorWrite.overhead + textBytes }

    /// What is written of it, about.
    var textBytes: Int {
        switch change {
        case .reduced(let reduction):
            (reduction.action?.utf8.count ?? 0) + reduction.mutation.utf8.count + reduction.patch.utf8.count
        case .replaced: 0
        }
    }
}
