import Dispatch
import Rx
import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

@Suite("A hosted action", .countedApart)
struct HostedActionTests {
    @Test("that two threads switch at once has the state of the last switch, which is the stored one")
    func switching() async throws {
        let file = StoreFile()
        let store = try file.open()
        let host = Host([Builtin.echo.definition(name: "echo")], store: store)
        let action = try #require(host.registry["echo"])
        for round in 0..<1000 {
            let told = Heard<StoreError?>()
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                let manual = index == 0 ? nil : ManualSwitch(by: .host, since: Int64(round), reason: nil)
                host.set(manual, of: action) { told.add($0) }
            }
            try #require(await eventually { told.values.count == 2 })
            let enabled = host.log.snapshot(of: [action]).levels[0].enabled
            let kept = try file.look { database in
                try database.integer("SELECT EXISTS(SELECT 1 FROM switches WHERE since = \(round))") == 1
            }
            switch enabled.reason {
            case nil: try #require(!kept)
            case .manual: try #require(kept)
            case let reason: Issue.record("\(String(describing: reason))")
            }
            guard case (.success, true) = (host.execute(action, .own()), enabled.isEnabled) else {
                try #require(!enabled.isEnabled)
                continue
            }
        }
        store.close()
    }

    @Test("is off, with its origin as the reason, while an execution continues, and as before when it is on again")
    func whileExecuting() throws {
        let puppet = Puppet()
        let host = Host([puppet.definition()])
        let action = try #require(host.registry["puppet"])
        let execution = try host.execute(action, .own()).get()
        let manual = ManualSwitch(by: .host, since: 1, reason: "because")
        let levels = { host.log.snapshot(of: [action]).levels[0] }
        host.set(manual, of: action) { _ in }
        #expect(levels().enabled.reason == .manual(manual) && levels().executing)
        host.set(nil, of: action) { _ in }
        guard case .executing(execution.id, since: _, by: _, inFlight: 1, limit: 1)? = levels().enabled.reason else {
            Issue.record("\(String(describing: levels().enabled.reason))")
            return
        }
        host.set(manual, of: action) { _ in }
        puppet.complete()
        #expect(levels().enabled.reason == .manual(manual) && !levels().executing)
        host.reload([puppet.definition(fingerprint: "2")])
        #expect(levels().enabled.reason == .manual(manual))
        host.set(nil, of: action) { _ in }
        #expect(levels().enabled.isEnabled)
    }

    @Test("is not idle while an accepted input has not published its start")
    func idle() throws {
        let puppet = Puppet()
        let host = Host([puppet.definition()])
        let action = try #require(host.registry["puppet"])
        let heard = Heard<String>()
        let first = try host.execute(
            action,
            .own { event in
                guard case .ended = event else { return }
                // Accepted while the end of the first one is delivered; its own events follow that.
                if case .failure(let refusal) = host.execute(action, .own()) { heard.add("\(refusal)") }
                _ = action.whenIdle { heard.add("idle") }
            }
        ).get()
        first.cancel(by: .host)
        #expect(host.log.inFlight.count == 1 && heard.values == [])
        host.log.inFlight.first?.cancel(by: .host)
        #expect(heard.values == ["idle"])
    }

    @Test("that is removed by a reload executes nothing, not even inline work")
    func removed() throws {
        let host = Host([Builtin.echo.definition(name: "echo")])
        let action = try #require(host.registry["echo"])
        #expect(host.executeBriefly(action, .null, by: .host) != nil)
        host.reload([])
        #expect(host.executeBriefly(action, .null, by: .host) == nil)
        host.reload([Builtin.echo.definition(name: "echo")])
        #expect(host.executeBriefly(action, .null, by: .host) != nil)
    }
}
