import Glibc
import Rx
import RxAction
import RxJSON
import RxPlatform
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

/// The clocks of a machine, and its boot.
private final class Machine: Sendable {
    let wall = Locked(Int64(1_700_000_000_000))
    let up = Locked(Duration.seconds(100))
    let boot = Locked(BootID(high: 1, low: 1))

    var platform: Platform {
        var disk = Disk.system
        disk.bootID = { self.boot.withLock { $0 } }
        return Platform(
            wallClock: WallClock { self.wall.withLock { $0 } },
            monotonicClock: MonotonicClock { self.up.withLock { $0 } }, disk: disk)
    }

    /// Time passes.
    func pass(_ time: Duration) {
        up.withLock { $0 += time }
        setForward(time)
    }

    /// The time of day changes, or passes while the machine is suspended.
    func setForward(_ time: Duration) { wall.withLock { $0 += Int64(time / .milliseconds(1)) } }

    /// Another boot, whose monotonic clock begins anew.
    func reboot() {
        boot.withLock { $0 = BootID(high: 1, low: $0.low + 1) }
        up.withLock { $0 = .seconds(1) }
    }
}

@Suite("Keys in the store", .countedApart)
struct KeyStoreTests {
    private let file = StoreFile()
    private let machine = Machine()

    private static func key(_ text: String, uid: UInt32 = 1) -> ExecutionKey {
        ExecutionKey(text, uid: uid, inputHash: "s" + text)
    }

    private func open(count: Int = 10_000, lifetime: Duration = .seconds(60)) throws -> ExecutionStore {
        var retention = ExecutionStore.Retention()
        retention.count = count
        retention.keyLifetime = lifetime
        return try ExecutionStore(path: file.path, retention: retention, platform: machine.platform) {
            Issue.record("\($0)")
        }
    }

    /// The keys of a daemon that starts now.
    private func keys(lifetime: Duration = .seconds(60)) throws -> [KeyedExecution] {
        let store = try open(lifetime: lifetime)
        defer { store.close() }
        return store.takeRecovery().keyed
    }

    private func rows() throws -> Int64 { try file.look { try $0.integer("SELECT count(*) FROM keys") } }

    @Test("keep the end of an execution whose record the history has removed")
    func withoutRecord() async throws {
        let store = try open(count: 3)
        let error = ExecutionError.failed(WorkFailure(message: "no", facts: ["exit": 3]))
        let record = ExecutionRecord.made(.failed, by: .peer(uid: 7, gid: 8, pid: 9), error: error)
        store.accepted(.made(.queued, by: record.by, id: record.id), key: Self.key("k"))
        store.ended(record, isKeyed: true)
        for _ in 0..<10 { store.ended(.made(.completed)) }
        await store.flush()
        #expect(try await store.found(record.id) == nil)
        store.close()
        let keyed = try #require(try keys().first)
        #expect(keyed.key == Self.key("k") && keyed.id == record.id && keyed.action == record.action)
        #expect(keyed.record?.text == record.text)
    }

    @Test("keep the end of an execution of which nothing else is stored; without an end it is interrupted")
    func unlisted() throws {
        let store = try open()
        let record = ExecutionRecord.made(.completed)
        store.accepted(.made(.executing, id: record.id), key: Self.key("ended"), isListed: false)
        store.settled(record)
        store.accepted(.made(.executing), key: Self.key("lost"), isListed: false)
        store.close()
        let found = try open()
        let recovery = found.takeRecovery()
        #expect(recovery.keyed.map(\.key.text) == ["ended", "lost"])
        #expect(recovery.keyed.map(\.record?.state) == [.completed, .interrupted])
        #expect(recovery.keyed[0].record?.elements == 3)
        #expect(recovery.keyed[1].record?.endedAt == machine.wall.withLock { $0 })
        #expect(recovery.interrupted.isEmpty && recovery.interruptedCount == 0)
        found.close()
    }

