import RxClient
import RxJSON
import TestSupport
import Testing

@Suite(.ownThreads)
struct ExecuteReplyTests {
    private func reply(_ text: String) throws -> ExecuteReply? {
        ExecuteReply(try RawJSON(validating: text))
    }

    @Test("a reply names the execution and what became of the input; a newer daemon may add more")
    func reading() throws {
        for disposition in ExecuteReply.Disposition.allCases {
            let reply = try reply(#"{"execution":"E","disposition":"\#(disposition.rawValue)","subscription":"s1"}"#)
            #expect(reply?.execution == "E")
            #expect(reply?.disposition == disposition)
        }
        #expect(try reply(#"{"execution":"E","disposition":"dreamt"}"#)?.disposition == nil)
        #expect(try reply(#"{"disposition":"started"}"#) == nil)
    }

    @Test("a request carries its key, and none if it has none")
    func key() async throws {
        try await withFakeDaemon({ request, peer in peer.answer(request, "{}") }) { daemon in
            let client = try await Client.connect(path: daemon.path)
            _ = try await client.execute(ExecuteRequest(action: "a", key: "k"))
            _ = try await client.execute(ExecuteRequest(action: "a"))
            #expect(daemon.requests.map(\.params) == [["action": "a", "key": "k"], ["action": "a"]])
        }
    }
}
