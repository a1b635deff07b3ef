internal import RxRecords
internal import RxJSON

/// One change of the stored steps and snapshots of a reactor, with its completion.
struct ReactorWrite: QueuedWrite {
    enum Change: Sendable {
        case step(KeptStep)
        case snapshot(Snapshot)
    }

    /// A state. It is converted to text when it is written, so that the reactor does not wait for that.
    struct Snapshot: Sendable {
        let revision: UInt64
        let time: Int64
        let fingerprint: String
        let state: any ReactorState
        /// Nil if stored steps lead to the state; if some of them were lost, the snapshot bridges the loss.
        var replaces: KeptStep.Cause?
        /// Whether it was requested because steps are missing.
        var isBridge = false
    }

    /// The approximate memory of a write beside its texts.
    static let overhead = 512

    let log: ReactorLog
    let change: Change
    /// How much the history keeps.
    let bounds: KeptLog.Bounds
    let durability: ReactorPersistence.Durability
    let bytes: Int
    let completion: (@Sendable (StoreError?) -> Void)?

    var isUrgent: Bool { durability != .off }
    var isSynced: Bool { durability == .sync }
    var share: WriteShare? { log.share }

    /// Whether it is a snapshot that may bridge a loss.
    var isBridge: Bool {
        if case .snapshot(let snapshot) = change { snapshot.isBridge } else { false }
    }

    func end(_ failure: StoreError?) { log.ended(self, failure) }
}

extension KeptStep {
    /// The approximate memory that it uses until it is written.
    var waitingBytes: Int { ReactorWrite.overhead + textBytes }

    /// The approximate number of bytes written.
    var textBytes: Int {
        switch change {
        case .reduced(let reduction):
            (reduction.action?.utf8.count ?? 0) + reduction.mutation.utf8.count + reduction.patch.utf8.count
        case .replaced: 0
        }
    }
}
