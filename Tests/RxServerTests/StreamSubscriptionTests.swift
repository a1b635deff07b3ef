import Glibc
import RxHost
import RxJSON
import RxProtocol
import RxRecords
import Testing
import TestSupport

@testable import RxServer

@Suite("A subscription to streams", .countedApart)
struct StreamSubscriptionTests {
    private func subscribe(_ peer: MemoryPeer, _ name: String, to streams: String, _ more: String = "") async throws
        -> JSONValue
    {
        peer.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"\#(name)","#
                + #""stream":\#(streams)\#(more)}}"#)
        return try await peer.nextValue()
    }

    /// The next event of each subscription, by its name.
    private func events(_ count: Int, _ peer: MemoryPeer) async throws -> [String: JSONValue] {
        var events: [String: JSONValue] = [:]
        for _ in 0..<count {
            let event = try #require(try await peer.nextValue()["params"])
            events[event["subscription"]?.string ?? ""] = event
        }
        return events
    }

    @Test("survives a reload of its stream, and ends when the stream is removed; one to all goes on")
    func reload() async throws {
        let server = try TestServer(streams: [TestStream("saves"), TestStream("visits")])
        let peer = server.connectInMemory()
        #expect(try await subscribe(peer, "one", to: #""saves""#)["result"] != nil)
        #expect(try await subscribe(peer, "all", to: #""*""#)["result"] != nil)
        let saves = TestStream("saves")
        server.setStreams([saves, TestStream("visits")])
        saves.inject(RawJSON(1), causes: Causes(.host))
        for _ in 0..<2 { #expect(try await events(2, peer).values.allSatisfy { $0["stream"] == "saves" }) }
        server.setStreams([TestStream("visits")])
        let end = try #require(try await events(1, peer)["one"])
        #expect(end["channel"] == "end" && end["value"]?["reason"] == "removed")
        let late = TestStream("late")
        server.setStreams([TestStream("visits"), late])
        late.inject(RawJSON(2), causes: Causes(.host))
        let element = try #require(try await events(1, peer)["all"])
        #expect(element["stream"] == "late" && element["value"] == 2)
        await server.stop()
    }

    @Test("gets no element of a user for whom too much is kept already")
    func sendBeyondLimit() async throws {
        var limits = Limits()
        limits.bytesPerUid = 100_000
        let server = try TestServer(streams: [TestStream("saves")], limits: limits)
        let peer = server.connectInMemory(uid: getuid())
        func send(_ method: String) async throws -> JSONValue {
            peer.send(
                #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{"stream":"saves","element":"\#(text)"}}"#)
            return try await peer.nextValue()
        }
        let text = String(repeating: "x", count: 10_000)
        await server.account(getuid()) { $0.keep(45_000) }
        for method in ["stream.send", "stream.fire"] {
            #expect(try await send(method)["error"]?["data"]?["limit"] == "bytesPerUid")
        }
        await server.account(getuid()) { $0.keep(-45_000) }
        for method in ["stream.send", "stream.fire"] { #expect(try await send(method)["result"] != nil) }
        await server.stop()
    }

    @Test("taps a step while it is open, across reloads, until the stream is removed; one to all has no part in it")
    func tap() async throws {
        let server = try TestServer(streams: [TestStream("saves")])
        let peer = server.connectInMemory()
        let all = server.connectInMemory()
        #expect(try await subscribe(all, "all", to: #""*""#, #","channels":["elements"]"#)["result"] != nil)
        #expect(try await subscribe(peer, "tap", to: #""saves""#, #","step":"0""#)["result"] != nil)
        let saves = TestStream("saves")
        server.setStreams([saves])
        #expect(saves.tapped == ["0"])
        saves.inject(RawJSON("break"), causes: Causes(.host))
        saves.inject(RawJSON(1), causes: Causes(.host))
        for value: JSONValue in ["break", 1] {
            let event = try #require(try await events(1, peer)["tap"])
            #expect(event["step"] == "0" && event["value"] == value)
        }
        let element = try #require(try await events(1, all)["all"])
        #expect(element["value"] == 1 && element["step"] == nil)
        server.setStreams([])
        let end = try #require(try await events(1, peer)["tap"])
        #expect(end["channel"] == "end" && end["value"]?["reason"] == "removed")
        #expect(all.unread.isEmpty)
        await server.stop()
    }

    @Test("taps nothing any more once the client has left, and takes the right to subscribe to the stream")
    func tapEnds() async throws {
        let streams = [TestStream("guarded stream", related: ["guarded", "open"])]
        let server = try TestServer(
            definitions: ForbiddenTests.definitions(), streams: streams, owner: Someone.ownerID)
        let member = server.connectInMemory(Someone.member.peer)
        let named = server.connectInMemory(Someone.named.peer)
        let refusal = try await subscribe(named, "t", to: #""guarded stream""#, #","step":"0""#)
        #expect(refusal["error"]?["data"]?["name"] == "forbidden" && streams[0].tapped.isEmpty)
        #expect(try await subscribe(member, "t", to: #""guarded stream""#, #","step":"0""#)["result"] != nil)
        #expect(streams[0].tapped == ["0"])
        server.host.reload(
            ForbiddenTests.definitions(guarded: Access(execute: .nobody, subscribe: .nobody, manage: .nobody)))
        server.setStreams(streams)
        let end = try #require(try await events(1, member)["t"])
        #expect(end["channel"] == "end" && end["value"]?["reason"] == "revoked")
        #expect(await eventually { streams[0].tapped.isEmpty })
        await server.stop()
    }

    @Test("takes the right to subscribe to everything that the stream is connected to, and ends when that is lost")
    func rights() async throws {
        func streams(_ access: Access? = nil) -> [TestStream] {
            [
                TestStream("guarded stream", access: access, related: ["guarded", "open"]),
                TestStream("open stream", related: ["open"]),
                TestStream("files", related: ["open"], readsMachine: true),
            ]
        }
        let server = try TestServer(
            definitions: ForbiddenTests.definitions(), streams: streams(), owner: Someone.ownerID)
        let member = server.connectInMemory(Someone.member.peer)
        let named = server.connectInMemory(Someone.named.peer)
        #expect(try await subscribe(member, "g", to: #""guarded stream""#)["result"] != nil)
        #expect(try await subscribe(named, "g", to: #""guarded stream""#)["error"]?["data"]?["name"] == "forbidden")
        #expect(try await subscribe(member, "f", to: #""files""#)["error"]?["data"]?["name"] == "forbidden")
        let all = try await subscribe(named, "all", to: #""*""#)
        #expect(all["result"]?["snapshot"]?["streams"]?.object?.map(\.key) == ["open stream"])
        // What the configuration grants is beyond the default.
        server.setStreams(streams(.guarded))
        await server.onLoop { server.server.delivery.deliverAll() }
        server.host.reload(
            ForbiddenTests.definitions(guarded: Access(execute: .nobody, subscribe: .nobody, manage: .nobody)))
        server.setStreams(streams(.guarded))
        await server.onLoop { server.server.delivery.deliverAll() }
        #expect(member.unread.isEmpty)
        server.setStreams(streams())
        let end = try #require(try await events(1, member)["g"])
        #expect(end["channel"] == "end" && end["value"]?["reason"] == "revoked")
        await server.stop()
    }

    @Test("is refused through a stream that reads what is refused, however often and in whatever order it is read")
    func sharedParts() async throws {
        // Of many names, so that a set has some of them in each order.
        let files = (0..<8).map { TestStream("files \($0)", related: ["open"], readsMachine: true) }
        let granted = files.indices.map { index in
            TestStream("granted \(index)", access: .guarded, related: ["files \(index)"])
        }
        let merged = files.indices.map { TestStream("merged \($0)", related: ["files \($0)", "granted \($0)"]) }
        let server = try TestServer(
            definitions: ForbiddenTests.definitions(), streams: files + granted + merged, owner: Someone.ownerID)
        let member = server.connectInMemory(Someone.member.peer)
        for index in files.indices {
            let name = { (kind: String) in "\"\(kind) \(index)\"" }
            #expect(try await subscribe(member, "g\(index)", to: name("granted"))["result"] != nil)
            let refusal = try await subscribe(member, "m\(index)", to: name("merged"))
            #expect(refusal["error"]?["data"]?["name"] == "forbidden")
        }
        await server.stop()
    }

    @Test("is refused while a part of the stream is no longer configured")
    func missingPart() async throws {
        let server = try TestServer(
            definitions: ForbiddenTests.definitions(), streams: [TestStream("left", related: ["open", "gone"])],
            owner: Someone.ownerID)
        let member = server.connectInMemory(Someone.member.peer)
        #expect(try await subscribe(member, "l", to: #""left""#)["error"]?["data"]?["name"] == "forbidden")
        await server.stop()
    }

    @Test("continues after a cursor, also when the stream was gone in between")
    func cursor() async throws {
        let stream = TestStream("saves")
        let server = try TestServer(streams: [stream])
        let peer = server.connectInMemory()
        #expect(try await subscribe(peer, "s", to: #""saves""#, #","channels":["elements"]"#)["result"] != nil)
        stream.inject(RawJSON(1), causes: Causes(.host))
        let cursor = try #require(try await events(1, peer)["s"]?["cursor"]?.string)
        stream.inject(RawJSON(2), causes: Causes(.host))
        #expect(try await events(1, peer)["s"]?["value"] == 2)
        server.setStreams([])
        #expect(try await events(1, peer)["s"]?["channel"] == "end")
        server.setStreams([stream])
        let answer = try await subscribe(
            peer, "s", to: #""saves""#, #","channels":["elements"],"from":{"cursor":"\#(cursor)"}"#)
        #expect(answer["result"] != nil)
        #expect(try await events(1, peer)["s"]?["value"] == 2)
        await server.stop()
    }
}
