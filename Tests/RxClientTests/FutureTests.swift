import JSONRPC
import Rx
import RxJSON
import RxProtocol
import TestSupport
import Testing

@testable import RxClient

/// A daemon that knows much that this release does not: what is known is delivered all the same.
@Suite("A daemon of the future", .ownThreads(limit: .seconds(60)))
struct FutureTests {
    /// Whether the client reconnects must make no difference.
    private func withClients(_ body: (Client) async throws -> Void) async throws {
        try await withFakeDaemon(FutureDaemon.script) { daemon in
            try await body(try await Client.connect(path: daemon.path))
            try await body(try await Client.connect(path: daemon.path, reconnecting: .forever))
        }
    }

    @Test("results arrive whole, with all that is new")
    func results() async throws {
        try await withClients { client in
            let hello = try await client.call("server.hello", "{}").value()
            #expect(hello["epoch"] == "f00d")
            #expect(hello["moon"]?["phase"] == 0.25)
            let list = try await client.call("action.list").value()
            #expect(list["actions"]?[0]?["action"] == "deploy")
            #expect(list["actions"]?[0]?["colour"] == "blue")
        }
    }

    private static let expected = ["elements", "errors", "elements", "executing", "end"]

    @Test("every event of a known channel comes, in order, and the end ends", arguments: ElementsTests.Face.allCases)
    func subscription(_ face: ElementsTests.Face) async throws {
        try await withClients { client in
            var events: [StreamEvent] = []
            switch face {
            case .async:
                let stream = try await client.subscribe(SubscribeRequest(action: ["deploy"]))
                #expect(stream.reply.value()["snapshot"]?["actions"]?["deploy"]?["executing"] == false)
                for try await event in stream.events { events.append(event) }
            case .rx:
                for try await element in client.subscribe(to: "deploy").values {
                    if let event = element.event { events.append(event) }
                }
            }
            #expect(events.map(\.channel.rawValue) == FutureTests.expected)
            #expect(events.map(\.seq) == [1, 4, 5, 6, 7])
            guard events.count == 5 else { return }
            #expect(events[0].value?.text == #"{"step":"one"}"#)
            #expect(events[0].record.value()["span"]?["flags"] == [1, 2])
            guard case .error(let error) = events[1].content else { return #expect(Bool(false)) }
            #expect(error.code == -32077)
            #expect(error.data?.value()["name"] == "moonWrong")
            #expect(events[2].value?.text == #"{"step":"two"}"#)
            #expect(events[3].value?.text == "true")
            #expect(events[4].reason == nil)
        }
    }

    @Test("elements come, and an end that is not known is no success", arguments: ElementsTests.Face.allCases)
    func execution(_ face: ElementsTests.Face) async throws {
        try await withClients { client in
            for (action, code) in [("deploy", nil), ("dream", -32077)] as [(String, Int?)] {
                var elements: [String] = []
                var failure: RPCError?
                do {
                    switch face {
                    case .async:
                        for try await element in client.elements(of: action) { elements.append(element.text) }
                    case .rx: for try await element in client.execute(action).values { elements.append(element.text) }
                    }
                } catch ClientError.refused(let error) {
                    failure = error
                }
                #expect(elements == (action == "deploy" ? ["1", "2"] : ["1"]))
                #expect(failure?.code == code)
            }
        }
    }

    @Test("an unknown error comes with its code, message and data")
    func unknownError() async throws {
        try await withClients { client in
            let error = await #expect(throws: ClientError.self) { try await client.call("future.method") }
            guard case .refused(let error)? = error else { return #expect(Bool(false), "\(error as Any)") }
            #expect(error.code == -32099)
            #expect(error.message == "not before its time")
            #expect(error.data?.text == #"{"name":"tooEarly","when":"2031"}"#)
        }
    }
}
