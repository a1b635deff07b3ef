import Glibc
import RxAction
import RxJSON
import RxPlatform
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

@Suite("The log on the disk", .countedApart)
struct EventLogStoreTests {
    /// The events of an execution with these numbers.
    private func events(of record: ExecutionRecord, _ started: UInt64, _ failed: UInt64?, _ ended: UInt64?)
        -> [LoggedEvent]
    {
        func event(_ number: UInt64, _ time: Int64, _ ordinal: Int, _ content: LoggedEvent.Content) -> LoggedEvent {
            LoggedEvent(
                number: number, time: time, name: record.action, execution: record.id, ordinal: ordinal,
                content: content)
        }
        var events = [event(started, 20, 1, .started(record))]
        if let failed, let error = record.error { events.append(event(failed, 30, 1, .failed(error, of: record))) }
        if let ended { events.append(event(ended, 30, 2, .ended(record, isKeyed: false))) }
        return events
    }

    private func refusal(_ number: UInt64, at time: Int64 = 5) -> LoggedEvent {
        LoggedEvent(number: number, time: time, name: "deploy", content: .other(kind: "refused", .true))
    }

    private func written(
        _ store: ExecutionStore, _ events: [LoggedEvent], lost: ClosedRange<UInt64>? = nil
    ) async -> StoreError? {
        await outcome { _ = store.log(events, lost: lost, completion: $0) }
    }

    private func texts(_ log: RecoveredLog) -> [String] {
        log.events.map { "\($0.number) \($0.time) \($0.name) \($0.kind) \($0.ordinal)" }
    }

