import Dispatch
import Rx
import RxHost
import RxJSON
import RxProtocol
import RxRecords
import TestSupport
import Testing

@testable import RxServer

/// A string of so many characters. A long one waits for a signal each time it is written.
private struct GatedState: ReactorState {
    final class Gate: Sendable {
        let writes = Locked(0)
        let semaphore = DispatchSemaphore(value: 0)
    }

    let length: Int
    let gate: Gate

    func write(to writer: inout JSONWriter) {
        gate.writes.withLock { $0 += 1 }
        gate.semaphore.wait()
        writer.string(String(repeating: "x", count: length))
    }

    func patch(from earlier: any ReactorState) -> JSONPatch { JSONPatch([]) }
}

/// An engine whose state is a string of the length that an action names; a negative one fails.
private final class Shaped: ReactorEngine {
    static let long = 100_000

    private let gate: GatedState.Gate?
    private let outlet = Locked<(any ReactorOutlet)?>(nil)

    /// - Parameter gate: what long states wait for; nil for none.
    init(_ gate: GatedState.Gate?) { self.gate = gate }

    func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
        self.outlet.withLock { $0 = outlet }
        return JSONState("")
    }

    func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) {
        let length = input.action.value().int ?? 0
        guard length >= 0 else {
            outlet.withLock { $0 }?.failed(ReactorFault(.mutate, String(repeating: "f", count: -length)))
            return completion(nil)
        }
        let state: any ReactorState
        if let gate, length >= Self.long {
            state = GatedState(length: length, gate: gate)
        } else {
            state = JSONState(.string(String(repeating: "x", count: length)))
        }
        outlet.withLock { $0 }?.reduced(ReactorStep(input: input, mutation: { input.action }, state: state))
        completion(nil)
    }

    func replay(_ mutation: RawJSON) throws(ReactorFault) {}
    func stop(completion: @escaping @Sendable () -> Void) { completion() }

    static func definition(_ gate: GatedState.Gate? = nil) -> ReactorDefinition {
        ReactorDefinition(name: "blob", kind: "test", fingerprint: "", makeEngine: { Shaped(gate) })
    }
}

/// Its text is written beside the loop, while other events and states come.
@Suite("A long state among other events", .ownThreads)
struct LongStateOrderTests {
    private static func dispatch(_ length: Int) -> String {
        #"{"jsonrpc":"2.0","id":9,"method":"reactor.dispatch","params":{"reactor":"blob","action":\#(length)}}"#
    }

    private static func subscribe(_ more: String = "") -> String {
        #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"s","reactor":"blob"\#(more)}}"#
    }

