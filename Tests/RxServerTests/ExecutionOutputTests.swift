import Rx
import RxAction
import RxHost
import RxJSON
import RxPlatform
import RxStore
import Testing
import TestSupport

@testable import RxRecords
@testable import RxServer

/// What the result of `execution.output` has of what is kept.
struct OutputTextTests {
    private func record(elements: Int) -> ExecutionRecord {
        ExecutionRecord(
            id: ExecutionID(), action: "talk", causes: Causes(.host), input: nil, state: .completed, queuedAt: 0,
            elements: elements)
    }

    private static func elements(_ head: Int, gap: Int, _ tail: Int) -> KeptElements {
        var halves = (KeptHalf(), KeptHalf())
        func text(_ number: Int) -> RawJSON { RawJSON(unchecked: Array("\(number)".utf8)) }
        for number in 0..<head {
            KeptElements.Codec.append(
                text(number + 1), number: UInt64(number + 1), time: 0, after: (UInt64(number), 0), to: &halves.0.data)
        }
        KeptElements.Codec.begin(tailAt: head + gap + 1, after: (0, 0), to: &halves.1.data)
        for number in 0..<tail {
            KeptElements.Codec.append(
                text(head + gap + number + 1), number: 1, time: 0, after: (0, 0), to: &halves.1.data)
        }
        return KeptElements(
            count: head + gap + tail, bytes: 2 * (head + gap + tail), head: halves.0,
            tail: gap + tail > 0 ? halves.1 : nil)
    }

    private static func errors(_ pieces: [(String, Int)], at offset: Int? = nil, total: Int) -> KeptErrors {
        var half = KeptHalf()
        if let offset { PackedWriter.append(UInt64(offset), to: &half.data) }
        for (text, elements) in pieces { KeptErrors.append(text.utf8, after: elements, to: &half.data) }
        return offset == nil
            ? KeptErrors(bytes: total, head: half) : KeptErrors(bytes: total, head: KeptHalf(), tail: half)
    }

    private func parts(_ output: KeptOutput?, after position: OutputPosition = OutputPosition()) throws -> JSONValue {
        let text = OutputText(record(elements: 0), output, after: position, mayBeKept: true).text
        return try #require(try RawJSON(validating: text).value()["output"])
    }

