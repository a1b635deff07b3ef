import Glibc
import RxJSON
import RxPlatform
import RxStreams
import RxTime
import Synchronization
import Testing

@testable import RxSources

/// What the next measurements give, in order; the last one repeats.
private final class Measurements: Sendable {
    private struct State {
        var results: [Result<FileSystemSpace, FileError>]
        var count = 0
    }

    private let state: Mutex<State>

    init(_ results: [Result<FileSystemSpace, FileError>]) { state = Mutex(State(results: results)) }

    var count: Int { state.withLock { $0.count } }

    func next() -> Result<FileSystemSpace, FileError> {
        state.withLock { state in
            state.count += 1
            return state.results.count > 1 ? state.results.removeFirst() : state.results[0]
        }
    }
}

@Suite("A source of the space of a file system")
struct SpaceSourceTests {
    private let clock: SimulatedAlarmClock
    private let receiver = RecordingReceiver()

    init() throws { clock = SimulatedAlarmClock(at: try at("2026-01-01T00:00:00Z")) }

    private func source(_ measurements: Measurements, measuring: WorkQueue? = nil) -> SpaceSource {
        let source = SpaceSource(
            "/srv", interval: .seconds(60), clock: clock, queue: clock.queue, measuring: measuring ?? clock.queue
        ) { _ in measurements.next() }
        source.start(after: nil, into: receiver)
        clock.run()
        return source
    }

    private func space(_ used: UInt64) -> Result<FileSystemSpace, FileError> {
        .success(FileSystemSpace(size: 1000, free: 400, used: used, files: nil))
    }

    private var used: [String] { receiver.elements.map { $0["used"] } }

    @Test("emits at the start, and after each interval in which something has changed")
    func intervals() {
        let measurements = Measurements([space(5000), space(5000), space(9001), space(9001)])
        let source = source(measurements)
        #expect(
            receiver.elements.map(\.value.text) == [#"{"path":"/srv","used":0.5,"free":400,"size":1000,"files":null}"#])
        clock.advance(by: .seconds(60))
        #expect(measurements.count == 2 && used == ["0.5"])
        clock.advance(by: .seconds(60))
        #expect(used == ["0.5", "0.9001"])
        source.stop()
        clock.advance(by: .seconds(3600))
        #expect(measurements.count == 3)
        #expect(clock.pending == 0)
    }

    @Test("waits, with the reason, for a path that is not there")
    func missing() {
        let source = source(Measurements([.failure(FileError(ENOENT)), space(1)]))
        #expect(receiver.reports == ["/srv does not exist"])
        clock.advance(by: .seconds(60))
        #expect(receiver.reports == ["/srv does not exist", nil])
        #expect(used == ["0.0001"])
        source.stop()
    }

    @Test("measures at once when the clock was set")
    func clockSet() throws {
        let measurements = Measurements([space(1)])
        let source = source(measurements)
        clock.set(to: try at("2025-01-01T00:00:00Z"))
        #expect(measurements.count == 2)
        clock.advance(by: .seconds(60))
        #expect(measurements.count == 3)
        source.stop()
    }

    @Test("reports a file system that does not answer, does not ask again, and stops without it")
    func hanging() throws {
        let hung = SimulatedAlarmClock(at: clock.now)
        let measurements = Measurements([space(1)])
        let source = source(measurements, measuring: hung.queue)
        #expect(receiver.reports.isEmpty)
        clock.advance(by: .seconds(3600))
        #expect(receiver.reports == ["/srv does not answer"])
        hung.run()
        clock.run()
        #expect(measurements.count == 1)
        #expect(receiver.reports == ["/srv does not answer", nil] && used == ["0.0001"])
        clock.advance(by: .seconds(60))
        source.stop()
        hung.run()
        clock.run()
        #expect(receiver.elements.count == 1)
    }

    @Test("measures what df shows")
    func df() throws {
        var status = statvfs()
        #expect(statvfs("/", &status) == 0)
        let space = try FileSystemSpace.measure(RawPath("/"))
        #expect(space.size == UInt64(status.f_blocks) * UInt64(status.f_frsize))
        #expect(space.size > space.free && (1...10_000).contains(space.used))
        #expect(throws: FileError(ENOENT)) { try FileSystemSpace.measure(RawPath("/no such path")) }
    }

    @Test("shares are rounded up, as with df; what a file system reports does not matter")
    func shares() {
        var status = statvfs()
        (status.f_frsize, status.f_blocks, status.f_bfree, status.f_bavail) = (4096, 1000, 150, 100)
        (status.f_files, status.f_ffree) = (300, 200)
        #expect(
            FileSystemSpace(status) == FileSystemSpace(size: 4_096_000, free: 409_600, used: 8948, files: 3334))
        (status.f_blocks, status.f_bfree, status.f_bavail) = (1000, 100, 100)
        #expect(FileSystemSpace(status).used == 9000)
        (status.f_blocks, status.f_bfree, status.f_bavail, status.f_files) = (0, .max, .max, 0)
        #expect(FileSystemSpace(status).used == 0)
        #expect(FileSystemSpace(status).files == nil)
        (status.f_blocks, status.f_bfree, status.f_bavail) = (.max, 0, .max)
        #expect(FileSystemSpace(status).used == 5000)
    }
}
