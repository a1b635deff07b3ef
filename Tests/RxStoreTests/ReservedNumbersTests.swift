import RxPlatform
import Testing
import TestSupport

@testable import RxStore

@Suite("Reserved numbers", .countedApart)
struct ReservedNumbersTests {
    private let file = StoreFile()

    @Test("are not used by the next daemon if this one is killed before the disk has the reservation", .ownThreads)
    func killed() async throws {
        let store = try file.open()
        let log = store.takeRecovery().log
        let more = log.reserved + LogLimits.numbersReserved
        await store.flush()
        store.writes.queue.hang()
        store.reserveNumbers(through: more) { _ in }
        let killed = try file.killed()
        store.writes.queue.resume()
        store.close()
        let next = try killed.open()
        let found = next.takeRecovery().log
        #expect(found.last > more && found.epoch == log.epoch)
        next.close()
    }

    @Test("that are not known give the log another epoch")
    func torn() throws {
        var store = try file.open()
        let log = store.takeRecovery().log
        store.reserveNumbers(through: log.reserved + 5) { _ in }
        store.close()
        do {
            let mapping = try Disk.system.map(file.path + "-lock", CommitMarks.bytes)
            let words = mapping.bytes.bindMemory(to: UInt64.self)
            words[CommitMarks.endsIndex - 1] ^= 1
        }
        store = try file.open()
        let found = store.takeRecovery().log
        #expect(found.epoch != log.epoch && found.earlier[log.epoch] != nil)
        store.close()
        store = try file.open()
        #expect(store.takeRecovery().log.epoch == found.epoch, "once")
        store.close()
    }
}
