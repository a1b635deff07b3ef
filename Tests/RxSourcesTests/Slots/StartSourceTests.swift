import RxJSON
import RxStreams
import RxTime
import Testing

@testable import RxSources

@Suite("A source of starts")
struct StartSourceTests {
    private let clock = SimulatedAlarmClock(at: Instant(seconds: 1_767_225_600))

    @Test("emits once, when the daemon is ready, with the time at which the last one stopped")
    func once() {
        let daemon = DaemonStart(stopped: Instant(seconds: 1_767_225_000))
        let source = StartSource(daemon, queue: clock.queue)
        let receiver = RecordingReceiver()
        source.start(after: nil, into: receiver)
        clock.run()
        #expect(receiver.elements.isEmpty)
        daemon.ready(at: clock.now)
        #expect(receiver.elements.isEmpty)
        clock.run()
        daemon.ready(at: clock.now)
        clock.run()
        #expect(receiver.elements.map(\.value.text) == [#"{"stopped":"2025-12-31T23:50:00.000Z"}"#])
        #expect(receiver.elements.first?.time == clock.now)
    }

    @Test("emits null if it is not known when the last one stopped")
    func unknown() {
        let daemon = DaemonStart(stopped: nil)
        let source = StartSource(daemon, queue: clock.queue)
        let receiver = RecordingReceiver()
        source.start(after: nil, into: receiver)
        daemon.ready(at: clock.now)
        clock.run()
        #expect(receiver.elements.map(\.value.text) == [#"{"stopped":null}"#])
    }

    @Test("emits nothing after a reload, and nothing once stopped")
    func reload() {
        let daemon = DaemonStart(stopped: nil)
        let stopped = StartSource(daemon, queue: clock.queue)
        let receiver = RecordingReceiver()
        stopped.start(after: nil, into: receiver)
        stopped.stop()
        daemon.ready(at: clock.now)
        let late = StartSource(daemon, queue: clock.queue)
        late.start(after: nil, into: receiver)
        clock.run()
        #expect(receiver.elements.isEmpty)
    }
}
