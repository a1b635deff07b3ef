import Rx
import RxAction
import RxHost
import RxJSON
import RxStore
import RxStreams
import TestSupport
import Testing

@testable import RxBindings

@Suite("The condition of an action", .countedApart)
struct ActionConditionTests {
    private static let ready = EnabledCondition.stream("s", when: StreamProgram(". > 1", .condition))

    private func reason(_ fixture: StreamFixture) -> DisabledReason? {
        fixture.host.log.snapshot(of: [fixture.host.registry["act"]!]).levels[0].enabled.reason
    }

    private func unmet(_ fixture: StreamFixture) -> String? {
        if case .unmet(let condition)? = reason(fixture) { condition.text } else { nil }
    }

    @Test("is met by the last element of a stream, and not before the first")
    func stream() async {
        let fixture = StreamFixture()
        fixture.streams.conditions.watch(["act": Self.ready])
        await fixture.apply([.of("subject", "s")])
        #expect(unmet(fixture) == "the stream s has emitted nothing yet")
        fixture.opener["s"]?.emit([json("1")], at: StreamFixture.start)
        #expect(await eventually { self.unmet(fixture) == ". > 1 does not hold for the stream s" })
        fixture.opener["s"]?.emit([json("2")], at: StreamFixture.start)
        #expect(await eventually { self.reason(fixture) == nil })
        // The stream is rebuilt with other steps: it has emitted nothing yet.
        await fixture.apply([.of("subject", "s", [StepDefinition("skip", ["skip": .count(0)])])])
        #expect(await eventually { self.unmet(fixture) == "the stream s has emitted nothing yet" })
        fixture.opener["s"]?.emit([json("3")], at: StreamFixture.start)
        #expect(await eventually { self.reason(fixture) == nil })
        await fixture.stop()
    }

    @Test("names which of its parts do not hold, and follows a path")
    func parts() async {
        let fixture = StreamFixture()
        await fixture.apply([.of("subject", "s")])
        fixture.streams.conditions.watch([
            "act": .all([.any([.pathExists("/a"), Self.ready]), .not(.pathExists("/b"))])
        ])
        #expect(unmet(fixture) == "/a does not exist, and the stream s has emitted nothing yet")
        fixture.opener.set(true, "/b")
        #expect(
            await eventually {
                self.unmet(fixture)
                    == "/a does not exist, and the stream s has emitted nothing yet; this must not hold: /b exists"
            })
        fixture.opener.set(true, "/a")
        #expect(await eventually { self.unmet(fixture) == "this must not hold: /b exists" })
        fixture.opener.set(false, "/b")
        #expect(await eventually { self.reason(fixture) == nil })
        await fixture.stop()
    }

    /// Starts a daemon again in whose first run the condition held, since the stream had emitted a 2.
    ///
    /// - Parameters:
    ///   - happen: the end of the first run.
    ///   - isExpected: whether this may be unmet in the second one; nil if the condition holds.
    private func expectAfterRestart(
        of stream: StreamDefinition, after happen: (StreamFixture) async -> Void, until isExpected: (String?) -> Bool
    ) async throws {
        let directory = TemporaryDirectory()
        for isFirst in [true, false] {
            let store = try ExecutionStore(path: directory.path + "/rxd.db") { _ in }
            let fixture = StreamFixture(store: store)
            fixture.streams.conditions.watch(["act": Self.ready])
            await fixture.apply([stream])
            if isFirst {
                fixture.opener["s"]?.emit([json("2")], at: StreamFixture.start)
                #expect(await eventually { self.reason(fixture) == nil })
                await happen(fixture)
            } else {
                #expect(await eventually { isExpected(self.reason(fixture) == nil ? nil : self.unmet(fixture)) })
            }
            await fixture.stop()
            store.close()
        }
    }

    @Test("remembers the element of a stream that persists, and of no other one", arguments: [true, false])
    func remembers(persist: Bool) async throws {
        try await expectAfterRestart(of: .of("lines", "s", persist: persist), after: { _ in }) { unmet in
            unmet == (persist ? nil : "the stream s has emitted nothing yet")
        }
    }

    @Test("is decided by what the stream has emitted last, also while no condition read it")
    func unread() async {
        let fixture = StreamFixture()
        let conditions = fixture.streams.conditions
        await fixture.apply([.of("subject", "s")])
        fixture.opener["s"]?.emit([json("2")], at: StreamFixture.start)
        #expect(await eventually { fixture.elements == [json("2")] })
        conditions.watch(["act": Self.ready])
        #expect(await eventually { self.reason(fixture) == nil })
        conditions.watch([:])
        fixture.opener["s"]?.emit([json("1")], at: StreamFixture.start)
        #expect(await eventually { fixture.elements == [json("2"), json("1")] })
        conditions.watch(["act": Self.ready])
        #expect(await eventually { self.unmet(fixture) == ". > 1 does not hold for the stream s" })
        await fixture.stop()
    }

    @Test("is not decided by a long element that came while no condition read the stream, nor by one before it")
    func longUnread() async {
        let fixture = StreamFixture()
        let conditions = fixture.streams.conditions
        await fixture.apply([.of("subject", "s")])
        conditions.watch(["act": Self.ready])
        let long = RawJSON(.string(String(repeating: "x", count: LastElements.mostUnreadBytes)))
        for element in [json("2"), long] {
            fixture.opener["s"]?.emit([element], at: StreamFixture.start)
            // A string is greater than a number.
            #expect(await eventually { fixture.elements.last == element && self.reason(fixture) == nil })
        }
        conditions.watch([:])
        fixture.opener["s"]?.emit([json("2"), long], at: StreamFixture.start)
        #expect(await eventually { fixture.elements == [json("2"), long, json("2"), long] })
        conditions.watch(["act": Self.ready])
        #expect(unmet(fixture) == "the stream s has emitted nothing yet")
        await fixture.stop()
    }

    @Test("is not decided by an element before a restart that others followed while no condition read the stream")
    func unreadBefore() async throws {
        try await expectAfterRestart(of: .of("lines", "s", persist: true)) { fixture in
            fixture.streams.conditions.watch([:])
            fixture.opener["s"]?.emit([json("1")], at: StreamFixture.start)
            #expect(await eventually { fixture.elements == [json("2"), json("1")] })
        } until: { unmet in
            unmet == "the stream s has emitted nothing yet"
        }
    }

    @Test("does not bind an action that has none any more, and stays as it is through a reload that keeps it")
    func reloads() async {
        let fixture = StreamFixture()
        await fixture.apply([.of("subject", "s")])
        let conditions = fixture.streams.conditions
        conditions.watch(["act": .pathExists("/a")])
        #expect(unmet(fixture) == "/a does not exist")
        fixture.opener.set(true, "/a")
        #expect(await eventually { self.reason(fixture) == nil })
        conditions.watch(["act": .pathExists("/a")])
        #expect(reason(fixture) == nil)
        conditions.watch(["act": .not(.pathExists("/a"))])
        conditions.watch([:])
        #expect(await eventually { self.reason(fixture) == nil })
        let prepared = conditions.prepare(["act": .pathExists("/never")]) { fixture.host.registry[$0] }
        prepared.waitForAnswers()
        prepared.abandon()
        #expect(reason(fixture) == nil)
        await fixture.stop()
    }
}