    private func dispatch(_ length: Int, _ times: Int = 1, on server: TestServer) async throws {
        let writer = server.connectInMemory()
        for _ in 0..<times { writer.send(Self.dispatch(length)) }
        for _ in 0..<times { #expect(try await writer.nextValue()["id"] == 9) }
        writer.vanish()
        await server.onLoop { server.server.delivery.deliverAll() }
    }

    private func nextRevision(_ peer: MemoryPeer) async throws -> Int? {
        try await peer.nextValue()["params"]?["value"]?["revision"]?.int
    }

    @Test("comes before a short one that is newer")
    func shortAfterLong() async throws {
        let gate = GatedState.Gate()
        let server = try TestServer(reactors: [Shaped.definition(gate)])
        let peer = server.connectInMemory()
        peer.send(Self.subscribe())
        #expect(try await peer.nextValue()["result"] != nil)
        try await dispatch(Shaped.long, on: server)
        #expect(await eventually { gate.writes.withLock { $0 } == 1 }, "it is being written")
        try await dispatch(5, on: server)
        gate.semaphore.signal()
        #expect(try await nextRevision(peer) == 1)
        #expect(try await nextRevision(peer) == 2)
        await server.stop()
    }

    @Test("has one place in the order, however many newer ones replace it")
    func places() async throws {
        let gate = GatedState.Gate()
        let server = try TestServer(reactors: [Shaped.definition(gate)])
        let peer = server.connectInMemory()
        peer.send(Self.subscribe())
        #expect(try await peer.nextValue()["result"] != nil)
        try await dispatch(Shaped.long, on: server)
        #expect(await eventually { gate.writes.withLock { $0 } == 1 }, "it is being written")
        for _ in 0..<20 { try await dispatch(Shaped.long, on: server) }
        #expect(await server.states { $0.orderCount } == 1)
        for _ in 0..<2 { gate.semaphore.signal() }
        #expect(try await nextRevision(peer) == 1)
        #expect(try await nextRevision(peer) == 21)
        #expect(await server.states { $0.orderCount } == 0)
        await server.stop()
    }

    @Test("comes after the lag of what was lost before it, up to the event whose cursor it has")
    func lag() async throws {
        let server = try TestServer(reactors: [Shaped.definition()])
        let lines = await server.onLoop { () -> [String] in
            let reactor = server.host.registry.reactor("blob")!
            let encoder = server.server.context.encoder
            let subscription = Subscription(
                name: "s", target: .named, source: .named([reactor]), channels: [.errors, .state], buffer: 10,
                since: 0, encoder: encoder, reveals: { _ in true })
            let whole = WholeLevel(reactor.now, of: reactor, cursor: 5) { cursor, state in
                var writer = JSONWriter()
                writer.bytes += Array(#","cursor":\#(cursor),"channel":"state","value":"#.utf8)
                state(&writer)
                writer.bytes += Array("}}\n".utf8)
                return writer.bytes
            }
            let event = EncodedEvent(cursor: 5, channel: .state, level: nil, mustArrive: false, tail: [], whole: whole)
            for cursor in 6...7 { _ = subscription.lose(cursor: UInt64(cursor)) }
            var writer = JSONWriter()
            let made = event.made(of: Array(#""text""#.utf8), cursor: 7)
            #expect(subscription.write(made, to: &writer) != nil, "the text follows")
            return String(decoding: writer.bytes, as: UTF8.self).split(separator: "\n").map { String($0) }
        }
        #expect(lines.count == 2)
        #expect(lines.first?.contains(#""channel":"lag""#) == true, "\(lines)")
        #expect(lines.last?.contains(#""channel":"state""#) == true, "\(lines)")
        await server.stop()
    }

    @Test("is not sent after a newer short one to a reader that catches up with both")
    func catchingUp() async throws {
        var limits = Limits()
        limits.outboxBytes = 65_536
        let server = try TestServer(reactors: [Shaped.definition()], limits: limits)
        // Faults are kept, and more of them are on both sides of the state than the outbox takes.
        let faults = 400
        try await dispatch(-1000, faults, on: server)
        let peer = server.connectInMemory()
        peer.stall()
        peer.send(Self.subscribe(#","from":"start","channels":["errors","state"]"#))
        try await dispatch(Shaped.long, on: server)
        try await dispatch(-1000, faults, on: server)
        var lines: [String] = []
        var faultsRead = 0
        func take(_ more: [String]) {
            lines += more
            faultsRead += more.count { $0.contains(#""channel":"errors""#) }
        }
        for _ in 0..<10_000 where faultsRead < faults + 10 {
            await server.onLoop { peer.takeOnce(atMost: 10_000) }
            take(peer.takeLines())
        }
        try #require(faultsRead >= faults + 10 && faultsRead < 2 * faults, "it catches up still")
        try await dispatch(5, on: server)
        peer.resume()
        while faultsRead < 2 * faults { take([try #require(await peer.nextLine())]) }
        while await !server.states({ $0.isIdle }) {}
        try await dispatch(6, on: server)
        var revisions: [Int] = []
        while revisions.last != 3 {
            let line = try lines.isEmpty ? #require(await peer.nextLine()) : lines.removeFirst()
            let event = try RawJSON(validating: line).value()["params"]
            if let revision = event?["value"]?["revision"]?.int { revisions.append(revision) }
        }
        #expect(revisions == revisions.sorted(), "\(revisions)")
        await server.stop()
    }
}

extension TestServer {
    /// The long states of the one connection with a subscription.
    fileprivate func states<Value: Sendable>(_ body: @escaping @Sendable (LongStates) -> Value) async -> Value {
        await onLoop { [self] in
            body(server.sessions.all.first { !$0.subscriptions.isEmpty }!.output.states)
        }
    }
}
