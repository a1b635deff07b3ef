import Logging
import RxPlatform
import Synchronization
import TestSupport
import Testing

@testable import Systemd

@Suite("Log records on their way", .ownThreads)
struct LogQueueTests {
    private final class Written: Sendable {
        private let lines = Mutex<[String]>([])

        func add(_ line: String) { lines.withLock { $0.append(line) } }

        var all: [String] { lines.withLock { $0 } }
    }

    private let time = SteppedTime()
    private let written = Written()

    private func queue() -> LogQueue {
        LogQueue(time.platform.queues) { [written] count in written.add("lost \(count)") }
    }

    @Test("are written by the queue's thread, in order; nobody who logs waits for it")
    func order() {
        let queue = queue()
        for number in 0..<3 { queue.add(bytes: 1, isOrdinary: true) { [written] in written.add("\(number)") } }
        #expect(written.all.isEmpty)
        time.settle()
        queue.add(bytes: 1, isOrdinary: false) { [written] in written.add("3") }
        time.settle()
        #expect(written.all == ["0", "1", "2", "3"])
    }

    @Test("are bounded in number; ordinary ones leave room for the others, and those that were lost are counted")
    func bounded() {
        let queue = queue()
        for _ in 0..<LogQueue.mostRecords {
            queue.add(bytes: 1, isOrdinary: true) { [written] in written.add("ordinary") }
        }
        queue.add(bytes: 1, isOrdinary: false) { [written] in written.add("important") }
        time.settle()
        let kept = LogQueue.mostRecords / LogQueue.ordinaryPart
        #expect(written.all.count { $0 == "ordinary" } == kept)
        #expect(written.all.suffix(2) == ["important", "lost \(kept)"])
        // There is room again.
        queue.add(bytes: 1, isOrdinary: true) { [written] in written.add("later") }
        time.settle()
        #expect(written.all.last == "later")
    }

    @Test("are bounded in bytes, but one of any length is written")
    func bytes() {
        let queue = queue()
        for number in 0..<3 {
            queue.add(bytes: LogQueue.mostBytes, isOrdinary: false) { [written] in written.add("\(number)") }
        }
        time.settle()
        #expect(written.all == ["0", "lost 2"])
    }

    @Test("are of a logger whose destination is queued: its records have the metadata of the calling task")
    func logger() {
        let pipe = StandardErrorTests.Pipe()
        let destination = LogDestination(
            journal: nil, standardError: StandardError(fileDescriptor: pipe.writing, showsPriority: false)
        ).queued(on: time.platform.queues)
        var handler = JournalLogHandler(label: "host", identifier: "rxd", destination: destination)
        let calls = Written()
        handler.metadataProvider = .init {
            calls.add("")
            return ["call": "\(calls.all.count)"]
        }
        let logger = Logger(label: "host") { [handler] _ in handler }
        for text in ["a", "b"] { logger.info("\(text)") }
        #expect(calls.all.count == 2)
        #expect(pipe.read() == "")
        time.settle()
        #expect(pipe.read() == "rxd: info: a call=1\nrxd: info: b call=2\n")
        for _ in 0..<LogQueue.mostRecords { logger.info("x") }
        time.settle()
        // As many as there is room for, by number or by bytes, and how many others there were.
        let lines = pipe.read().split(separator: "\n")
        let lost = LogQueue.mostRecords - (lines.count - 1)
        #expect(lost >= LogQueue.mostRecords / LogQueue.ordinaryPart && lines.count > 1)
        #expect(lines.last == "\(lost) log records were lost: too many came at once")
        pipe.close()
    }

    /// A queue that never runs its work.
    private final class FrozenQueue: WorkQueue, @unchecked Sendable {
        override func async(_ body: @escaping @Sendable () -> Void) {}
    }

    /// A queue whose timers are due at once.
    private final class HastyQueue: WorkQueue, @unchecked Sendable {
        override func timer(
            after delay: Duration, every period: Duration?, leeway: Duration, _ body: @escaping @Sendable () -> Void
        ) -> QueueTimer {
            body()
            return QueueTimer {}
        }
    }

    /// A queue whose timers are never due.
    private final class PatientQueue: WorkQueue, @unchecked Sendable {
        override func timer(
            after delay: Duration, every period: Duration?, leeway: Duration, _ body: @escaping @Sendable () -> Void
        ) -> QueueTimer {
            QueueTimer {}
        }
    }

    @Test("are awaited at the end of the process, but not for ever if the thread is stuck")
    func end() {
        let stuck = LogQueue(
            Queues(shared: Queues.system.shared) { $0 == "rxd.log" ? FrozenQueue() : HastyQueue() }
        ) { _ in }
        stuck.add(bytes: 1, isOrdinary: false) {}
        stuck.flush()
        let alive = LogQueue(
            Queues(shared: Queues.system.shared) { $0 == "rxd.log" ? Queues.system.serial($0) : PatientQueue() }
        ) { _ in }
        for number in 0..<100 { alive.add(bytes: 1, isOrdinary: false) { [written] in written.add("\(number)") } }
        alive.flush()
        #expect(written.all == (0..<100).map(String.init))
    }
}