    @Test("of requests that joined an execution have its end, whether they came before or after it")
    func joined() async throws {
        let store = try open()
        let record = ExecutionRecord.made(.completed)
        store.accepted(.made(.executing, id: record.id))
        #expect(
            await outcome {
                store.keyed(Self.key("a"), .made(.executing, id: record.id), isDurable: true, completion: $0)
            } == nil)
        store.ended(record, isKept: false, isKeyed: true)
        #expect(await outcome { store.keyed(Self.key("b"), record, isDurable: false, completion: $0) } == nil)
        store.keyed(Self.key("c"), .made(.executing, id: record.id), isDurable: false) { _ in }
        store.settled(record)
        store.close()
        let found = try keys()
        #expect(found.map(\.key.text) == ["a", "b", "c"])
        #expect(found.allSatisfy { $0.record?.state == .completed && $0.id == record.id })
    }

    @Test("fail when the files were removed under the store, whether or not they are durable")
    func removed() async throws {
        let file = StoreFile()
        let failures = Heard<StoreError>()
        let store = try file.open(failures: failures)
        let record = ExecutionRecord.made(.executing)
        #expect(await outcome { store.accepted(record, key: Self.key("a"), completion: $0) } == nil)
        removeFiles(in: file.directory)
        let moved = StoreError.moved(path: file.path)
        #expect(await outcome { store.accepted(.made(.executing), key: Self.key("b"), completion: $0) } == moved)
        #expect(await outcome { store.keyed(Self.key("c"), record, isDurable: false, completion: $0) } == moved)
        store.close()
        #expect(failures.values == [moved])
    }

    @Test("are never evicted, however many there are, until their lifetime is over")
    func full() async throws {
        var store = try open(count: 0)
        for number in 0..<2000 {
            let id = ExecutionID()
            store.accepted(.made(.executing, id: id), key: Self.key("\(number)"))
            store.ended(.made(.completed, id: id), isKept: false, isKeyed: true)
        }
        await store.flush()
        #expect(try rows() == 2000)
        store.close()
        machine.pass(.seconds(60))
        #expect(try keys().count == 2000)
        machine.pass(.milliseconds(1))
        store = try open(count: 0)
        #expect(store.takeRecovery().keyed.isEmpty)
        #expect(await eventually { (try? rows()) == 0 })
        store.close()
    }

    @Test("of executions that are still queued outlive their lifetime, and come back with them")
    func queued() async throws {
        let record = ExecutionRecord.made(.queued)
        var store = try open()
        store.accepted(record, durableInput: .true, key: Self.key("k"))
        for _ in 0..<3 {
            machine.pass(.seconds(100))
            await store.flush()
            store.close()
            store = try open()
            let recovery = store.takeRecovery()
            #expect(recovery.keyed.map(\.id) == [record.id] && recovery.keyed.first?.record == nil)
            #expect(recovery.queued.map(\.key) == [Self.key("k")])
        }
        store.ended(.made(.completed, id: record.id), isKeyed: true)
        await store.flush()
        machine.pass(.seconds(100))
        // The next write removes what is too old.
        store.ended(.made(.completed, id: ExecutionID()))
        #expect(await eventually { (try? rows()) == 0 })
        store.close()
    }

    @Test(
        "live as long as promised when the clock is set forward or back, and longer by a suspend",
        arguments: [Duration.seconds(86_400), .seconds(-86_400)])
    func changedClock(_ change: Duration) async throws {
        var store = try open()
        let record = ExecutionRecord.made(.completed)
        store.accepted(record, key: Self.key("k"))
        store.ended(record, isKeyed: true)
        // Forward, this is also what a suspend is: only the time of day goes on.
        machine.setForward(change)
        await store.flush()
        store.close()
        #expect(try keys().map(\.age) == [.zero])
        machine.pass(.seconds(59))
        store = try open()
        #expect(store.takeRecovery().keyed.map(\.age) == [.seconds(59)])
        await store.flush()
        #expect(try rows() == 1)
        machine.pass(.seconds(2))
        await store.flush()
        #expect(try rows() == 0)
        store.close()
    }

    @Test("have the age that follows from the time of day after another boot, at least none")
    func reboot() throws {
        let store = try open()
        let record = ExecutionRecord.made(.completed)
        store.accepted(record, key: Self.key("k"))
        store.ended(record, isKeyed: true)
        store.close()
        machine.setForward(.seconds(20))
        machine.reboot()
        #expect(try keys().map(\.age) == [.seconds(20)])
        machine.pass(.seconds(10))
        #expect(try keys().map(\.age) == [.seconds(30)])
        machine.reboot()
        machine.setForward(.seconds(-86_400))
        #expect(try keys().map(\.age) == [.zero])
        machine.reboot()
        machine.setForward(.seconds(86_400 + 90))
        #expect(try keys().isEmpty)
    }

    @Test("of the version before keep their ends and their hashes, and have the age that the time of day gives")
    func upgrade() throws {
        let earlier = Schema(
            applicationID: Schema.executions.applicationID, steps: Array(Schema.executions.steps.prefix(2)),
            rowChecks: [])
        let (ended, trimmed, queued) = (ExecutionID(), ExecutionID(), ExecutionID())
        do {
            let old = try DatabaseFile(path: file.path, schema: earlier, disk: .system, recovers: false)
            let time = machine.wall.withLock { $0 } - 20_000
            let by = "'{\"uid\":7,\"gid\":7,\"pid\":7}'"
            try old.database.execute(
                """
                INSERT INTO executions VALUES(1, '\(ended)', 'a', 'completed', \(by), 1, 2, 3, 4, NULL, NULL);
                INSERT INTO pending VALUES(1, '\(queued)', 'a', \(by), 1, NULL, NULL, NULL, 'true');
                INSERT INTO keys VALUES(1, 'a', 7, 'ended', '\(InputSalt.unsalted(.true))', '\(ended)', \(time));
                INSERT INTO keys VALUES(2, 'a', 7, 'trimmed', 'x', '\(trimmed)', \(time));
                INSERT INTO keys VALUES(3, 'a', 7, 'queued', 'x', '\(queued)', \(time));
                INSERT INTO keys VALUES(4, 'a', 7, 'old', 'x', '\(trimmed)', \(time - 60_000));
                """)
        }
        let found = try keys()
        #expect(found.map(\.key.text) == ["ended", "trimmed", "queued"])
        #expect(found.map(\.record?.state) == [.completed, .interrupted, nil])
        #expect(found[0].record?.by == .peer(uid: 7, gid: 7, pid: 7) && found[0].record?.elements == 4)
        #expect(found.allSatisfy { $0.age == .seconds(20) })
        let salted = InputSalt(low: 1, high: 2).hash(.true)
        #expect(InputSalt.matches(found[0].key.inputHash, .true, salted: salted))
        #expect(!InputSalt.matches(found[0].key.inputHash, .false, salted: InputSalt(low: 1, high: 2).hash(.false)))
    }

    @Test("have one salt for each database, which only its owner can read")
    func salt() throws {
        func salt(_ file: StoreFile) throws -> InputSalt? {
            let store = try file.open()
            defer { store.close() }
            return store.takeRecovery().inputSalt
        }
        let first = try #require(try salt(file))
        #expect(try salt(file) == first)
        #expect(try salt(StoreFile()) != first)
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("recognize an input by SipHash-2-4 of its minified text")
    func hash() {
        // The example of the paper by Aumasson and Bernstein, appendix A.
        let salt = InputSalt(low: 0x0706_0504_0302_0100, high: 0x0F0E_0D0C_0B0A_0908)
        #expect(salt.sipHash(Array(0..<15)) == 0xA129_CA61_49BE_45E5)
        let spaced = RawJSON(unchecked: Array(#"{ "a" : 1 }"#.utf8))
        #expect(salt.hash(spaced) == salt.hash(RawJSON(unchecked: Array(#"{"a":1}"#.utf8))))
        #expect(salt.hash(spaced) != InputSalt(low: 0, high: 0).hash(spaced))
        #expect(InputSalt(text: salt.text) == salt)
    }
}

@Suite("The history and the clock", .countedApart)
struct HistoryClockTests {
    private let file = StoreFile()
    private let machine = Machine()

    @Test("a clock set forward, and a suspend, age the records; a clock set back keeps them longer")
    func changes() async throws {
        var retention = ExecutionStore.Retention()
        retention.age = .seconds(100)
        let store = try ExecutionStore(path: file.path, retention: retention, platform: machine.platform) {
            Issue.record("\($0)")
        }
        func end() -> ExecutionRecord {
            let record = ExecutionRecord.made(.completed, endedAt: machine.wall.withLock { $0 })
            store.ended(record)
            return record
        }
        let first = end()
        machine.setForward(.seconds(-1000))
        machine.up.withLock { $0 += .seconds(200) }
        await store.flush()
        #expect(try await store.found(first.id) != nil)
        machine.setForward(.seconds(1000 + 101))
        let second = end()
        await store.flush()
        #expect(try await store.page().records.map(\.id) == [second.id])
        store.close()
    }
}
