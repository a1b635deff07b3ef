import Dispatch
import Rx
import RxJSON
import RxPlatform
import TestSupport
import Testing

@testable import RxHost
@testable import RxRecords
@testable import RxStore

@Suite("A reactor whose steps cannot be stored", .countedApart)
struct GoingBackTests {
    @Test("goes back to the state without a dispatch that fails, and the first one after the fault succeeds")
    func synced() async throws {
        let words = try WordsHost(.sync)
        #expect(await words.dispatch("a") == "1")
        try words.disk(fails: true)
        #expect(await words.dispatch("b") == "not stored")
        #expect(words.state == ["a"] && words.reactor.now.revision == 3)
        for _ in 0..<3 { #expect(await words.dispatch("c") == "not stored") }
        #expect(words.state == ["a"] && words.reactor.now.revision == 3)
        #expect(words.seen.values == ["a", "b"], "while the log lacks steps, no engine gets a dispatch")
        try words.disk(fails: false)
        #expect(await words.dispatch("b") == "4")
        #expect(await words.dispatch("c") == "5")
        #expect(words.state == ["a", "b", "c"])
        #expect(try await words.history() == "1 3loss 4 5")
        await words.stop()
        #expect(try words.kept() == ["a", "b", "c"])
    }

    @Test(
        "keeps what was answered before it was written, and no more",
        arguments: [ReactorPersistence.Durability.normal, .off])
    func answeredEarly(durability: ReactorPersistence.Durability) async throws {
        let words = try WordsHost(durability)
        #expect(await words.dispatch("a") == "1")
        words.store.writes.flush()
        try words.disk(fails: true)
        #expect(await words.dispatch("b") == "2", "the answer promises no more than that it is going to be written")
        let log = try #require(words.reactor.keptLog)
        #expect(await eventually { log.isBehind })
        for _ in 0..<3 { #expect(await words.dispatch("c") == "not stored") }
        #expect(words.state == ["a", "b"] && words.seen.values == ["a", "b"])
        try words.disk(fails: false)
        #expect(await words.dispatch("c") == "3")
        #expect(words.state == ["a", "b", "c"])
        #expect(try await words.history() == "1 2loss 3")
        await words.stop()
        #expect(try words.kept() == ["a", "b", "c"])
    }

    @Test("goes back once for all dispatches that were reduced on top of the failing one")
    func together() async throws {
        let words = try WordsHost(.sync)
        #expect(await words.dispatch("a") == "1")
        try words.disk(fails: true)
        words.store.writes.queue.hang()
        for action in ["b", "c+d", "e"] { words.send(action) }
        #expect(words.state == ["a", "b", "c", "d", "e"] && words.answers.values.isEmpty)
        words.store.writes.queue.resume()
        #expect(await eventually { words.answers.values.count == 3 })
        #expect(words.answers.values.allSatisfy { $0.hasSuffix(": not stored") })
        #expect(words.state == ["a"] && words.reactor.now.revision == 6)
        try words.disk(fails: false)
        #expect(await words.dispatch("c+d") == "8")
        #expect(words.state == ["a", "c", "d"])
        #expect(try await words.history() == "1 6loss 7 8")
        await words.stop()
    }

    @Test("undoes all mutations of a dispatch, also those that were stored before the fault")
    func partlyStored() async throws {
        let words = try WordsHost(.sync)
        #expect(await words.dispatch("a") == "1")
        words.send("wait")
        words.stream.onNext("b")
        words.store.writes.flush()
        try words.disk(fails: true)
        words.stream.onNext("c")
        #expect(await eventually { words.answers.values == ["wait: not stored"] })
        #expect(words.state == ["a"])
        try words.disk(fails: false)
        #expect(await words.dispatch("d") == "5")
        #expect(words.state == ["a", "d"])
        #expect(try await words.history() == "1 2 4loss 5")
        await words.stop()
        #expect(try words.kept() == ["a", "d"])
    }

    @Test("publishes the state to which it goes back as a later revision, without a patch")
    func readers() async throws {
        let words = try WordsHost(.sync)
        _ = words.host.log.open(.named([words.reactor]), .all, from: .now)
        words.reactor.watchPatches(1)
        let heard = Heard<[String]>()
        let listening = words.host.listen(toStatesOf: "words") { state in
            heard.add(state.tree.array?.compactMap(\.string) ?? [])
        }
        #expect(await words.dispatch("a") == "1")
        try words.disk(fails: true)
        #expect(await words.dispatch("b") == "not stored")
        try words.disk(fails: false)
        #expect(await words.dispatch("c") == "4")
        let revisions = words.host.log.drain().events.compactMap { event -> String? in
            guard case .state(let revision) = event.change, let content = revision.content else { return nil }
            return "\(revision.number) \(content.state.tree.array?.count ?? -1) \(content.patch == nil ? "whole" : "")"
        }
        #expect(revisions == ["1 1 ", "2 2 ", "3 1 whole", "4 2 "])
        #expect(heard.values.last == ["a", "c"])
        listening.dispose()
        await words.stop()
    }

    @Test("keeps merged mutations that cannot be stored, and stores them with the next dispatch")
    func merged() async throws {
        let words = try WordsHost(.sync)
        #expect(await words.dispatch("a") == "1")
        try words.disk(fails: true)
        words.merged.onNext("m")
        words.store.writes.flush()
        #expect(await words.dispatch("b") == "not stored")
        #expect(words.state == ["a", "m"])
        try words.disk(fails: false)
        #expect(await words.dispatch("b") == "3")
        #expect(words.state == ["a", "m", "b"])
        await words.stop()
        #expect(try words.kept() == ["a", "m", "b"])
    }

    @Test("carries out dispatches that came while the log could not be bridged, but not those before")
    func laterAttempt() async throws {
        let words = try WordsHost(.sync)
        try words.disk(fails: true)
        #expect(await words.dispatch("a") == "not stored")
        // An attempt that fails, and a dispatch that comes meanwhile.
        words.store.writes.queue.hang()
        words.send("b")
        words.send("c")
        #expect(words.answers.values.isEmpty)
        words.store.writes.queue.resume()
        #expect(await eventually { words.answers.values.count == 2 })
        #expect(words.answers.values.allSatisfy { $0.hasSuffix(": not stored") } && words.state.isEmpty)
        try words.disk(fails: false)
        for action in ["d", "e", "f"] { words.send(action) }
        #expect(await eventually { words.answers.values.count == 5 })
        #expect(words.state == ["d", "e", "f"])
        await words.stop()
    }

    @Test("that a reload changes at that moment continues with the state without the dispatches that fail")
    func reload() async throws {
        let words = try WordsHost(.sync)
        #expect(await words.dispatch("a") == "1")
        try words.disk(fails: true)
        words.store.writes.queue.hang()
        words.send("b")
        let reloaded = Heard<Int>()
        let definition = words.definition(.sync, fingerprint: "two")
        DispatchQueue.global().async {
            words.host.reload([], reactors: [definition])
            reloaded.add(1)
        }
        // Held, or taken by the old engine: in both cases it comes after `b`.
        #expect(await eventually { words.reactor.definition.fingerprint == "two" })
        words.store.writes.queue.resume()
        #expect(await eventually { reloaded.values == [1] && words.answers.values == ["b: not stored"] })
        #expect(words.state == ["a"] && words.reactor.definition.fingerprint == "two")
        try words.disk(fails: false)
        #expect(await words.dispatch("c") == "\(words.reactor.now.revision)")
        #expect(words.state == ["a", "c"])
        await words.stop()
        #expect(try words.kept() == ["a", "c"])
    }

    @Test(
        "keeps the promise of sync to a dispatch whose write is pending when a reload lowers the durability",
        arguments: [ReactorPersistence.Durability.normal, .off, nil])
    func lowered(durability: ReactorPersistence.Durability?) async throws {
        let words = try WordsHost(.sync)
        #expect(await words.dispatch("a") == "1")
        words.send("wait")
        words.store.writes.queue.hang()
        words.stream.onNext("b")
        words.send("c")
        words.host.reload([], reactors: [words.definition(durability)])
        words.send("d")
        words.stream.onCompleted()
        #expect(words.answers.values.isEmpty, "nothing before it is on the disk")
        words.store.writes.queue.resume()
        #expect(await eventually { words.answers.values.count == 3 })
        #expect(words.answers.values.sorted() == ["c: 3", "d: 4", "wait: 2"])
        await words.stop()
    }

    @Test("does not go back because another reactor has filled the queue of writes")
    func fullQueue() async throws {
        let words = try WordsHost(.sync, names: ["words", "other"], waitingBytes: 100_000)
        words.store.writes.queue.hang()
        let long = String(repeating: "x", count: 2000)
        for _ in 0..<100 { words.send(long) }
        // More than is left, and a part of what one reactor leaves to the others.
        let other = String(repeating: "o", count: 2500)
        words.send(other, to: "other")
        words.store.writes.queue.resume()
        #expect(await eventually { words.answers.values.count == 101 })
        #expect(words.answers.values.contains("oooooooo: 1"))
        #expect(words.host.registry.reactor("other")?.now.revision == 1 && words.state(of: "other") == [other])
        let stored = words.answers.values.count { $0.hasPrefix("xxx") && !$0.hasSuffix("not stored") }
        #expect((1..<100).contains(stored) && words.state.count == stored)
        await words.stop()
        #expect(try words.kept().count == stored)
    }

    @Test("answers what waits when the host stops, and leaves the state without what failed")
    func stopping() async throws {
        let words = try WordsHost(.sync)
        #expect(await words.dispatch("a") == "1")
        try words.disk(fails: true)
        words.store.writes.queue.hang()
        words.send("b")
        await withCheckedContinuation { continuation in words.host.stop { continuation.resume() } }
        words.store.writes.queue.resume()
        #expect(await eventually { words.answers.values == ["b: not stored"] })
        #expect(words.state == ["a"])
        words.store.close()
        #expect(try words.kept() == ["a"])
    }
}
