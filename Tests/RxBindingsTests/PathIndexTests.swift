import Glibc
import Jq
import Rx
import RxAction
import RxBindings
import RxHost
import RxJSON
import RxLoop
import RxPlatform
import RxRecords
import RxSources
import RxStore
import RxStreams
import RxTime
import TestSupport
import Testing

/// What a stream with `persist` knows of a path is gone with it: its index is a file of its own.
@Suite("The index of a path", .ownThreads)
struct PathIndexTests {
    private let directory = TemporaryDirectory()
    private let state = TemporaryDirectory()

    /// A host with the sources of a daemon, whose action `act` notes the names of files.
    private final class Daemon: Sendable {
        let seen = Locked<[String]>([])
        let streams: StreamHost
        private let store: ExecutionStore

        init(_ state: String) throws {
            let seen = seen
            let action = ActionDefinition(
                name: "act", kind: "test", overlap: .queue(limit: 100), scheduler: .inline, fingerprint: "act"
            ) { invocation in
                let path = invocation.input.value()["path"]?.string ?? ""
                seen.withLock { $0.append(path.split(separator: "/").last.map(String.init) ?? "") }
                return .just(.null)
            }
            store = try ExecutionStore(path: state + "/rxd.db") { _ in }
            let host = Host([action], store: store)
            let stored = host.storedStreams
            host.resume()
            let (loop, platform, zones) = (try EventLoop(), Platform.system, ZoneFiles.system())
            let clock = SimulatedAlarmClock(at: StreamFixture.start)
            let sources = DaemonSources(
                host,
                DaemonSources.Surroundings(
                    clock: clock, zone: MachineZone(files: zones, variable: nil), zones: zones,
                    start: DaemonStart(stopped: nil), machine: "", indices: state,
                    journals: Journals(loop: loop, platform: platform, own: .ofThisProcess(clock: platform.wallClock)),
                    buses: BusConnections(loop: loop, platform: platform, isUserDaemon: false),
                    signals: SharedSignals(loop: loop)
                ) { _, _, _ in SubjectSource() })
            streams = StreamHost(
                StreamServices(host: host, clock: clock, evaluator: LocalEvaluator(), opener: sources) { _, _, _ in },
                stored: stored)
        }

        func apply(_ streams: [StreamDefinition]) async {
            let done = Locked(false)
            let bindings = streams.map { BindingDefinition.on($0.name) }
            self.streams.apply(StreamHost.Plan(streams: streams, bindings: bindings)) { done.withLock { $0 = true } }
            #expect(await eventually { done.withLock { $0 } })
        }

        func stop() async {
            let stopped = Locked(false)
            streams.stop { stopped.withLock { $0 = true } }
            #expect(await eventually { stopped.withLock { $0 } })
            store.close()
        }
    }

    private func stream(_ include: [String]) -> StreamDefinition {
        let source = ExternalSource("path", ["path": .text(directory.path), "include": .texts(include)])
        return StreamDefinition(name: "s", source: .external(source), steps: [], isPersistent: true)
    }

    private var index: String { state.path + "/s.0.index" }

    /// Makes a file, and waits until the file system's clock has moved on: it is older than any later start of a
    /// source.
    private func writeOld(_ name: String) async {
        func microseconds(_ path: String) -> Int {
            var status = stat()
            stat(path, &status)
            return status.st_ctim.tv_sec * 1_000_000 + status.st_ctim.tv_nsec / 1_000
        }
        let old = microseconds(directory.write(name, "old"))
        let isOld = await eventually { microseconds(self.state.write("now", "")) > old + 100_000 }
        #expect(isOld)
    }

    /// Waits until the source has compared what is there with its index, and watches.
    private func watches(_ daemon: Daemon, _ name: String) async {
        var number = 0
        let isSeen = await eventually {
            number += 1
            directory.write("probe-\(name).md", "\(number)")
            return daemon.seen.withLock { $0.contains("probe-\(name).md") }
        }
        directory.write("last-\(name).md", "")
        let isLastSeen = await eventually { daemon.seen.withLock { $0.contains("last-\(name).md") } }
        #expect(isSeen && isLastSeen)
    }

    private func others(_ daemon: Daemon) -> [String] {
        daemon.seen.withLock { $0.filter { !$0.hasPrefix("probe-") && !$0.hasPrefix("last-") } }
    }

    @Test("is not used by a source with another definition")
    func changed() async throws {
        let daemon = try Daemon(state.path)
        await writeOld("old.txt")
        await daemon.apply([stream(["*.md"])])
        await watches(daemon, "1")
        await daemon.apply([stream(["*.md", "*.txt"])])
        await watches(daemon, "2")
        #expect(others(daemon).isEmpty)
        await daemon.stop()
    }

    @Test("is removed with its stream, and with the source of its stream", arguments: [true, false])
    func removed(isStream: Bool) async throws {
        let daemon = try Daemon(state.path)
        await daemon.apply([stream(["*.md"])])
        await watches(daemon, "1")
        await daemon.apply(isStream ? [] : [.of("subject", "s", persist: true)])
        #expect(await eventually { access(self.index, F_OK) != 0 })
        await writeOld("between.md")
        await daemon.apply([stream(["*.md"])])
        await watches(daemon, "2")
        #expect(others(daemon).isEmpty)
        await daemon.stop()
    }

    @Test("is removed with a stream that the next daemon does not find; until then, the stream goes on with it")
    func removedBetween() async throws {
        let first = try Daemon(state.path)
        await first.apply([stream(["*.md"])])
        await watches(first, "1")
        await first.stop()
        await writeOld("between.md")
        let second = try Daemon(state.path)
        await second.apply([stream(["*.md"])])
        await watches(second, "2")
        #expect(others(second) == ["between.md"])
        await second.stop()
        #expect(access(index, F_OK) == 0)
        let third = try Daemon(state.path)
        await third.apply([])
        #expect(await eventually { access(self.index, F_OK) != 0 })
        await third.stop()
    }
}
