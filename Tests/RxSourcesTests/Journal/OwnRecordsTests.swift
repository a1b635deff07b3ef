import Glibc
import RxPlatform
import Testing

@testable import RxSources

struct OwnRecordsTests {
    @Test("a daemon that is a service has all records of the service, also of earlier processes")
    func service() {
        let own = OwnRecords(unit: "rxd.service", userUnit: nil, pid: "7", uid: "998", since: 1000)
        #expect(own.contain(origin(unit: "rxd.service", pid: "7")))
        #expect(own.contain(origin(unit: "rxd.service", pid: "8", at: 1)))
        #expect(!own.contain(origin(unit: "nginx.service", pid: "9")))
        // What systemd writes about the service.
        #expect(!own.contain(origin(unit: "init.scope", pid: "1")))
        #expect(!own.contain(origin(unit: nil, pid: nil)))
    }

    @Test("a user's daemon has those of its own user's service")
    func userService() {
        let own = OwnRecords(unit: "user@1000.service", userUnit: "rxd.service", pid: "7", uid: "998", since: 1000)
        #expect(own.contain(origin(unit: "user@1000.service", userUnit: "rxd.service", pid: "8")))
        #expect(!own.contain(origin(unit: "user@1001.service", userUnit: "rxd.service", pid: "8")))
        #expect(!own.contain(origin(unit: "user@1000.service", userUnit: "other.service", pid: "8")))
    }

    @Test("a daemon that is no service has those of its process, but not of another with its pid before")
    func process() {
        let own = OwnRecords(unit: nil, userUnit: nil, pid: "7", uid: "998", since: 1000)
        #expect(own.contain(origin(unit: "session-1.scope", pid: "7")))
        #expect(!own.contain(origin(unit: "session-1.scope", pid: "8")))
        #expect(!own.contain(origin(unit: nil, pid: "7", at: 999)))
        #expect(OwnRecords.ofThisProcess(clock: .system).pid == String(getpid()))
    }

    @Test("a process whose unit journald does not know is the service's if the service has a user of its own")
    func unknownUnit() {
        let own = OwnRecords(unit: "rxd.service", userUnit: nil, pid: "7", uid: "998", since: 1000)
        #expect(own.contain(origin(unit: nil, pid: "8", uid: "998")))
        #expect(!own.contain(origin(unit: nil, pid: "8", uid: "0")))
        #expect(!own.contain(origin(unit: "cron.service", pid: "8", uid: "998")))
        let root = OwnRecords(unit: "rxd.service", userUnit: nil, pid: "7", uid: "0", since: 1000)
        #expect(!root.contain(origin(unit: nil, pid: "8", uid: "0")))
        let person = OwnRecords(unit: "user@1.service", userUnit: "rxd.service", pid: "7", uid: "1", since: 1000)
        #expect(!person.contain(origin(unit: nil, pid: "8", uid: "1")))
    }

    private func origin(
        unit: String?, userUnit: String? = nil, pid: String?, uid: String = "1", at time: UInt64 = 1000
    ) -> JournalOrigin {
        JournalOrigin(unit: unit, userUnit: userUnit, pid: pid, uid: uid, microseconds: time)
    }
}
