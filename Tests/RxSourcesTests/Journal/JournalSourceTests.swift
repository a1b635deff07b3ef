import RxJSON
import RxPlatform
import RxStreams
import RxTime
import TestSupport
import Testing

@testable import RxSources

struct JournalSourceTests {
    private let time = SteppedTime()
    private let journal = FakeJournal()
    private let receiver = RecordedReceiver()
    private let journals: Journals

    init() {
        let own = OwnRecords(unit: "rxd.service", userUnit: nil, pid: "7", uid: "998", since: 0)
        journals = Journals(journal, platform: time.platform, own: own)
    }

    @Test("the first start begins after what exists; then each record comes, with its time and its position")
    func first() throws {
        journal.append(3)
        let source = try started()
        #expect(receiver.elements.isEmpty)
        journal.append(2)
        time.settle()
        #expect(receiver.elements.map(\.position?.text) == [#""3""#, #""4""#])
        #expect(receiver.elements.map(\.time) == [Instant(microseconds: 3), Instant(microseconds: 4)])
        source.stop()
        time.settle()
        #expect(journal.open.isEmpty)
    }

    @Test("a later start goes on after the position")
    func later() throws {
        journal.append(5)
        let source = try started(after: RawJSON(.string("2")))
        #expect(receiver.elements.map(\.position?.text) == [#""3""#, #""4""#])
        source.stop()
    }

    @Test("what is written while the source is down, before its first element, comes at the next start")
    func origin() throws {
        let start = UInt64(time.platform.wallClock.milliseconds * 1000)
        journal.append(3, at: start - 1_000_000)
        var source = try started()
        let origin = try #require(source.origin)
        #expect(origin.text == #"{"since":\#(start)}"#)
        source.stop()
        time.settle()
        time.advance(by: .seconds(5))
        journal.append(2, at: start + 2_000_000)
        source = try started(after: origin)
        #expect(source.origin == nil)
        #expect(receiver.elements.map(\.position?.text) == [#""3""#, #""4""#])
        source.stop()
    }

    @Test("a journal that fails before its first record goes on at the end that it had", arguments: [0, 3])
    func earlyFailure(existing: Int) throws {
        journal.append(existing, at: 1)
        let source = try started()
        journal.readFailure = .system("Bad message (EBADMSG)")
        journal.append(2, at: UInt64(time.platform.wallClock.milliseconds * 1000) + 1)
        time.settle()
        time.advance(by: .seconds(5))
        #expect(receiver.elements.count == 2)
        source.stop()
    }

    @Test("a stop does not wait for the journal, and nothing comes after it")
    func stopping() throws {
        let source = try started()
        journal.append(1)
        // The record is not read yet.
        source.stop()
        #expect(journal.open.count == 1)
        time.settle()
        #expect(receiver.elements.isEmpty)
        #expect(journal.open.isEmpty)
    }

