import Glibc
import TestSupport
import Testing

@testable import Systemd

@Suite("JournalSocket", .ownThreads)
struct JournalSocketTests {
    func record(_ message: String) -> JournalRecord {
        var record = JournalRecord()
        record.append("MESSAGE", message)
        return record
    }

    @Test("a record arrives as one datagram")
    func oneDatagram() throws {
        let journal = DatagramReceiver()
        let socket = try #require(JournalSocket(path: journal.path))
        #expect(socket.send(record("hello")) == .taken)
        #expect(journal.nextText() == "MESSAGE=hello\n")
        #expect(journal.next() == nil)
    }

    @Test("a record too large for a datagram arrives as a file")
    func largeRecord() throws {
        let journal = DatagramReceiver()
        let socket = try #require(JournalSocket(path: journal.path))
        let message = String(repeating: "x", count: 4_000_000)
        #expect(socket.send(record(message)) == .taken)
        let received = try #require(journal.next())
        #expect(received == record(message).bytes)
    }

    @Test("there is no socket without a journal")
    func absent() {
        #expect(JournalSocket(path: "/tmp/no-journal-here") == nil)
    }

    @Test("a journal that goes away is absent, and one that comes back is found")
    func comesBack() throws {
        var journal: DatagramReceiver? = DatagramReceiver()
        let path = try #require(journal).path
        let socket = try #require(JournalSocket(path: path))
        journal = nil
        #expect(socket.send(record("nobody reads this")) == .absent)
        let next = DatagramReceiver(name: path)
        #expect(socket.send(record("back")) == .taken)
        #expect(next.nextText() == "MESSAGE=back\n")
    }

    @Test("a journal that hangs costs one short wait, loses records, and hears how many once it reads again")
    func hangs() throws {
        let journal = DatagramReceiver()
        let socket = try #require(JournalSocket(path: journal.path))
        var taken = 0
        while socket.send(record("\(taken)")) == .taken { taken += 1 }
        // That was the first loss, after the one wait. Of a thousand more, the quickest hundred cost less than five
        // waits would; a busy machine may stop the others for as long as it likes.
        let times = (0..<10).map { _ in
            ContinuousClock().measure {
                for _ in 0..<100 { #expect(socket.send(record("lost")) == .lost) }
            }
        }
        #expect(times.contains { $0 < .milliseconds(5 * Int(JournalSocket.patienceMilliseconds)) }, "\(times)")
        for number in 0..<taken { #expect(journal.nextText() == "MESSAGE=\(number)\n") }

        #expect(socket.send(record("again")) == .taken)
        #expect(journal.nextText() == "MESSAGE=again\n")
        let report = try #require(journal.nextText())
        #expect(report.contains("PRIORITY=4\n"))
        #expect(report.contains("RXD_LOST_RECORDS=1001\n"))
    }
}
