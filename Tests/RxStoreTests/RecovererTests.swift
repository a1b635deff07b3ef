import Foundation
import RxAction
import RxJSON
import RxPlatform
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

@Suite("After a sudden end", .countedApart)
struct RecovererTests {
    @Test("all acknowledged writes are there: ends, interruptions, durable inputs in order, keys, and switches")
    func killed() async throws {
        let file = StoreFile()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = file.path as String] in
            let store = try ExecutionStore(
                path: path, platform: Platform(wallClock: WallClock { 50 }), onFailure: { _ in })
            let key = ExecutionKey("k", uid: 7, inputHash: "h")
            let id = ExecutionID()
            store.accepted(.made(.executing, action: "ended", id: id), key: key)
            store.ended(.made(.completed, action: "ended", id: id), isKeyed: true)
            store.accepted(.made(.queued, action: "waiting"))
            store.accepted(.made(.executing, action: "running", input: "[1]"))
            for index in 0..<50 {
                let record = ExecutionRecord.made(.queued, action: "durable", by: .stream("t"), input: "\"shown\"")
                let input = RawJSON(.object(["n": JSONValue(index)]))
                store.accepted(record, durableInput: input, timeout: .seconds(index))
                if index == 0 { store.started(record.id, at: 20, isDurable: true) }
            }
            store.set(ManualSwitch(by: .host, since: 5, reason: "so"), of: "off")
            store.set(ManualSwitch(by: .host, since: 5, reason: nil), of: "on")
            store.set(nil, of: "on") { error in
                precondition(error == nil)
                kill(getpid(), SIGKILL)
            }
            try await Task.sleep(for: .seconds(60))
        }
        let store = try file.open(at: 99)
        let recovery = store.takeRecovery()
        #expect(recovery.interrupted.map(\.action) == ["waiting", "running", "durable"])
        #expect(recovery.interruptedCount == 3 && recovery.unreadable == 0)
        #expect(recovery.interrupted.allSatisfy { $0.state == .interrupted && $0.endedAt == 99 })
        #expect(recovery.interrupted.map(\.startedAt) == [nil, 20, 20])
        #expect(recovery.interrupted[1].input?.text == "[1]")
        #expect(recovery.queued.map(\.input.text) == (1..<50).map { #"{"n":\#($0)}"# })
        #expect(recovery.queued.map(\.timeout) == (1..<50).map { .seconds($0) })
        #expect(recovery.queued.allSatisfy { $0.by == .stream("t") && $0.shown?.text == "\"shown\"" })
        #expect(recovery.switches == ["off": ManualSwitch(by: .host, since: 5, reason: "so")])
        #expect(recovery.keyed.map(\.key) == [ExecutionKey("k", uid: 7, inputHash: "h")])
        #expect(recovery.keyed.first?.record?.state == .completed)
        let page = try await store.page()
        #expect(page.records.map(\.state).filter { $0 == .interrupted }.count == 3)
        #expect(page.records.filter { $0.state == .completed }.map(\.action) == ["ended"])
        #expect(store.takeRecovery().queued.isEmpty, "given once")
        store.close()
    }

    @Test("a durable input that never started stays queued through any number of ends, until it starts or is withdrawn")
    func again() async throws {
        let file = StoreFile()
        let ids = (0..<3).map { _ in ExecutionID() }
        var store = try file.open()
        for id in ids { store.accepted(.made(.queued, id: id), durableInput: .true) }
        for _ in 0..<3 {
            store.close()
            store = try file.open()
            #expect(store.takeRecovery().queued.map(\.id) == ids)
        }
        store.accepted(.made(.queued, id: ids[0]), durableInput: .false)
        #expect(await outcome { store.started(ids[1], at: 20, isDurable: true, completion: $0) } == nil)
        #expect(await outcome { store.ended(.made(.cancelled, id: ids[2]), completion: $0) } == nil)
        store.close()
        let whole = try file.look { try $0.text("SELECT group_concat(id) FROM pending WHERE whole IS NOT NULL") }
        #expect(whole == ids[0].description, "an input is kept whole until it starts")
        store = try file.open()
        let recovery = store.takeRecovery()
        #expect(recovery.queued.map(\.id) == [ids[0]] && recovery.queued.map(\.input) == [.true])
        #expect(recovery.interrupted.map(\.id) == [ids[1]])
        #expect(try await store.page().records.map(\.state) == [.interrupted, .cancelled])
        store.close()
        store = try file.open()
        #expect(store.takeRecovery().interrupted.isEmpty, "interrupted once")
        store.close()
    }

    @Test("a durable input that was accepted and started at once is interrupted, not started again")
    func startedAtOnce() throws {
        let file = StoreFile()
        let id = ExecutionID()
        var store = try file.open()
        store.accepted(.made(.executing, id: id), durableInput: .true)
        store.close()
        store = try file.open()
        let recovery = store.takeRecovery()
        #expect(recovery.queued.isEmpty && recovery.interrupted.map(\.id) == [id])
        store.close()
    }

    @Test("a thousand durable inputs come back in the order of acceptance, not of their ids")
    func order() async throws {
        let file = StoreFile()
        let ids = (0..<1000).map { _ in ExecutionID() }.shuffled()
        var store = try file.open()
        for (index, id) in ids.enumerated() {
            store.accepted(.made(.queued, id: id), durableInput: .null)
            if index % 100 == 0 { await store.flush() }
        }
        // One of the first goes, and comes last.
        store.ended(.made(.cancelled, id: ids[0]), isKept: false)
        store.accepted(.made(.queued, id: ids[0]), durableInput: .null)
        store.close()
        store = try file.open()
        #expect(store.takeRecovery().queued.map(\.id) == ids.dropFirst() + [ids[0]])
        store.close()
    }

    @Test("an execution in flight whose row is damaged is left out and counted; the others are interrupted")
    func damagedInFlight() async throws {
        let file = StoreFile()
        var store = try file.open()
        for action in ["a", "", "c"] { store.accepted(.made(.executing, action: action)) }
        store.close()
        // The types of an id and of an empty text in the header of the row: the text becomes NULL, which no writer can
        // do. The file has its size, so that it counts as closed and is checked in the background only.
        let handle = try FileHandle(forUpdating: URL(filePath: file.path))
        let bytes = try #require(try handle.readToEnd())
        let places = bytes.indices.dropLast().filter { bytes[$0] == 13 + 2 * 36 && bytes[$0 + 1] == 13 }
        #expect(places.count == 1)
        try handle.seek(toOffset: UInt64(places[0] + 1))
        try handle.write(contentsOf: [0])
        try handle.close()
        store = try file.open(at: 99)
        var recovery = store.takeRecovery()
        #expect(recovery.interrupted.map(\.action) == ["a", "c"] && recovery.unreadable == 1)
        #expect(store.unreadableRows == 1)
        #expect(try await store.page().records.map(\.action).sorted() == ["a", "c"])
        let ends = recovery.log.events.map { "\($0.name) \($0.number)" }
        #expect(Set(ends).count == 4, "an error and an end of each, with numbers of their own: \(ends)")
        let last = recovery.log.last
        #expect(recovery.log.events.allSatisfy { $0.number < last })
        store.close()
        store = try file.open()
        recovery = store.takeRecovery()
        #expect(recovery.interrupted.isEmpty && recovery.unreadable == 0)
        store.close()
    }

    @Test("a key that is given again refers to the new execution; a long error is shortened")
    func keys() async throws {
        let file = StoreFile()
        func key(_ name: String) -> ExecutionKey { ExecutionKey(name, uid: 1, inputHash: name) }
        let long = String(repeating: "x", count: 10_000)
        var store = try file.open()
        var records: [ExecutionRecord] = []
        for name in ["b", "c", "d"] {
            let record = ExecutionRecord.made(.queued, input: "1")
            records.append(record)
            store.accepted(record, durableInput: name == "d" ? .true : nil, key: key(name))
        }
        let failure = ExecutionError.failed(WorkFailure(message: long))
        store.ended(.made(.failed, id: records[0].id, error: failure), isKeyed: true)
        // The same key for another execution, once the first is forgotten.
        let second = ExecutionRecord.made(.executing)
        store.accepted(second, key: key("c"))
        store.close()
        store = try file.open()
        let recovery = store.takeRecovery()
        #expect(recovery.keyed.map(\.key.text).sorted() == ["b", "c", "d"])
        let given = recovery.keyed.first { $0.key == key("c") }
        #expect(given?.id == second.id && given?.record?.state == .interrupted)
        #expect(recovery.queued.map(\.key) == [key("d")])
        let failed = recovery.keyed.first { $0.key == key("b") }
        #expect((200..<1000).contains(failed?.record?.error?.stored.utf8.count ?? 0))
        store.close()
    }

    @Test("rows that cannot be read are counted and left, and the others come back")
    func unreadable() async throws {
        let file = StoreFile()
        var store = try file.open()
        let ids = (0..<3).map { _ in ExecutionID() }
        for id in ids { store.accepted(.made(.queued, id: id), durableInput: .true) }
        store.set(ManualSwitch(by: .host, since: 1, reason: nil), of: "a")
        store.close()
        try file.look { database in
            try database.execute("UPDATE pending SET whole = '{' WHERE seq = 2")
            try database.execute("UPDATE switches SET origin = '?'")
        }
        for _ in 0..<2 {
            store = try file.open()
            let recovery = store.takeRecovery()
            #expect(recovery.queued.map(\.id) == [ids[0], ids[2]] && recovery.switches.isEmpty)
            #expect(recovery.unreadable == 2 && store.unreadableRows == 2)
            let heard = Heard<StoreError>()
            store.checkInBackground { heard.add($0) }
            #expect(await eventually { heard.values == [.unreadable(path: file.path, rows: 2)] })
            store.close()
        }
    }

    @Test("the list of interrupted executions stays short; the history has all of them")
    func manyInterrupted() async throws {
        let file = StoreFile()
        let count = Recovery.interruptedListed + 5
        var store = try file.open()
        for _ in 0..<count { store.accepted(.made(.queued)) }
        store.close()
        store = try file.open()
        let recovery = store.takeRecovery()
        #expect(recovery.interrupted.count == Recovery.interruptedListed && recovery.interruptedCount == count)
        #expect(try await store.page(limit: count + 1).records.count == count)
        store.close()
    }

    @Test("interrupted executions are announced before their rows are gone, those that have started first")
    func announced() throws {
        let file = StoreFile()
        let ids = (0..<4).map { _ in ExecutionID() }
        var store = try file.open()
        store.accepted(.made(.queued, id: ids[0]))
        store.accepted(.made(.queued, id: ids[1]), durableInput: .true)
        for id in ids[2...] {
            store.accepted(.made(.queued, id: id))
            store.started(id, at: 5)
        }
        store.close()
        var announced: [[ExecutionID]] = []
        for isKilled in [true, false] {
            let copy = StoreFile()
            store = try ExecutionStore(path: file.path, platform: .system) { ids in
                announced.append(ids)
                // What a kill at this moment leaves.
                for suffix in ["", "-wal", "-lock"] {
                    let bytes = try? Disk.system.read(file.path + suffix, Disk.system.size(file.path + suffix) ?? 0)
                    guard let bytes, isKilled else { continue }
                    let descriptor = open(copy.path + suffix, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
                    #expect(write(descriptor, bytes, bytes.count) == bytes.count)
                    close(descriptor)
                }
            } onFailure: {
                Issue.record("\($0)")
            }
            store.close()
            guard isKilled else { continue }
            store = try ExecutionStore(path: copy.path, platform: .system) {
                announced.append($0)
            } onFailure: {
                Issue.record("\($0)")
            }
            #expect(store.takeRecovery().interrupted.map(\.id) == [ids[0], ids[2], ids[3]])
            store.close()
        }
        // Once by each that has found them, and never again.
        #expect(announced == [[ids[2], ids[3], ids[0]], [ids[2], ids[3], ids[0]]])
    }
}
