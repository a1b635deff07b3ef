internal import Glibc
internal import RxPlatform
package import RxHost

/// Takes the turns of an engine on a thread of its own, which sleeps in `poll`.
///
/// The thread waits for its worker, and nothing waits for the thread. A worker dies with the thread that started it.
package final class EngineThread: EngineDriver {
    /// A socket pair that ends the thread's wait; -1 if none could be made, because of `failure`.
    private let readEnd: Int32
    private let writeEnd: Int32
    private let failure: Int32?

    private final class Start {
        let driver: EngineThread
        let loop: JqReactorLoop<SystemEnginePlatform>

        init(_ driver: EngineThread, _ loop: JqReactorLoop<SystemEnginePlatform>) {
            self.driver = driver
            self.loop = loop
        }
    }

    init() {
        var ends: (Int32, Int32) = (-1, -1)
        let result = withUnsafeMutableBytes(of: &ends) {
            socketpair(
                AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0,
                $0.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        failure = result == 0 ? nil : errno
        (readEnd, writeEnd) = result == 0 ? ends : (-1, -1)
    }

    deinit {
        guard failure == nil else { return }
        close(readEnd)
        close(writeEnd)
    }

    package func start(_ loop: JqReactorLoop<SystemEnginePlatform>) throws(ReactorFault) {
        if let failure {
            throw ReactorFault(.restore, "no socket pair can be made: \(SystemErrorName.text(of: failure))")
        }
        let start = Unmanaged.passRetained(Start(self, loop))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                let start = Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue()
                start.driver.run(start.loop)
                return nil
            }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw ReactorFault(.restore, "no thread can be started: \(SystemErrorName.text(of: code))")
        }
        pthread_detach(thread)
    }

    package func wake() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }

    // MARK: On the thread

    private func run(_ loop: JqReactorLoop<SystemEnginePlatform>) {
        loop.begin()
        var workerIsReady = false
        while loop.turn(workerIsReady: workerIsReady) { workerIsReady = wait(loop) }
    }

    /// Waits for the next turn. Returns whether the worker's socket is ready.
    private func wait(_ loop: JqReactorLoop<SystemEnginePlatform>) -> Bool {
        var descriptors = [pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)]
        if let worker = loop.worker {
            let events = worker.waitingBytes > 0 ? POLLIN | POLLOUT : POLLIN
            descriptors.append(pollfd(fd: worker.descriptor, events: Int16(events), revents: 0))
        }
        let isAsleep = loop.fallAsleep()
        let count = poll(&descriptors, nfds_t(descriptors.count), isAsleep ? timeout(loop.timeLeft) : 0)
        if isAsleep {
            loop.wakeUp()
            var bytes: (UInt64, UInt64) = (0, 0)
            _ = read(readEnd, &bytes, 16)
        }
        return count > 0 && descriptors.count > 1 && descriptors[1].revents != 0
    }

    /// A timeout of `poll` in milliseconds, rounded up; -1 for none.
    private func timeout(_ timeLeft: Duration?) -> Int32 {
        guard let timeLeft else { return -1 }
        let left = timeLeft.components
        guard left.seconds >= 0, left.attoseconds >= 0 else { return 0 }
        return Int32(clamping: left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1)
    }
}
