internal import Dispatch
package import RxPlatform
import Synchronization

/// Log records on their way to the journal or to standard error. One thread writes them, so whoever logs never waits,
/// however slowly they are taken.
///
/// Records wait up to a bound; further ones are lost, and their number is reported where they would have been.
final class LogQueue: Sendable {
    /// The most records that wait: some seconds of a journal that takes one in a millisecond.
    static let mostRecords = 4096
    /// The most bytes that wait. A record may have any length beside none.
    static let mostBytes = 2 << 20
    /// The part of both bounds that ordinary records may fill: a program that floods its standard error must not push
    /// out what the daemon reports.
    static let ordinaryPart = 2
    /// How long the end of the process waits for records to be written.
    static let lastPatience = Duration.seconds(1)

    private struct Record {
        let bytes: Int
        let write: @Sendable () -> Void
    }

    private struct State {
        var records: [Record] = []
        /// All that is not written, which includes what the thread has taken.
        var count = 0
        var bytes = 0
        var lost = 0
        var isWriting = false
    }

    private let state = Mutex(State())
    private let queues: Queues
    private let thread: WorkQueue
    private let reportLost: @Sendable (_ count: Int) -> Void

    /// - Parameters:
    ///   - queues: make the queue whose thread writes.
    ///   - reportLost: writes how many records were lost; called on that thread.
    init(_ queues: Queues, reportLost: @escaping @Sendable (_ count: Int) -> Void) {
        self.queues = queues
        self.reportLost = reportLost
        thread = queues.serial("rxd.log")
    }

    /// Has the thread write a record after those that were added before. Any thread.
    ///
    /// - Parameters:
    ///   - bytes: about how long it is.
    ///   - isOrdinary: whether it may fill only a part of the queue.
    ///   - write: writes it; lost if the queue is full.
    func add(bytes: Int, isOrdinary: Bool, _ write: @escaping @Sendable () -> Void) {
        let part = isOrdinary ? Self.ordinaryPart : 1
        let mustBegin = state.withLock { state -> Bool in
            let hasRoom = state.count < Self.mostRecords / part && state.bytes + bytes <= Self.mostBytes / part
            guard hasRoom || state.count == 0 else {
                state.lost += 1
                return false
            }
            state.records.append(Record(bytes: bytes, write: write))
            state.count += 1
            state.bytes += bytes
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if mustBegin { thread.async { self.write() } }
    }

    /// Returns when everything that was added before is written, but after `lastPatience` in any case.
    func flush() {
        let ended = DispatchSemaphore(value: 0)
        thread.async { ended.signal() }
        let timer = queues.serial("rxd.log.end").async(after: Self.lastPatience) { ended.signal() }
        ended.wait()
        timer.cancel()
    }

    /// On the thread.
    private func write() {
        while true {
            let (records, lost) = state.withLock { state -> ([Record], Int) in
                let taken = (state.records, state.lost)
                state.records = []
                state.lost = 0
                state.isWriting = !taken.0.isEmpty || taken.1 > 0
                return taken
            }
            if records.isEmpty, lost == 0 { return }
            for record in records {
                record.write()
                state.withLock { state in
                    state.count -= 1
                    state.bytes -= record.bytes
                }
            }
            // They came after these.
            if lost > 0 { reportLost(lost) }
        }
    }
}
