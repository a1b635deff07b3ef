import RxJSON
import Testing
import TestSupport

@Suite("Golden transcripts", .countedApart)
struct TranscriptTests {
    @Test("hold in memory", arguments: Transcript.all)
    func inMemory(_ transcript: Transcript) async throws {
        let server = try TestServer(streams: TestStream.ofTranscripts)
        try await play(transcript, on: server) { server.connectInMemory() }
        await server.stop()
    }

    @Test("hold over a socket", arguments: Transcript.all)
    func overASocket(_ transcript: Transcript) async throws {
        let server = try TestServer(streams: TestStream.ofTranscripts)
        let path = try await server.listen()
        try await play(transcript, on: server) { try SocketPeer(path: path) }
        await server.stop()
    }

    private func play(
        _ transcript: Transcript, on server: TestServer, connect: () throws -> any TestPeer
    ) async throws {
        var player = TranscriptPlayer(transcript)
        do {
            try await player.play(on: server, connect)
        } catch let fault as TranscriptPlayer.Fault {
            Issue.record("\(fault)")
        }
        // Whatever has become of the transcript, nobody shall keep the server from stopping.
        player.leave()
    }
}