    @Test("elements and standard error are in the order of arrival")
    func order() throws {
        let output = KeptOutput(
            elements: Self.elements(4, gap: 0, 0),
            errors: Self.errors([("a", 0), ("b", 1), ("c", 1), ("d", 4)], total: 4))
        #expect(
            try parts(output) == [
                ["stderr": "a"], ["elements": [1]], ["stderr": "b"], ["stderr": "c"], ["elements": [2, 3, 4]],
                ["stderr": "d"],
            ])
        #expect(
            try parts(output, after: OutputPosition(elements: 2, errorBytes: 2)) == [
                ["stderr": "c"], ["elements": [3, 4]], ["stderr": "d"],
            ])
        #expect(try parts(output, after: OutputPosition(elements: 4, errorBytes: 4)) == [])
        #expect(try parts(output, after: OutputPosition(elements: 99, errorBytes: 99)) == [])
        #expect(try parts(output, after: OutputPosition(elements: .max, errorBytes: .max)) == [])
    }

    @Test("what is missing is in its place, with the bytes unless the client has a part of it")
    func missing() throws {
        let output = KeptOutput(
            elements: Self.elements(2, gap: 5, 1), errors: Self.errors([("end", 8)], at: 97, total: 100))
        #expect(
            try parts(output) == [
                ["elements": [1, 2]], ["missing": ["stream": "elements", "elements": 5, "bytes": 10]],
                ["elements": [8]], ["missing": ["stream": "stderr", "bytes": 97]], ["stderr": "end"],
            ])
        #expect(
            try parts(output, after: OutputPosition(elements: 4, errorBytes: 90)) == [
                ["missing": ["stream": "elements", "elements": 3]], ["elements": [8]],
                ["missing": ["stream": "stderr", "bytes": 7]], ["stderr": "end"],
            ])
        #expect(
            try parts(KeptOutput(elements: Self.elements(1, gap: 2, 0))) == [
                ["elements": [1]], ["missing": ["stream": "elements", "elements": 2, "bytes": 4]],
            ])
    }

    @Test("bytes that are not UTF-8 are in Base64; a client gets the rest of a piece that it has a part of")
    func bytes() throws {
        var half = KeptHalf()
        KeptErrors.append([0xFF, 0x00], after: 0, to: &half.data)
        KeptErrors.append(Array("héllo".utf8), after: 1, to: &half.data)
        let output = KeptOutput(errors: KeptErrors(bytes: 8, head: half))
        #expect(try parts(output) == [["stderrBase64": "/wA="], ["stderr": "héllo"]])
        #expect(try parts(output, after: OutputPosition(elements: 0, errorBytes: 5)) == [["stderr": "llo"]])
        #expect(
            try parts(output, after: OutputPosition(elements: 0, errorBytes: 4)) == [["stderrBase64": "qWxsbw=="]])
    }

    @Test("a client that has a part of what is replaced gets what follows it, and no count of its own")
    func replaced() throws {
        var half = KeptHalf()
        KeptErrors.append(Array("a ".utf8), after: 0, to: &half.data)
        KeptErrors.append(Array("[redacted]".utf8), after: 0, replacing: 7, to: &half.data)
        KeptErrors.append([], after: 0, replacing: 3, to: &half.data)
        KeptErrors.append(Array(" b".utf8), after: 0, to: &half.data)
        let output = KeptOutput(errors: KeptErrors(bytes: 14, head: half))
        #expect(try parts(output) == [["stderr": "a "], ["stderr": "[redacted]"], ["stderr": " b"]])
        for position in 3...12 {
            #expect(try parts(output, after: OutputPosition(elements: 0, errorBytes: position)) == [["stderr": " b"]])
        }
        #expect(try parts(output, after: OutputPosition(elements: 0, errorBytes: 13)) == [["stderr": "b"]])
    }

    @Test("it is kept if it is there, or if there was none to keep")
    func kept() throws {
        func kept(_ output: KeptOutput?, elements: Int, mayBeKept: Bool) throws -> JSONValue? {
            let text = OutputText(
                record(elements: elements), output, after: OutputPosition(), mayBeKept: mayBeKept
            ).text
            return try RawJSON(validating: text).value()["kept"]
        }
        #expect(try kept(KeptOutput(), elements: 3, mayBeKept: false) == true)
        #expect(try kept(nil, elements: 0, mayBeKept: true) == true)
        #expect(try kept(nil, elements: 3, mayBeKept: true) == false)
        #expect(try kept(nil, elements: 0, mayBeKept: false) == false)
    }
}

@Suite("execution.output", .countedApart)
struct ExecutionOutputTests {
    private let file: ServedFile
    private let talk = PublishSubject<RawJSON>()

    init() throws { file = try ServedFile() }

    private func definition(_ access: Access = Access()) -> ActionDefinition {
        var definition = ActionDefinition(name: "talk", kind: "test", scheduler: .inline, fingerprint: "\(access)") {
            [talk] invocation in
            Array("oh".utf8).withUnsafeBytes { invocation.keepError($0) }
            return talk.asObservable()
        }
        definition.keepsHistory = true
        definition.access = access
        return definition
    }

    private func call(_ peer: MemoryPeer, _ method: String, _ params: String) {
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#)
    }

