internal import Dispatch
internal import Rx
internal import RxStreams
internal import RxTime

/// The time of a test, with what will happen: at a time, or right after what happens now. The world of the test owns
/// it.
// Unchecked: a test runs on one thread.
final class TestClock: @unchecked Sendable {
    /// The time now.
    private(set) var now: Instant
    var nowText: String { TimeText.utc(now) }
    private let agenda: StreamClock
    private var messages: [() -> Void] = []
    private var isDelivering = false
    /// How many there have been at this moment.
    private var messagesNow = 0
    /// Whether more happens at one moment than may; nothing is delivered then.
    private(set) var isEndless = false

    init(_ start: Instant) {
        now = start
        agenda = StreamClock(start)
    }

    // MARK: Times

    /// Does something after a time. The result cancels it.
    @discardableResult
    func after(_ microseconds: Int64, _ body: @escaping () -> Void) -> any Disposable {
        let body = Body(run: body)
        // The agenda may still show the moment before.
        let due = now.adding(microseconds: max(0, microseconds)).microseconds - agenda.instant.microseconds
        let time = RxTimeInterval.microseconds(Int(due))
        return agenda.scheduleRelative((), dueTime: time) { [weak self] _ in
            body.run()
            self?.deliver()
            return Disposables.create()
        }
    }

    func at(_ time: Instant, _ body: @escaping () -> Void) {
        after(time.microseconds - now.microseconds, body)
    }

    // Unchecked: a test runs on one thread.
    private struct Body: @unchecked Sendable {
        let run: () -> Void
    }

    /// When something is due next; nil if nothing is.
    var next: Instant? { agenda.next }

    /// Moves to a time. What is due then waits for `runDue`.
    func move(to time: Instant) {
        if time > now { messagesNow = 0 } else { countMessage() }
        now = time
    }

    /// Does what is due now.
    func runDue() { agenda.advance(to: now) }

    // MARK: Messages

    /// Does something after what happens now: a stream never enters another one, or itself.
    func post(_ message: @escaping () -> Void) { messages.append(message) }

    /// Does what was posted.
    func deliver() {
        guard !isDelivering else { return }
        isDelivering = true
        var index = 0
        while index < messages.count, !isEndless {
            countMessage()
            let message = messages[index]
            index += 1
            message()
            if index == 256 {
                messages.removeFirst(index)
                index = 0
            }
        }
        messages = []
        isDelivering = false
    }

    /// Forgets what was posted.
    func removeMessages() { messages = [] }

    private func countMessage() {
        messagesNow += 1
        if messagesNow >= TestLimits.messages { isEndless = true }
    }
}
