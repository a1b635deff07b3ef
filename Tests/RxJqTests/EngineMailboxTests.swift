import RxJSON
import Testing

@testable import RxJq

@Suite("The mailbox of an engine")
struct EngineMailboxTests {
    private func element(_ bytes: Int) -> EngineRequest {
        .merged(0, RawJSON(unchecked: Array(repeating: UInt8(ascii: "1"), count: bytes)))
    }

    @Test("holds elements up to a number and up to their bytes, and counts the others")
    func bounds() {
        for (bytes, room) in [(1, EngineMailbox.mostElements), (1 << 20, 16), (EngineMailbox.mostElementBytes + 1, 1)] {
            let mailbox = EngineMailbox {}
            for _ in 0..<room + 3 { #expect(mailbox.post(element(bytes))) }
            let taken = mailbox.take()
            #expect(taken.requests.count == room && taken.lost == 3)
            // What is taken counts until it is reduced.
            mailbox.post(element(bytes))
            #expect(mailbox.take().requests.isEmpty)
            mailbox.elementIsDone(bytes: bytes)
            for _ in 0..<2 { mailbox.post(element(bytes)) }
            #expect(mailbox.take().requests.count == 1)
        }
    }
}
