import RxJSON
import Testing

@Suite("Golden transcripts", .countedApart)
struct TranscriptTests {
    @Test("hold in memory", arguments: Transcript.all)
    func inMemory(_ transcript: Transcript) async throws {
        let server = try TestServer()
        try await play(transcript, on: server) { server.connectInMemory() }
        await server.stop()
    }

    @Test("hold over a socket", arguments: Transcript.all)
    func overASocket(_ transcript: Transcript) async throws {
        let server = try TestServer()
        let path = try await server.listen()
        try await play(transcript, on: server) { try SocketPeer(path: path) }
        await server.stop()
    }

    private func play(
        _ transcript: Transcript, on server: TestServer, connect: () throws -> any TestPeer
    ) async throws {
        var peers: [String: any TestPeer] = [:]
        var bindings = Bindings()
        for line in transcript.lines {
            let place = "\(transcript.name):\(line.number)"
            if peers[line.connection] == nil { peers[line.connection] = try connect() }
            let peer = peers[line.connection]!
            switch line.step {
            case .send(let text): peer.send(Array((bindings.fill(text) + "\n").utf8))
            case .sendBytes(let bytes): peer.send(bytes)
            case .endInput: peer.endInput()
            case .receive(let pattern):
                guard let text = await peer.nextLine() else {
                    Issue.record("\(place): nothing came; expected \(pattern)")
                    return
                }
                let value = try RawJSON(validating: text).value()
                if let mismatch = bindings.mismatch(value, try RawJSON(validating: pattern).value()) {
                    Issue.record("\(place): \(mismatch)\n  got  \(text)\n  want \(pattern)")
                    return
                }
            case .receiveEnd:
                let line = await peer.nextLine()
                #expect(line == nil, "\(place): expected the end")
                #expect(peer.isAtEnd, "\(place): the connection is still open")
            }
        }
        // What nobody expected is a fault too.
        for (name, peer) in peers where !peer.isAtEnd {
            #expect(peer.unread == [], "\(transcript.name): connection '\(name)' got more than expected")
        }
    }
}
