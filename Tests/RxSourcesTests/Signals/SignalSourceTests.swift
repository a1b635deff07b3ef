import Glibc
import Rx
import RxJSON
import RxLoop
import RxPlatform
import RxStreams
import RxTime
import TestSupport
import Testing

@testable import RxSources

@Suite("Signals of this process", .ownThreads)
struct SignalSourceTests {
    @Test("each signal is an element with its sender, for every stream that uses the signal")
    func elements() async throws {
        let loop = try EventLoop()
        loop.start(name: "signals")
        let signals = SharedSignals(loop: loop)
        let name = try SignalName("RTMIN+3")
        // Caught from here on, so that it does not end the process.
        let isCaught = Locked(false)
        let token = signals.add(name.number) { _ in
        } result: { _ in
            isCaught.withLock { $0 = true }
        }
        #expect(await eventually { isCaught.withLock { $0 } })
        let receivers = [RecordedReceiver(), RecordedReceiver()]
        let sources = receivers.map { _ in SignalSource(name, of: signals, on: .system) }
        for (source, receiver) in zip(sources, receivers) { source.start(after: nil, into: receiver) }
        #expect(
            await eventually {
                kill(getpid(), name.number)
                return receivers.allSatisfy { $0.elements.count >= 2 }
            })
        let element = #"{"signal":"RTMIN+3","uid":\#(getuid()),"pid":\#(getpid())}"#
        for receiver in receivers { #expect(Set(receiver.values) == [element]) }
        // A stopped stream receives nothing more; the other one does.
        sources[0].stop()
        let known = receivers.map(\.elements.count)
        #expect(
            await eventually {
                kill(getpid(), name.number)
                return receivers[1].elements.count > known[1] + 10
            })
        #expect(receivers[0].elements.count == known[0])
        sources[1].stop()
        signals.remove(name.number, token)
        loop.stop()
        loop.join()
        // Ignored now: the process lives.
        kill(getpid(), name.number)
    }

    @Test("a signal that no stream uses is reported as stray, before and after a stream")
    func strays() async throws {
        let loop = try EventLoop()
        let strays = Locked<[String]>([])
        let signals = SharedSignals(loop: loop)
        try signals.catchStrays { name in strays.withLock { $0.append(name.description) } }
        loop.start(name: "signals")
        kill(getpid(), SIGUSR2)
        #expect(await eventually { strays.withLock { $0 } == ["USR2"] })
        let receiver = RecordedReceiver()
        let source = SignalSource(try SignalName("USR2"), of: signals, on: .system)
        source.start(after: nil, into: receiver)
        #expect(
            await eventually {
                kill(getpid(), SIGUSR2)
                return !receiver.elements.isEmpty
            })
        // Those before the stream; from here on, there are no more.
        let known = strays.withLock { $0.count }
        let count = receiver.elements.count
        #expect(
            await eventually {
                kill(getpid(), SIGUSR2)
                return receiver.elements.count > count + 3
            })
        #expect(strays.withLock { $0.count } == known)
        source.stop()
        #expect(
            await eventually {
                kill(getpid(), SIGUSR2)
                return strays.withLock { $0.count } > known
            })
        loop.execute { signals.cancel() }
        loop.stop()
        loop.join()
    }

    @Test("a signal that cannot be caught is tried again, with growing delays")
    func retries() async throws {
        let time = SteppedTime()
        let loop = try EventLoop()
        let system = FailingSignals(failures: 2)
        let signals = SharedSignals(loop: loop, system: system)
        let receiver = RecordedReceiver()
        let source = SignalSource(try SignalName("USR1"), of: signals, on: time.platform)
        source.start(after: nil, into: receiver)
        func turn() {
            time.settle()
            loop.takeTurn()
            time.settle()
        }
        turn()
        #expect(
            receiver.waiting == ["cannot catch the signal USR1: pipe2: Too many open files"])
        #expect(time.delays == [.seconds(1)])
        time.advance(by: .seconds(1))
        turn()
        #expect(time.delays == [.seconds(2)])
        time.advance(by: .seconds(2))
        turn()
        #expect(receiver.waiting.count == 2 && receiver.waiting[1] == nil)
        system.send(ReceivedSignal(number: SIGUSR1, uid: 7, pid: 9))
        time.settle()
        #expect(receiver.values == [#"{"signal":"USR1","uid":7,"pid":9}"#])
        #expect(receiver.elements[0].time.microseconds == 1_767_225_603_000_000)
        source.stop()
        loop.execute {}
        loop.takeTurn()
        #expect(system.isCancelled)
    }
}

// Sendable: one thread uses it.
/// Signals that cannot be caught at first.
private final class FailingSignals: SignalSystem, @unchecked Sendable {
    private var failures: Int
    private var handler: ((ReceivedSignal) -> Void)?
    private(set) var isCancelled = false

    init(failures: Int) { self.failures = failures }

    func send(_ signal: ReceivedSignal) { handler?(signal) }

    func watch(
        _ number: Int32, _ handler: @escaping (ReceivedSignal) -> Void
    ) throws(SystemCallError) -> () -> Void {
        failures -= 1
        if failures >= 0 { throw SystemCallError("pipe2", errno: EMFILE) }
        self.handler = handler
        return { [self] in isCancelled = true }
    }
}
