import Dispatch
import Rx
import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

@Suite("A recording", .countedApart)
struct RecordingTests {
    private static func joinable(_ puppet: Puppet, _ name: String = "puppet") -> ActionDefinition {
        var definition = puppet.definition(name: name)
        definition.overlap = .join
        return definition
    }

    @Test("delivers every element once and then the end to a caller that joins at any moment")
    func noGap() throws {
        let rounds = 2000
        let elements = 50
        for _ in 0..<rounds {
            let puppet = Puppet()
            let host = Host([Self.joinable(puppet)])
            let action = try #require(host.registry["puppet"])
            let first = try host.execute(action, .own()).get()
            let heard = Heard<String>()
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                if index == 0 {
                    for element in 0..<elements { puppet.send("\(element)") }
                    puppet.complete()
                } else if case .success(let accepted) = host.accept(action, .own { heard.add($0.text) }),
                    accepted.execution !== first
                {
                    // It came after the end, and so has started another.
                    puppet.complete()
                    accepted.execution.cancel(by: .host)
                }
            }
            let all = (0..<elements).map { "\($0)" }
            try #require(
                heard.values.dropLast() == all[...] || heard.values == ["cancelled"] || heard.values == ["completed"])
            #expect(host.log.inFlight.isEmpty && host.log.update { $0.recordedBytes } == 0)
        }
    }

    @Test("costs bounded memory, however many there are: the one that grows drops its oldest")
    func together() throws {
        let puppets = (0..<90).map { _ in Puppet() }
        let host = Host(puppets.enumerated().map { Self.joinable($1, "p\($0)") })
        let executions = try host.registry.actions.map { try host.execute($0, .own()).get() }
        let element = RawJSON(unchecked: Array("\"\(String(repeating: "x", count: 99_998))\"".utf8))
        for puppet in puppets { for _ in 0..<20 { puppet.subject.onNext(element) } }
        let total = host.log.update { $0.recordedBytes }
        #expect(total <= Recording.costKept && total > Recording.costKept - 200_000)
        #expect(total == executions.reduce(0) { $0 + $1.recording.cost })
        let heard = Heard<String>()
        for action in host.registry.actions { _ = try host.accept(action, .own { heard.add($0.text) }).get() }
        #expect(heard.values.count { $0 == "lost 10" } >= 60 && heard.values.contains("lost 20"))
        for puppet in puppets { puppet.complete() }
        #expect(host.log.update { $0.recordedBytes } == 0)
    }

    @Test("is shared by all who read it, however long it is, and read by nobody else")
    func snapshots() throws {
        let puppet = Puppet()
        let host = Host([Self.joinable(puppet)])
        let action = try #require(host.registry["puppet"])
        _ = try host.execute(action, .own()).get()
        for number in 0..<Recording.eventsKept { puppet.send("\(number)") }
        #expect(try host.accept(action, ExecutionRequest(input: .null, by: .host)).get().attachment == nil)
        let first = try #require(try host.accept(action, .own(isWatched: true)).get().attachment)
        for number in 0..<100 { puppet.send("\(number)") }
        let second = try #require(try host.accept(action, .own(isWatched: true)).get().attachment)
        // The events that both have are the same objects.
        let chunks = Set(first.recorded.chunks.map { ObjectIdentifier($0) })
        #expect(second.recorded.chunks.count { chunks.contains(ObjectIdentifier($0)) } > chunks.count - 10)
        #expect(chunks.count < 200)
        // What comes later changes nothing of what was read.
        #expect(first.recorded.count == Recording.eventsKept && first.lost == nil)
        #expect(first.recorded.map(\.ordinal) == Array(1...Recording.eventsKept))
        #expect(second.recorded.map(\.ordinal) == Array(101...Recording.eventsKept + 100))
        #expect(second.lost?.count == 100)
        puppet.complete()
    }

    @Test("gives its events in portions, which end with the bytes that they may have")
    func portions() throws {
        let puppet = Puppet()
        let host = Host([Self.joinable(puppet)])
        let action = try #require(host.registry["puppet"])
        _ = try host.execute(action, .own()).get()
        let long = "\"" + String(repeating: "x", count: 50_000) + "\""
        for text in ["1", "2", "3", long, "5", "6"] { puppet.send(text) }
        var recorded = try #require(try host.accept(action, .own(isWatched: true)).get().attachment).recorded
        #expect(recorded.take(2, bytes: 1 << 20).map(\.ordinal) == [1, 2])
        #expect(recorded.take(10, bytes: 10_000).map(\.ordinal) == [3, 4])
        #expect(recorded.count == 2 && recorded.first?.ordinal == 5)
        #expect(recorded.take(10, bytes: 10_000).map(\.ordinal) == [5, 6])
        #expect(recorded.isEmpty && recorded.take(1, bytes: 1).isEmpty)
        puppet.complete()
    }

    @Test("observers of joiners that come and go leave nothing behind")
    func observers() throws {
        let puppet = Puppet()
        let host = Host([Self.joinable(puppet)])
        let action = try #require(host.registry["puppet"])
        let execution = try host.execute(action, .own()).get()
        for requester in 1...2000 {
            let accepted = try host.accept(action, .own(requester: UInt64(requester), isWatched: true) { _ in }).get()
            accepted.stopObserving()
            host.log.unwatch(accepted.execution)
            execution.withdraw(UInt64(requester))
        }
        #expect(execution.observers.isEmpty && execution.requesters.tokens.isEmpty && execution.watchers == 0)
        #expect(execution.isInFlight)
        puppet.complete()
    }
}
