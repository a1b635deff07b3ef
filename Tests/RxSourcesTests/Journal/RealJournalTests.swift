import Glibc
import RxJSON
import RxLoop
import RxPlatform
import RxStreams
import RxTime
import TestSupport
import Testing

@testable import RxSources

/// Journal files of the test's own, written by systemd-journal-remote.
private final class RealJournal {
    static let isInstalled = access(path, X_OK) == 0
    private static let path = "/lib/systemd/systemd-journal-remote"

    let directory = TemporaryDirectory()
    let loop: EventLoop
    let journals: Journals
    private var writer: Helper?
    private var written = 0

    init() throws {
        loop = try EventLoop()
        loop.start(name: "journal")
        journals = Journals(
            SdJournalSystem(loop: loop, directory: directory.path), platform: .system,
            own: OwnRecords(unit: "rxd.service", userUnit: nil, pid: "1", uid: "998", since: 0))
    }

    deinit {
        // Stops are under way.
        journals.queue.run {}
        loop.stop()
        loop.join()
    }

    /// Begins a new file.
    func open(_ file: String) {
        writer = nil
        writer = Helper(Self.path, ["--output=\(directory.path)/\(file).journal", "-"])
    }

    /// Ends the file.
    func close() { writer = nil }

    func rename(_ file: String, to other: String) {
        precondition(Glibc.rename("\(directory.path)/\(file).journal", "\(directory.path)/\(other).journal") == 0)
    }

    func remove(_ file: String) { unlink("\(directory.path)/\(file).journal") }

    /// Appends a record, whose message is its number.
    func append(_ fields: [String: String] = [:]) {
        written += 1
        let time = 1_767_268_800_000_000 + written
        let times = ["__REALTIME_TIMESTAMP=\(time)", "__MONOTONIC_TIMESTAMP=\(written)"]
        let common = ["_BOOT_ID=0123456789abcdef0123456789abcdef", "MESSAGE=\(written)"]
        let all = times + common + fields.map { "\($0.key)=\($0.value)" }
        writer?.write(all.joined(separator: "\n") + "\n\n")
    }
}

@Suite(
    "Files of a real journal", .ownThreads,
    .enabled(if: RealJournal.isInstalled, "package systemd-journal-remote"))
struct RealJournalTests {
    @Test("new records come as they are written, those that match, with their fields and times")
    func follow() async throws {
        let journal = try RealJournal()
        journal.open("system")
        let probe = follow(journal, try JournalRule([:]))
        journal.append(["_SYSTEMD_UNIT": "a.service", "PRIORITY": "3"])
        // The record is in the file.
        #expect(await eventually { probe.settle() && probe.messages == ["1"] })
        let rule = try JournalRule(["_SYSTEMD_UNIT": ["a.service", "b.service"], "PRIORITY": ["0..3"]])
        let reader = follow(journal, rule)
        journal.append(["_SYSTEMD_UNIT": "a.service", "PRIORITY": "3", "_PID": "9"])
        journal.append(["_SYSTEMD_UNIT": "a.service", "PRIORITY": "4"])
        journal.append(["_SYSTEMD_UNIT": "c.service", "PRIORITY": "3"])
        journal.append(["_SYSTEMD_UNIT": "rxd.service", "PRIORITY": "3"])
        journal.append(["_SYSTEMD_UNIT": "b.service", "PRIORITY": "0"])
        #expect(await eventually { reader.settle() && reader.units.contains("b.service") })
        #expect(reader.units == ["a.service", "b.service"])
        let value = reader.receiver.elements[0].value.value()
        #expect(value["PRIORITY"]?.string == "3" && value["_PID"]?.string == "9")
        let number = Int64(value["MESSAGE"]?.string ?? "") ?? 0
        #expect(reader.receiver.elements[0].time == Instant(microseconds: 1_767_268_800_000_000 + number))
        for follower in [probe, reader] { follower.source.stop() }
    }

    @Test("rotation and removal of read files lose nothing, and repeat nothing")
    func rotation() async throws {
        let journal = try RealJournal()
        journal.open("system")
        let reader = follow(journal, try JournalRule([:]))
        for round in 0..<4 {
            for _ in 0..<50 { journal.append() }
            #expect(await eventually { reader.settle() && reader.messages.count == 50 * (round + 1) })
            journal.close()
            journal.rename("system", to: "system@\(round)")
            journal.open("system")
            if round > 1 { journal.remove("system@\(round - 2)") }
        }
        #expect(reader.messages == (1...200).map(String.init))
        reader.source.stop()
    }

    @Test("a file that was rotated and removed before it was read is read all the same")
    func removedBeforeReading() async throws {
        let journal = try RealJournal()
        journal.open("system")
        let probe = follow(journal, try JournalRule([:]))
        let reader = follow(journal, try JournalRule([:]))
        journal.append()
        #expect(await eventually { !reader.messages.isEmpty })
        // More than a batch, which is not settled yet.
        for _ in 0..<(3 * JournalSource.mostRecords) { journal.append() }
        #expect(await eventually { probe.settle() && probe.messages.count == 3 * JournalSource.mostRecords + 1 })
        journal.close()
        journal.remove("system")
        journal.open("next")
        for _ in 0..<5 { journal.append() }
        #expect(await eventually { probe.settle() && probe.messages.count == 3 * JournalSource.mostRecords + 6 })
        #expect(reader.messages.count == 1)
        let all = (1...(3 * JournalSource.mostRecords + 6)).map(String.init)
        #expect(await eventually { reader.settle() && reader.messages.count == all.count })
        #expect(reader.messages == all)
        for follower in [probe, reader] { follower.source.stop() }
    }