    @Test("returns the events after a restart as they were, with the records of their executions")
    func roundTrip() async throws {
        let file = StoreFile()
        let failure = ExecutionError.failed(WorkFailure(message: "no", facts: ["exit": 3]))
        let record = ExecutionRecord.made(.failed, input: #"{"a":1}"#, error: failure)
        var store = try file.open()
        let first = store.takeRecovery().log
        #expect(first.last == 1 && first.complete == 0 && first.events.isEmpty && first.epoch.utf8.count == 8)
        store.accepted(.made(.executing, id: record.id))
        #expect(await written(store, events(of: record, 3, 5, 6) + [refusal(9)]) == nil)
        #expect(try await store.page().records.map(\.text) == [record.text], "its end is in the history with the event")
        store.close()
        store = try file.open()
        let recovery = store.takeRecovery()
        let log = recovery.log
        #expect(recovery.interruptedCount == 0)
        #expect(
            texts(log) == [
                "3 20 deploy started 1", "5 30 deploy failed 1", "6 30 deploy ended 2", "9 5 deploy refused 0",
            ])
        #expect(log.epoch == first.epoch && log.last > first.reserved && log.complete == 0)
        guard case .started(let started) = log.events[0].content,
            case .failed(let error, let failed) = log.events[1].content,
            case .ended(let ended, _, _) = log.events[2].content,
            case .other("refused", let value) = log.events[3].content
        else {
            Issue.record("\(log.events)")
            return
        }
        #expect(started.state == .executing && started.startedAt == 20 && started.endedAt == nil)
        #expect(started.input == record.input && started.error == nil && started.elements == 0)
        #expect(
            error.stored == failure.stored && failed.text == record.text && ended.text == record.text && value == .true)
        store.close()
    }

    @Test("the end of a withdrawn input is in the log once, also if the daemon is killed before its event is written")
    func withdrawn() async throws {
        for isLogged in [false, true] {
            let file = StoreFile()
            let record = ExecutionRecord.withdrawn()
            var store = try file.open()
            let last = store.takeRecovery().log.last
            let queued = ExecutionRecord.made(.queued, id: record.id)
            #expect(await outcome { store.accepted(queued, durableInput: .null, completion: $0) } == nil)
            #expect(await outcome { store.withdrawn(record, isKeyed: false, completion: $0) } == nil)
            if isLogged { #expect(await written(store, events(of: record, last + 1, last + 2, last + 3)) == nil) }
            store.close()
            for _ in 0..<2 {
                store = try file.open()
                let recovery = store.takeRecovery()
                #expect(recovery.interruptedCount == 0 && recovery.interrupted.isEmpty && recovery.queued.isEmpty)
                #expect(recovery.log.events.map(\.kind).suffix(2) == ["failed", "ended"])
                #expect(recovery.log.events.count == (isLogged ? 3 : 2))
                guard case .ended(let ended, _, _)? = recovery.log.events.last?.content else {
                    Issue.record("\(recovery.log.events)")
                    return
                }
                #expect(ended.text == record.text)
                #expect(try await store.page().records.map(\.text) == [record.text])
                store.close()
            }
        }
    }

    @Test("events that are noted as missing are a hole of the next start, whose note is gone")
    func missing() async throws {
        let file = StoreFile()
        var store = try file.open()
        let last = store.takeRecovery().log.last
        #expect(await written(store, [refusal(last + 1)]) == nil)
        store.noteMissing(last + 3...last + 7)
        store.close()
        store.noteMissing(last + 3...last + 9)
        for _ in 0..<2 {
            store = try file.open()
            let log = store.takeRecovery().log
            #expect(log.complete == last + 7 && log.holes.ranges == [last + 3...last + 7] && log.marks == LogMarks())
            #expect(log.events.map(\.number) == [last + 1])
            store.close()
        }
        let mapping = try Disk.system.map(file.path + "-lock", CommitMarks.bytes)
        let words = mapping.bytes.bindMemory(to: UInt64.self)
        let note = CommitMarks.missingIndex
        // The note of an earlier version.
        (words[note], words[note + 1]) = (last + 11, ~(last + 11))
        store = try file.open()
        #expect(store.takeRecovery().log.holes.ranges == [0...last + 11])
        store.close()
        #expect(store.losses.isEmpty)
    }

    @Test("a torn note of missing events is a hole of all and a warning; a flipped bit without a note is neither")
    func damagedNote() async throws {
        let file = StoreFile()
        var store = try file.open()
        let last = store.takeRecovery().log.last
        #expect(await written(store, [refusal(last + 1)]) == nil)
        store.close()
        let mapping = try Disk.system.map(file.path + "-lock", CommitMarks.bytes)
        let words = mapping.bytes.bindMemory(to: UInt64.self)
        let note = CommitMarks.missingIndex
        for index in 0..<MissingEvents.words {
            words[note + index] ^= 1 << 40
            store = try file.open()
            #expect(store.losses.isEmpty && store.takeRecovery().log.holes == EventHoles(), "word \(index)")
            store.close()
            #expect((note..<note + MissingEvents.words).allSatisfy { words[$0] == 0 }, "word \(index)")
        }
        (words[note], words[note + 1]) = (last + 3, 5)
        store = try file.open()
        let log = store.takeRecovery().log
        #expect(store.losses == [.events(path: file.path)])
        #expect(log.complete >= last + LogLimits.numbersReserved && log.complete <= log.last)
        store.close()
        store = try file.open()
        #expect(store.losses.isEmpty)
        store.close()
    }

    @Test("a flipped bit of a note of missing events is noticed, and covers what was noted")
    func flippedNote() {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 8 * MissingEvents.words, alignment: 8)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        let missing = MissingEvents(FileMapping(bytes) { $0.deallocate() }, at: 0)
        for noted: ClosedRange<UInt64>? in [nil, 0...1, 4...4, 5...9] {
            missing.note(noted)
            for bit in 0..<64 * MissingEvents.words {
                bytes[bit / 8] ^= 1 << (bit % 8)
                let read = missing.numbers
                #expect(missing.isTorn == (noted != nil), "bit \(bit)")
                #expect(noted.map { read?.joined($0) == read } ?? (read == nil), "bit \(bit)")
                bytes[bit / 8] ^= 1 << (bit % 8)
            }
            #expect(!missing.isTorn)
        }
    }

    @Test("a note of missing events is whole at every moment, or covers more")
    func tornNote() throws {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 8 * MissingEvents.words, alignment: 8)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        let mapping = FileMapping(bytes) { $0.deallocate() }
        let words = bytes.bindMemory(to: UInt64.self)
        let notes: [ClosedRange<UInt64>?] = [nil, 5...7, 5...9, 3...9, 3...40, nil, 50...51]
        for (before, after) in zip(notes, notes.dropFirst()) {
            let missing = MissingEvents(mapping, at: 0)
            missing.note(before)
            let old = Array(words[..<MissingEvents.words])
            missing.note(after)
            let new = Array(words[..<MissingEvents.words])
            #expect(missing.numbers == after)
            // The words are written in any order, and a kill comes between two of them.
            for written in 1..<(1 << MissingEvents.words) - 1 {
                for index in old.indices { words[index] = written >> index & 1 == 1 ? new[index] : old[index] }
                let read = missing.numbers
                guard let before, let after else {
                    let whole = try #require(before ?? after)
                    #expect(read == nil || read?.contains(whole.lowerBound) == true, "\(whole), \(written)")
                    continue
                }
                let least = max(before.lowerBound, after.lowerBound)...min(before.upperBound, after.upperBound)
                #expect(read.map { $0.joined(least) == $0 } == true, "\(before) to \(after), \(written)")
            }
        }
    }

    @Test("holes are joined if they overlap, and the oldest two if there are too many")
    func holes() {
        var holes = EventHoles()
        #expect(holes.last == 0 && holes.within(0...UInt64.max) == [])
        for range in [20...30, 5...7, 40...50, 8...9] as [ClosedRange<UInt64>] { holes.insert(range) }
        #expect(holes.ranges == [5...7, 8...9, 20...30, 40...50] && holes.last == 50)
        holes.insert(9...20)
        holes.insert(45...46)
        #expect(holes.ranges == [5...7, 8...30, 40...50])
        #expect(holes.within(6...28) == [6...7, 8...28] && holes.within(31...39) == [])
        #expect(holes.within(50...50) == [50...50])
        holes.insert(0...60)
        #expect(holes.ranges == [0...60])
        for number in 1...UInt64(EventHoles.most) + 1 { holes.insert(100 * number...100 * number + 1) }
        #expect(holes.ranges.count == EventHoles.most)
        #expect(holes.ranges[0] == 0...201 && holes.ranges[1] == 300...301)
    }

    @Test("an execution that a killed daemon left has its end in the log, once")
    func interrupted() async throws {
        let file = StoreFile()
        let records = (0..<3).map { _ in ExecutionRecord.made(.executing) }
        var store = try file.open()
        let last = store.takeRecovery().log.last
        for (index, record) in records.enumerated() {
            store.accepted(record)
            #expect(await written(store, events(of: record, last + 1 + UInt64(index), nil, nil)) == nil)
        }
        store.close()
        var texts: [[String]] = []
        for _ in 0..<2 {
            store = try file.open(at: 40)
            let log = store.takeRecovery().log
            texts.append(self.texts(log).suffix(6))
            #expect(log.events.count == 9 && log.events.allSatisfy { $0.number < log.last })
            #expect(Set(log.events.suffix(6).compactMap(\.execution)) == Set(records.map(\.id)))
            store.close()
        }
        #expect(texts[0] == texts[1])
        var expected: [String] = []
        for index in 0..<3 as Range<UInt64> {
            let number = LogLimits.numbersReserved + 3 * index
            expected += ["\(number + 2) 40 deploy failed 1", "\(number + 3) 40 deploy ended 2"]
        }
        #expect(texts[0] == expected)
    }

    @Test("no number is reserved twice, whether or not the daemon ended cleanly")
    func numbers() async throws {
        let file = StoreFile()
        var reserved: UInt64 = 0
        for round in 0..<4 {
            let store = try file.open()
            let log = store.takeRecovery().log
            #expect(log.last > reserved && log.reserved > log.last)
            reserved = log.reserved
            if round % 2 == 0 {
                reserved += 1000
                #expect(await outcome { store.reserveNumbers(through: reserved, completion: $0) } == nil)
            }
            store.close()
        }
    }

    @Test("the events of an execution leave with its record, and the log knows up to where")
    func retention() async throws {
        let file = StoreFile()
        var retention = ExecutionStore.Retention()
        retention.count = 2
        var store = try file.open(retention)
        for number in 1...5 as ClosedRange<UInt64> {
            let record = ExecutionRecord.made(.completed)
            #expect(await written(store, events(of: record, number * 10, nil, number * 10 + 1)) == nil)
        }
        #expect(await written(store, [refusal(60), refusal(61), refusal(62)]) == nil)
        await store.flush()
        store.close()
        store = try file.open(retention)
        let log = store.takeRecovery().log
        #expect(log.events.map(\.number) == [40, 41, 50, 51, 60, 61, 62] && log.complete == 31)
        #expect(log.marks.executions == 31 && log.marks.others == 0)
        store.close()
    }

    @Test("events of no execution leave when they are too old")
    func age() async throws {
        let file = StoreFile()
        var retention = ExecutionStore.Retention()
        retention.age = .seconds(1)
        var store = try file.open(retention)
        #expect(await written(store, (1...300).map { refusal($0, at: $0 <= 290 ? 5 : 2000) }) == nil)
        store.close()
        store = try file.open(retention, at: 2500)
        await store.flush()
        store.close()
        #expect(try file.look { try $0.integer("SELECT count(*) FROM events") } == 10)
        #expect(try file.look { try $0.integer("SELECT others_trimmed FROM log") } == 290)
    }

    @Test("an event from a clock that was ahead does not keep those after it, and leaves when it is old enough")
    func ahead() async throws {
        let day: Int64 = 86_400_000
        let file = StoreFile()
        var retention = ExecutionStore.Retention()
        retention.age = .seconds(86_400)
        func left() throws -> [Int64] {
            try file.look { database in
                let rows = try Statement("SELECT number FROM events ORDER BY number", database)
                var numbers: [Int64] = []
                while try rows.step() { numbers.append(rows.integer(0)) }
                return numbers
            }
        }
        var store = try file.open(retention)
        let ahead = (2...301).map { refusal($0, at: 300 * day) }
        let later = (302...700).map { refusal($0, at: day) } + [refusal(701, at: 3 * day)]
        #expect(await written(store, [refusal(1)] + ahead + later) == nil)
        store.close()
        for (now, expected) in [(3 * day, Array(2...301) + [701]), (302 * day, [])] as [(Int64, [Int64])] {
            store = try file.open(retention, at: now)
            // Each write removes a portion.
            for _ in 0..<10 { await store.flush() }
            store.close()
            #expect(try left() == expected)
        }
    }

    @Test("an event from a clock that was ahead does not have the executions removed before older events")
    func aheadInSpace() async throws {
        let file = StoreFile()
        var retention = ExecutionStore.Retention()
        retention.bytes = 1 << 20
        let store = try file.open(retention, at: 10_000)
        let value = RawJSON(.string(String(repeating: "x", count: 10_000)))
        func refused(_ number: UInt64, at time: Int64) -> LoggedEvent {
            LoggedEvent(number: number, time: time, name: "deploy", content: .other(kind: "refused", value))
        }
        #expect(await written(store, [refused(1, at: 1_000_000)]) == nil)
        for number in 1...20 as ClosedRange<UInt64> {
            let record = ExecutionRecord.made(.completed, endedAt: 6000)
            #expect(await written(store, events(of: record, 1000 + 2 * number, nil, 1001 + 2 * number)) == nil)
        }
        for number in 2...200 as ClosedRange<UInt64> {
            #expect(await written(store, [refused(2000 + number, at: 5000)]) == nil)
        }
        for _ in 0..<50 { await store.flush() }
        #expect(try await store.page().records.count == 20)
        store.close()
        #expect(try file.look { try $0.integer("SELECT count(*) FROM events WHERE execution IS NULL") } < 150)
    }

    @Test("events that could not be written are known to be missing")
    func lost() async throws {
        let file = StoreFile()
        var store = try file.open()
        #expect(await written(store, [refusal(1)]) == nil)
        #expect(await written(store, [refusal(8)], lost: 3...7) == nil)
        #expect(await written(store, [refusal(12)], lost: 10...11) == nil)
        store.close()
        for _ in 0..<2 {
            store = try file.open()
            let log = store.takeRecovery().log
            #expect(log.complete == 11 && log.events.map(\.number) == [1, 8, 12])
            #expect(log.holes.ranges == [3...7, 10...11] && log.marks == LogMarks())
            store.close()
        }
    }

    @Test("a hole is known until each part of the log is trimmed beyond it: a part without a row may be all in it")
    func neededHole() async throws {
        let file = StoreFile()
        var retention = ExecutionStore.Retention()
        retention.age = .seconds(1)
        var store = try file.open(retention)
        #expect(await written(store, [refusal(1), refusal(8), refusal(9, at: 2000)], lost: 3...7) == nil)
        store.close()
        store = try file.open(retention, at: 2500)
        await store.flush()
        store.close()
        func marks() throws -> LogMarks { try file.look { try LogMarks(LogMarks.statement($0)) } }
        #expect(try marks().others == 8 && marks().executions == 0 && marks().streams == 0)
        for change in ["UPDATE log SET trimmed = 9", "UPDATE stream_log SET trimmed = 9"] {
            store = try file.open(retention, at: 2500)
            #expect(store.takeRecovery().log.holes.ranges == [3...7])
            store.close()
            try file.look { try $0.execute(change) }
        }
        store = try file.open(retention, at: 2500)
        #expect(store.takeRecovery().log.holes.ranges == [])
        store.close()
    }

    @Test("a host finds the newest events only, and knows where they begin")
    func many() async throws {
        let file = StoreFile()
        var retention = ExecutionStore.Retention()
        retention.count = 1_000_000
        let count = UInt64(LogLimits.eventsRead) + 500
        var store = try file.open(retention)
        #expect(await written(store, (1...count).map { refusal($0) }) == nil)
        store.close()
        store = try file.open(retention)
        let log = store.takeRecovery().log
        #expect(log.events.map(\.number) == Array(501...count) && log.complete == 500)
        store.close()
    }

    @Test("a host finds the last switches of each action, however many other events came since")
    func switches() async throws {
        let file = StoreFile()
        var store = try file.open()
        func switched(_ number: UInt64, _ name: String) -> LoggedEvent {
            let content = LoggedEvent.Content.other(kind: LoggedEvent.switchedKind, RawJSON(JSONValue(Int(number))))
            return LoggedEvent(number: number, time: Int64(number), name: name, content: content)
        }
        let most = UInt64(LogLimits.switchesKept)
        let builds = (2...most + 3).map { switched($0, "build") }
        let events = [switched(1, "deploy")] + builds + [switched(most + 4, "test")]
        #expect(await written(store, events) == nil)
        let last = most + 4 + UInt64(LogLimits.eventsRead)
        #expect(await written(store, (most + 5...last).map { refusal($0) }) == nil)
        store.close()
        store = try file.open()
        let log = store.takeRecovery().log
        #expect(log.switches.map(\.number) == [1] + Array(4...most + 4))
        #expect(log.switches.map(\.name) == events.filter { $0.number == 1 || $0.number > 3 }.map(\.name))
        #expect(log.switches.allSatisfy { $0.kind == LoggedEvent.switchedKind && $0.time == Int64($0.number) })
        #expect(log.events.count == LogLimits.eventsRead && log.complete == 0)
        store.close()
    }

    @Test("after a power cut the log has another epoch; after a clean end and a kill it has not")
    func epoch() throws {
        let file = StoreFile()
        var disk = Disk.system
        var boot: UInt64 = 1
        func open() throws -> ExecutionStore {
            let id = BootID(high: boot, low: 1)
            disk.bootID = { id }
            return try file.open(on: disk)
        }
        var store = try open()
        let first = store.takeRecovery().log
        let epoch = first.epoch
        #expect(first.earlier == [:])
        store.close()
        boot = 2
        store = try open()
        #expect(store.takeRecovery().log.epoch == epoch, "the machine was restarted")
        // What a kill leaves.
        let files = ["", "-wal", "-lock"].map { ($0, readAll(file.path + $0)) }
        store.close()
        for boots in [2, 3] as [UInt64] {
            for (suffix, bytes) in files { write(bytes, to: file.path + suffix) }
            boot = boots
            store = try open()
            let log = store.takeRecovery().log
            #expect((log.epoch == epoch) == (boots == 2), "boot \(boots)")
            #expect(log.earlier.keys.first == (boots == 2 ? nil : epoch))
            #expect(log.earlier.values.allSatisfy { $0 < log.last })
            store.close()
        }
    }

    private func readAll(_ path: String) -> [UInt8] {
        (try? Disk.system.read(path, Disk.system.size(path) ?? 0)) ?? []
    }

    private func write(_ bytes: [UInt8], to path: String) {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        #expect(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        close(descriptor)
    }
}

extension ExecutionRecord {
    /// A durable input that was withdrawn before it started.
    fileprivate static func withdrawn() -> ExecutionRecord {
        var record = made(.cancelled, error: .cancelled(by: .host))
        record.startedAt = nil
        return record
    }
}
