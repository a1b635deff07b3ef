import RxStore
import RxRecords
import Glibc
import Rx
import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxServer

/// A caller that joins gets the past elements, then the new ones. Here, many arrive between the two.
@Suite("A stream that joins an execution", .countedApart)
struct JoinedStreamTests {
    private let work = PublishSubject<RawJSON>()

    private func puppet(isDurable: Bool = false, keepsHistory: Bool = false) -> ActionDefinition {
        ActionDefinition(
            name: "puppet", kind: "test", overlap: .join, scheduler: .inline, isDurable: isDurable,
            keepsHistory: keepsHistory, fingerprint: ""
        ) { [work] _ in work.asObservable() }
    }

    private func tell(_ number: Int) { work.onNext(RawJSON(unchecked: Array("\(number)".utf8))) }

    private func join(_ stream: String) -> String {
        #"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"puppet","stream":"\#(stream)"}}"#
    }

    /// The numbers of a stream until its end.
    private func read(_ peer: MemoryPeer) async throws -> [Int] {
        var numbers: [Int] = []
        while true {
            let event = try #require(try await peer.nextValue()["params"])
            switch event["channel"]?.string {
            case "elements": numbers.append(try #require(event["value"]?.int))
            case "end": return numbers
            case let channel: Issue.record("\(channel ?? "nothing") after \(numbers)")
            }
        }
    }

    @Test("gets each element once while the log leaves events out")
    func whileSkipping() async throws {
        let server = try TestServer(definitions: [puppet(), StalledReaderTests.numbers("flood")])
        let (starter, watcher, joiner) = (
            server.connectInMemory(), server.connectInMemory(), server.connectInMemory()
        )
        starter.send(join("x"))
        #expect(try await starter.nextValue()["result"]?["disposition"] == "started")
        _ = try await StalledReaderTests.subscribe(watcher, action: #""flood""#)
        let isLeavingOut = await server.onLoop { [self] in
            tell(0)
            let flood = ExecutionRequest(
                input: RawJSON(unchecked: Array("\(PendingEvents.eventsKept + 1000)".utf8)), by: .host)
            _ = server.host.submit(server.host.registry["flood"]!, flood)
            tell(1)
            joiner.receiveNow(join("y"))
            tell(2)
            return server.host.log.isSkipping
        }
        #expect(isLeavingOut)
        #expect(try await joiner.nextValue()["result"]?["disposition"] == "joined")
        await server.onLoop {}
        tell(3)
        work.onCompleted()
        #expect(try await read(starter) == [0, 1, 2, 3])
        #expect(try await read(joiner) == [0, 1, 2, 3])
        await server.stop()
    }

    @Test("gets a long past in portions, not at once, and then what follows", arguments: [false, true])
    func long(hasEnded: Bool) async throws {
        let server = try TestServer(definitions: [puppet()])
        let (starter, joiner) = (server.connectInMemory(), server.connectInMemory())
        let request =
            #"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"puppet","key":"k","stream":"s"}}"#
        starter.send(request)
        #expect(try await starter.nextValue()["result"]?["disposition"] == "started")
        let isCatchingUp = await server.onLoop { [self] in
            for number in 0..<2000 { tell(number) }
            if hasEnded { work.onCompleted() }
            joiner.receiveNow(request)
            let isCatchingUp = server.server.sessions.all.contains(where: \.isCatchingUp)
            if !hasEnded { tell(2000) }
            return isCatchingUp
        }
        #expect(isCatchingUp)
        #expect(try await joiner.nextValue()["result"]?["disposition"] == "joined")
        if !hasEnded { work.onCompleted() }
        #expect(try await read(joiner) == Array(0..<(hasEnded ? 2000 : 2001)))
        await server.stop()
    }

    @Test("of a durable input misses nothing that is delivered before its stream is open")
    func durable() async throws {
        let file = try ServedFile()
        let store = try file.open()
        let server = try TestServer(definitions: [puppet(isDurable: true)], store: store)
        let (starter, joiner) = (server.connectInMemory(), server.connectInMemory())
        starter.send(join("x"))
        #expect(try await starter.nextValue()["result"]?["disposition"] == "started")
        #expect(await eventually { work.hasObservers })
        await server.onLoop { [self] in
            tell(0)
            server.server.delivery.deliverAll()
            joiner.receiveNow(join("y"))
            // Its stream is opened in a later turn.
            tell(1)
            server.server.delivery.deliverAll()
        }
        #expect(try await joiner.nextValue()["result"]?["disposition"] == "joined")
        tell(2)
        work.onCompleted()
        #expect(try await read(starter) == [0, 1, 2])
        #expect(try await read(joiner) == [0, 1, 2])
        await server.stop()
        store.close()
    }

    @Test("gets what the disk has not taken before the end of the execution, which has come already")
    func unwritten() async throws {
        let file = try ServedFile()
        let store = try file.open()
        let server = try TestServer(definitions: [puppet(keepsHistory: true)], store: store)
        let (starter, joiner) = (server.connectInMemory(), server.connectInMemory())
        file.hang(store)
        starter.send(join("x"))
        let id = try #require(try await starter.nextValue()["result"]?["execution"]?.string)
        for number in 0...1 { tell(number) }
        work.onCompleted()
        joiner.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"y","execution":"\#(id)","#
                + #""from":"execution"}}"#)
        let record = try await joiner.nextValue()["result"]?["snapshot"]?["executions"]?[id]
        #expect(record?["state"] == "completed" && record?["elements"] == 2)
        // It has caught up with everything that may be delivered, or has ended.
        while await server.onLoop({ server.server.sessions.all.contains(where: \.isCatchingUp) }) {}
        file.resume(store)
        #expect(try await read(joiner) == [0, 1])
        #expect(try await read(starter) == [0, 1])
        await server.stop()
        store.close()
    }
}

extension Session {
    fileprivate var isCatchingUp: Bool { subscriptions.all.contains { $0.position != nil } }
}
