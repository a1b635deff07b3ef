import Glibc

@testable import RxLoop

/// One end of a pipe or a file: a bare descriptor, closed with the object.
final class Descriptor {
    private(set) var fd: Int32

    init(fd: Int32) { self.fd = fd }

    deinit { close() }

    func close() {
        if fd >= 0 { Glibc.close(fd) }
        fd = -1
    }
}

extension EventLoop {
    /// One turn on this thread, without waiting.
    func turn() { turn(waitingAtMost: 0) }

    /// Whether the loop finds nothing to do for a few milliseconds.
    func sleeps() -> Bool {
        let start = SuspendingClock.now
        turn(waitingAtMost: 5_000_000)
        return SuspendingClock.now - start >= .milliseconds(5)
    }

    /// Takes turns on this thread until `condition` holds; false when it does not within a minute.
    func turn(until condition: () -> Bool) -> Bool {
        let deadline = SuspendingClock.now + .seconds(60)
        while !condition() {
            guard SuspendingClock.now < deadline else { return false }
            turn(waitingAtMost: 1_000_000)
        }
        return true
    }
}

/// A value that a loop's closures and the test share.
final class Shared<Value>: @unchecked Sendable {
    private let lock = Lock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func callAsFunction() -> Value { lock.withLock { value } }
    func change<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}