    private func start(_ peer: MemoryPeer) async throws -> String {
        call(peer, "action.execute", #"{"action":"talk","stream":"x"}"#)
        return try #require(try await peer.nextValue()["result"]?["execution"]?.string)
    }

    /// Waits for more, and returns once the server does.
    private func wait(_ peer: MemoryPeer, _ id: String, _ position: String) async throws {
        call(peer, "execution.output", #"{"execution":"\#(id)"\#(position),"wait":"1h"}"#)
        // The requests of a client begin in their order.
        peer.send(#"{"jsonrpc":"2.0","id":2,"method":"execution.get","params":{"execution":"\#(id)"}}"#)
        #expect(try await peer.nextValue()["id"] == 2)
    }

    @Test("answers at once, or when there is more, in flight and after the end; waiting too long is a timeout")
    func follows() async throws {
        let store = try file.open()
        let server = try TestServer(definitions: [definition()], store: store)
        let (peer, writer) = (server.connectInMemory(), server.connectInMemory())
        let id = try await start(writer)
        func output(_ more: String) async throws -> JSONValue {
            call(peer, "execution.output", #"{"execution":"\#(id)"\#(more)}"#)
            return try await peer.nextValue()
        }
        var result = try await output("")["result"]
        #expect(result?["state"] == "executing" && result?["kept"] == true && result?["action"] == "talk")
        #expect(result?["output"] == [["stderr": "oh"]] && result?["elements"] == 0 && result?["stderr"] == 2)
        let error = try await output(#","stderr":2,"wait":"20ms""#)["error"]
        #expect(error?["data"]?["name"] == "timedOut")
        // It waits only for what the client does not have.
        #expect(try await output(#","wait":"1h""#)["result"]?["stderr"] == 2)
        try await wait(peer, id, #","stderr":2"#)
        talk.onNext(RawJSON("one"))
        result = try await peer.nextValue()["result"]
        #expect(result?["output"] == [["elements": ["one"]]] && result?["elements"] == 1)
        try await wait(peer, id, #","elements":1,"stderr":2"#)
        talk.onCompleted()
        result = try await peer.nextValue()["result"]
        #expect(result?["state"] == "completed" && result?["output"] == [] && result?["elements"] == 1)
        result = try await output(#","wait":"1h""#)["result"]
        #expect(result?["output"] == [["stderr": "oh"], ["elements": ["one"]]])
        await server.stop()
        store.close()
    }

    /// A queue of the system that counts its work.
    private final class CountedQueue: WorkQueue, @unchecked Sendable {
        private let queue: WorkQueue
        private let count: Locked<Int>

        init(_ queue: WorkQueue, _ count: Locked<Int>) {
            self.queue = queue
            self.count = count
        }

        override func async(_ body: @escaping @Sendable () -> Void) {
            count.withLock { $0 += 1 }
            queue.async(body)
        }

        override func run(_ body: () -> Void) { queue.run(body) }
    }

    @Test("is written by a thread for requests, not by the one that reads it, and from which others wait")
    func writing() async throws {
        let count = Locked(0)
        let queues = Queues(shared: Queues.system.shared) { label in
            let queue = Queues.system.serial(label)
            return label.hasPrefix("rxd.request") ? CountedQueue(queue, count) : queue
        }
        let server = try TestServer(definitions: [definition()], platform: Platform(queues: queues))
        let peer = server.connectInMemory()
        let id = try await start(peer)
        let before = count.withLock { $0 }
        call(peer, "execution.output", #"{"execution":"\#(id)"}"#)
        #expect(try await peer.nextValue()["result"]?["stderr"] != nil)
        // The request to read, and the text.
        #expect(count.withLock { $0 } == before + 2)
        talk.onCompleted()
        await server.stop()
    }

    @Test("answers nothing more to a client that loses the right to the execution, and at once")
    func revoked() async throws {
        let store = try file.open()
        let server = try TestServer(definitions: [definition()], owner: Someone.ownerID, store: store)
        let (peer, writer) = (
            server.connectInMemory(Someone.member.peer), server.connectInMemory(Someone.named.peer)
        )
        let id = try await start(writer)
        try await wait(peer, id, #","stderr":2"#)
        server.host.reload([definition(Access(execute: .nobody, subscribe: .nobody, manage: .nobody))])
        await server.onLoop { server.server.delivery.deliverAll() }
        #expect(try await peer.nextValue()["error"]?["data"]?["name"] == "forbidden")
        call(peer, "execution.output", #"{"execution":"\#(id)"}"#)
        #expect(try await peer.nextValue()["error"]?["data"]?["name"] == "forbidden")
        // Its requester goes on.
        call(writer, "execution.output", #"{"execution":"\#(id)"}"#)
        #expect(try await writer.nextValue()["result"]?["stderr"] == 2)
        talk.onCompleted()
        await server.stop()
        store.close()
        let again = try file.open()
        let later = try TestServer(definitions: [], owner: Someone.ownerID, store: again)
        for (someone, word) in [(Someone.named, "ok"), (.outsider, "forbidden"), (.root, "ok")] as [(Someone, String)] {
            let peer = later.connectInMemory(someone.peer)
            call(peer, "execution.output", #"{"execution":"\#(id)"}"#)
            let answer = try await peer.nextValue()
            #expect((answer["error"]?["data"]?["name"]?.string ?? "ok") == word, "\(someone)")
            #expect(answer["result"]?["output"] == (word == "ok" ? [["stderr": "oh"]] : nil))
        }
        await later.stop()
        again.close()
    }
}