    @Test("a position that is none is reported, and reading begins with new records")
    func invalidPosition() throws {
        journal.append(5)
        let source = try started(after: RawJSON(.string("nonsense")))
        #expect(
            receiver.errors
                == [#"the stored position is not one of a journal; reading begins with new records: "nonsense""#])
        journal.append(1)
        time.settle()
        #expect(receiver.elements.count == 1)
        source.stop()
    }

    @Test("records that were removed before they could be read are an error with their number")
    func gap() throws {
        let source = try started()
        journal.gap = JournalGap(after: "s=1;i=9", before: "s=1;i=20")
        journal.append(1)
        time.settle()
        source.settled(through: nil)
        time.settle()
        #expect(receiver.errors.count == 1)
        #expect(receiver.errors.first?.hasPrefix("22 records of the journal may be missing: ") == true)
        source.stop()
    }

    @Test("one batch is emitted, of limited size, and the next one when it is settled")
    func batches() throws {
        let source = try started()
        journal.append(JournalSource.mostRecords + 10)
        time.settle()
        #expect(receiver.batches == [JournalSource.mostRecords])
        journal.append(1)
        time.settle()
        #expect(receiver.batches.count == 1)
        source.settled(through: nil)
        time.settle()
        #expect(receiver.batches == [JournalSource.mostRecords, 11])
        source.settled(through: nil)
        time.settle()
        journal.append(3, bytes: JournalSource.mostBytes / 2)
        time.settle()
        #expect(receiver.batches == [JournalSource.mostRecords, 11, 2])
        source.settled(through: nil)
        time.settle()
        #expect(receiver.batches.last == 1)
        #expect(receiver.elements.map(\.position?.text) == (0..<(JournalSource.mostRecords + 14)).map { "\"\($0)\"" })
        source.stop()
    }

    @Test("files that came and went are noticed only when all that is in the open ones was read")
    func updates() throws {
        let source = try started()
        journal.append(JournalSource.mostRecords + 10)
        time.settle()
        #expect(journal.open[0].placesOfUpdates.isEmpty)
        source.settled(through: nil)
        time.settle()
        #expect(journal.open[0].placesOfUpdates.isEmpty)
        source.settled(through: nil)
        time.settle()
        #expect(journal.open[0].placesOfUpdates == [JournalSource.mostRecords + 10])
        source.stop()
    }

    @Test("the daemon's own records are passed over, however many there are")
    func own() throws {
        let source = try started()
        journal.append(JournalSource.mostSteps * 2 + 1, unit: "rxd.service")
        journal.append(1)
        time.settle()
        #expect(receiver.elements.map(\.position?.text) == ["\"\(JournalSource.mostSteps * 2 + 1)\""])
        source.stop()
    }

    @Test("a journal that cannot be read is tried again, with growing delays, and goes on where it was")
    func failures() throws {
        journal.failures = [.missing, .notPermitted]
        let source = try started()
        #expect(
            receiver.waiting.last
                == "there is no journal in /run/log/journal or /var/log/journal; does systemd-journald run?")
        #expect(time.delays == [.seconds(5)])
        time.advance(by: .seconds(5))
        #expect(
            receiver.waiting.last
                == "the journal cannot be read: permission denied; add the daemon's user to the group systemd-journal "
                + "(systemd/examples/journal.conf) and restart the daemon")
        #expect(time.delays == [.seconds(10)])
        time.advance(by: .seconds(10))
        #expect(receiver.waiting.count == 3 && receiver.waiting.last == .some(nil))
        journal.append(1)
        time.settle()
        source.settled(through: nil)
        time.settle()
        journal.readFailure = .system("Bad message (EBADMSG)")
        journal.append(2)
        time.settle()
        #expect(receiver.waiting.last == "the journal cannot be read: Bad message (EBADMSG)")
        #expect(journal.open.isEmpty)
        time.advance(by: .seconds(5))
        #expect(receiver.elements.map(\.position?.text) == [#""0""#, #""1""#, #""2""#])
        #expect(receiver.waiting.last == .some(nil))
        source.stop()
        time.settle()
        #expect(time.delays.isEmpty)
    }

    @Test("the 33rd stream waits for a place")
    func places() throws {
        let sources = try (0..<Journals.most).map { _ in try started() }
        let late = [RecordedReceiver(), RecordedReceiver()]
        let lateSources = try late.map { receiver in
            let source = JournalSource(try JournalRule([:]), of: journals)
            source.start(after: nil, into: receiver)
            return source
        }
        time.settle()
        #expect(journal.open.count == 32)
        let reason = "32 streams read the journal, which is the most; this one begins when another stops"
        #expect(late.map(\.waiting) == [[reason], [reason]])
        lateSources[0].stop()
        sources[7].stop()
        time.settle()
        #expect(journal.open.count == 32)
        #expect(late.map(\.waiting) == [[reason], [reason, nil]])
        // A stream that waits for the environment leaves its place to another.
        for source in sources { source.stop() }
        lateSources[1].stop()
        time.settle()
        #expect(journal.open.isEmpty)
        let again = try (0..<Journals.most).map { _ in try started() }
        #expect(journal.open.count == 32)
        for source in again { source.stop() }
    }

    @Test("nothing is opened before the first stream")
    func lazy() {
        time.settle()
        #expect(journal.attempts == 0)
    }

    private func started(after position: RawJSON? = nil) throws -> JournalSource {
        let source = JournalSource(try JournalRule([:]), of: journals)
        source.start(after: position, into: receiver)
        time.settle()
        return source
    }
}
