import RxHost
import RxProtocol
import Testing

@testable import RxServer

@Suite("What waits for a peer")
struct WaitingEntriesTests {
    @Test("is charged with its memory, which for a short text is most of it, until it is taken out")
    func replies() {
        var entries = WaitingEntries()
        entries.append(reply: [1, 2, 3])
        entries.append(text: [4])
        entries.append(bytes: 10) { _ in }
        #expect(entries.bytes == 3 * WaitingEntries.overhead + 14)
        #expect(WaitingEntries.overhead >= MemoryLayout<EncodedEvent>.size + 48)
        for left in [2 * WaitingEntries.overhead + 11, WaitingEntries.overhead + 10, 0] {
            #expect(entries.popFirst() != nil)
            #expect(entries.bytes == left)
        }
        #expect(entries.popFirst() == nil)
    }
}
