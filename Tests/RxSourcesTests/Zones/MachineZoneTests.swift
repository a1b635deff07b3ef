import Glibc
import RxLoop
import RxPlatform
import RxTime
import Synchronization
import TestSupport
import Testing

@testable import RxSources

@Suite("The machine's zone", .ownThreads)
struct MachineZoneTests {
    private let files = TemporaryDirectory()

    private func machineZone() -> MachineZone {
        let (path, system) = (files.path + "/localtime", ZoneFiles.system())
        return MachineZone { () throws(ZoneFault) in
            guard let name = readText(path) else { return .utc }
            return try system.zone(named: name)
        }
    }

    @Test("is UTC, with a fault, until it can be read, and stays as it was when it cannot be read later")
    func faults() {
        files.write("localtime", "Nowhere/None")
        let zone = machineZone()
        #expect(zone.rules == .utc)
        #expect(zone.fault == .unknown("Nowhere/None"))
        files.write("localtime", "Europe/Berlin")
        zone.reread()
        #expect(zone.rules.name == "Europe/Berlin")
        #expect(zone.fault == nil)
        files.write("localtime", "Nowhere/None")
        zone.reread()
        #expect(zone.rules.name == "Europe/Berlin")
        #expect(zone.fault != nil)
    }

    @Test("is read again when its file is replaced, and observers are called if it has changed")
    func watched() async throws {
        files.write("localtime", "Europe/Berlin")
        let zone = machineZone()
        let loop = try EventLoop()
        let watch = try LocaltimeWatch(zone, directory: files.path, name: "localtime", loop: loop)
        loop.start(name: "test-zone")
        let changes = Mutex(0)
        let observer = zone.observe(on: Queues.system.shared) { changes.withLock { $0 += 1 } }
        files.write("other", "text")
        files.write("next", "Asia/Tokyo")
        #expect(rename(files.path + "/next", files.path + "/localtime") == 0)
        #expect(await eventually { changes.withLock { $0 } == 1 })
        #expect(zone.rules.name == "Asia/Tokyo")
        // As `ln -sf` does it.
        unlink(files.path + "/localtime")
        files.write("localtime", "Europe/Paris")
        #expect(await eventually { changes.withLock { $0 } == 2 })
        #expect(zone.rules.name == "Europe/Paris")
        zone.remove(observer)
        loop.execute { watch.cancel() }
        loop.stop()
        loop.join()
    }

    @Test("cannot be watched in a directory that does not exist")
    func noDirectory() throws {
        let loop = try EventLoop()
        #expect(throws: SystemCallError.self) {
            try LocaltimeWatch(machineZone(), directory: files.path + "/none", loop: loop)
        }
    }
}