    @Test("a file that came and went before it could be opened is reported as missing")
    func gap() async throws {
        let journal = try RealJournal()
        journal.open("one")
        let probe = follow(journal, try JournalRule([:]))
        let reader = follow(journal, try JournalRule([:]))
        journal.append()
        #expect(await eventually { reader.messages == ["1"] && probe.settle() && probe.messages == ["1"] })
        // The batch is not settled, so the reader takes no notice of what follows.
        journal.close()
        journal.open("two")
        journal.append()
        #expect(await eventually { probe.settle() && probe.messages == ["1", "2"] })
        journal.close()
        journal.remove("one")
        journal.remove("two")
        journal.open("three")
        journal.append()
        #expect(await eventually { reader.settle() && reader.messages == ["1", "3"] })
        #expect(await eventually { reader.settle() && !reader.receiver.errors.isEmpty })
        let reason = "an unknown number of records of the journal may be missing"
        #expect(reader.receiver.errors.first?.hasPrefix(reason) == true)
        for follower in [probe, reader] { follower.source.stop() }
    }

    @Test("a later start goes on after its position, also if the record is gone")
    func positions() async throws {
        let journal = try RealJournal()
        journal.open("one")
        var reader = follow(journal, try JournalRule([:]))
        for _ in 0..<10 { journal.append() }
        #expect(await eventually { reader.settle() && reader.messages.count == 10 })
        reader.source.stop()
        let position = reader.receiver.elements[6].position
        reader = follow(journal, try JournalRule([:]), after: position)
        #expect(await eventually { reader.settle() && reader.messages == ["8", "9", "10"] })
        reader.source.stop()
        journal.close()
        journal.open("two")
        for _ in 0..<3 { journal.append() }
        reader = follow(journal, try JournalRule([:]), after: position)
        #expect(await eventually { reader.settle() && reader.messages.count == 6 })
        reader.source.stop()
        journal.remove("one")
        reader = follow(journal, try JournalRule([:]), after: position)
        #expect(await eventually { reader.settle() && reader.messages == ["11", "12", "13"] })
        reader.source.stop()
    }

    @Test("a later start goes on at a time, also if files come and go before its first record")
    func times() async throws {
        let journal = try RealJournal()
        journal.open("one")
        let probe = follow(journal, try JournalRule([:]))
        for _ in 0..<10 { journal.append() }
        #expect(await eventually { probe.settle() && probe.messages.count == 10 })
        let origin = JournalPlace.since(1_767_268_800_000_007).json
        let reader = follow(journal, try JournalRule([:]), after: origin)
        #expect(await eventually { reader.settle() && reader.messages == ["7", "8", "9", "10"] })
        let later = follow(journal, try JournalRule([:]), after: JournalPlace.since(1_767_268_800_000_012).json)
        journal.close()
        journal.open("two")
        for _ in 0..<3 { journal.append() }
        #expect(await eventually { later.settle() && later.messages == ["12", "13"] })
        for follower in [probe, reader, later] { follower.source.stop() }
    }

    @Test("where no record matches at the start, the first one that does comes, and so do those after it")
    func noMatchYet() async throws {
        let journal = try RealJournal()
        journal.open("system")
        let probe = follow(journal, try JournalRule([:]))
        for _ in 0..<3 { journal.append() }
        #expect(await eventually { probe.settle() && probe.messages.count == 3 })
        let reader = follow(journal, try JournalRule(["_SYSTEMD_UNIT": ["a.service"]]))
        for _ in 0..<3 { journal.append(["_SYSTEMD_UNIT": "a.service"]) }
        #expect(await eventually { reader.settle() && reader.messages.count == 3 })
        for follower in [probe, reader] { follower.source.stop() }
    }

    /// A stream that a test settles.
    private final class Follower {
        let source: JournalSource
        let receiver = RecordedReceiver()
        private var settled = 0

        init(_ source: JournalSource, after position: RawJSON?) {
            self.source = source
            source.start(after: position, into: receiver)
        }

        var messages: [String] { receiver.elements.compactMap { $0.value.value()["MESSAGE"]?.string } }
        var units: [String] { receiver.elements.compactMap { $0.value.value()["_SYSTEMD_UNIT"]?.string } }

        /// Settles what came in. Always true.
        func settle() -> Bool {
            if receiver.batches.count > settled {
                settled += 1
                source.settled(through: receiver.elements.last?.position)
            }
            return true
        }
    }

    private func follow(_ journal: RealJournal, _ rule: JournalRule, after position: RawJSON? = nil) -> Follower {
        let follower = Follower(JournalSource(rule, of: journal.journals), after: position)
        // It has found its place.
        journal.journals.queue.run {}
        return follower
    }
}
