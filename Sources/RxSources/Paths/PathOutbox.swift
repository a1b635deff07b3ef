internal import Rx
internal import RxStreams

/// Elements on their way to the receiver, and the records of the index that belong to them, in one order.
///
/// A record is written once the receiver has settled the elements before it. So the index on disk is always what the
/// receiver knows, and what it has not settled is found again after a restart.
struct PathOutbox {
    /// Elements of a batch: enough that a batch costs little per element, few enough that it is settled soon.
    private static let batch = 256

    private let log: IndexLog
    private var elements = Queue<SourceElement>()
    /// Records, each with the number of elements that must be settled before.
    private var records = Queue<(after: Int, bytes: [UInt8])>()
    private var added = 0
    private var settled = 0
    /// The elements of the batch that is not settled.
    private var waiting = 0

    init(log: IndexLog) { self.log = log }

    /// Whether a batch is not settled.
    var isWaiting: Bool { waiting > 0 }
    /// Whether there is a batch, so that no more is added. Only what cannot be divided exceeds it.
    var isFull: Bool { elements.count >= Self.batch }

    mutating func add(_ element: SourceElement) {
        elements.append(element)
        added += 1
    }

    mutating func add(record: [UInt8]) {
        if added == settled { log.append(record) } else { records.append((added, record)) }
    }

    /// The next batch; empty if there is none, or if one is not settled.
    mutating func next() -> [SourceElement] {
        guard !isWaiting, !elements.isEmpty else { return [] }
        let batch = elements.removeFirst(atMost: Self.batch)
        waiting = batch.count
        return batch
    }

    /// The receiver has taken the batch.
    mutating func settle() {
        settled += waiting
        waiting = 0
        while let next = records.first, next.after <= settled {
            records.removeFirst()
            log.append(next.bytes)
        }
    }
}
