import Rx
import RxBindings
import RxHost
import RxJSON
import RxRecords
import RxSources
import RxStreams
import TestSupport
import Testing

/// The environment is never a fault: a stream waits for it, reports why, and tries again.
@Suite("What the environment does not provide at present")
struct UnavailableSourceTests {
    private func summary(_ fixture: StreamFixture, _ member: String) -> String? {
        fixture.host.streams["s"]?.summary[member]?.string
    }

    private func waits(_ fixture: StreamFixture) -> [String?] {
        fixture.events.compactMap { event -> String?? in
            if case .waiting(let reason) = event { .some(reason) } else { nil }
        }
    }

    @Test("is a reason why the stream waits, until its source can be opened")
    func source() async {
        let fixture = StreamFixture()
        fixture.opener.fail("files cannot be watched")
        let done = Locked(false)
        fixture.streams.apply(StreamHost.Plan(streams: [.of("path", "s")], bindings: [.on("s")])) {
            done.withLock { $0 = true }
        }
        #expect(await eventually { done.withLock { $0 } })
        #expect(summary(fixture, "state") == "waiting" && summary(fixture, "reason") == "files cannot be watched")
        // It tries again, with the same result.
        fixture.advance(by: .seconds(1))
        #expect(await eventually { fixture.clock.firstAlarm.map { $0 > fixture.clock.now } ?? false })
        #expect(summary(fixture, "state") == "waiting" && waits(fixture) == ["files cannot be watched"])
        fixture.opener.fail(nil)
        fixture.advance(by: .seconds(2))
        #expect(await eventually { fixture.opener["s"]?.isStarted == true })
        #expect(await eventually { summary(fixture, "state") == "running" })
        #expect(waits(fixture) == ["files cannot be watched", nil])
        fixture.opener["s"]?.emit([json("1")], at: StreamFixture.start)
        #expect(await eventually { fixture.work.inputs == [json("1")] })
        await fixture.stop()
    }

    @Test("is not opened any more by a stream that is disabled meanwhile")
    func disabled() async {
        let fixture = StreamFixture()
        fixture.opener.fail("files cannot be watched")
        let done = Locked(false)
        fixture.streams.apply(StreamHost.Plan(streams: [.of("path", "s")])) { done.withLock { $0 = true } }
        #expect(await eventually { done.withLock { $0 } && fixture.clock.pending == 1 })
        fixture.opener.fail(nil)
        fixture.streams.stream("s")?.set(ManualSwitch(by: .host, since: 0, reason: nil))
        #expect(await eventually { fixture.clock.pending == 0 })
        #expect(summary(fixture, "state") == "disabled")
        fixture.advance(by: .seconds(100))
        fixture.streams.stream("s")?.set(nil)
        #expect(await eventually { fixture.opener.count("s") == 1 })
        await fixture.stop()
        #expect(fixture.opener.count("s") == 1)
    }

    @Test("keeps a condition of a path from holding, also one that needs the path to be missing")
    func condition() async {
        let fixture = StreamFixture()
        fixture.opener.fail("files cannot be watched")
        let condition = EnabledCondition.not(.pathExists("/a"))
        let plan = StreamHost.Plan(streams: [.of("path", "s")], conditions: ["s": condition])
        fixture.streams.apply(plan)
        #expect(await eventually { summary(fixture, "reason") == "files cannot be watched" })
        fixture.opener.fail(nil)
        fixture.advance(by: .seconds(5))
        #expect(await eventually { summary(fixture, "state") == "running" })
        fixture.opener.set(true, "/a")
        #expect(await eventually { summary(fixture, "state") == "disabled" })
        await fixture.stop()
    }

    @Test("is reported until the source reports that it can emit, though elements come meanwhile")
    func partly() async {
        let fixture = StreamFixture()
        await fixture.apply([.of("path", "s")], [.on("s")])
        fixture.opener["s"]?.report(waiting: "/a/b cannot be read")
        fixture.opener["s"]?.emit([json("1")], at: StreamFixture.start)
        #expect(await eventually { fixture.work.inputs == [json("1")] })
        #expect(summary(fixture, "state") == "waiting" && summary(fixture, "reason") == "/a/b cannot be read")
        fixture.opener["s"]?.report(waiting: nil)
        #expect(summary(fixture, "state") == "running")
        #expect(waits(fixture) == ["/a/b cannot be read", nil])
        await fixture.stop()
    }
}
