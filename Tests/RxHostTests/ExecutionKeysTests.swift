import Dispatch
import Rx
import RxAction
import RxJSON
import RxPlatform
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

@Suite("Keys of executions", .countedApart)
struct ExecutionKeysTests {
    private static let salt = InputSalt(low: 1, high: 2)

    private static func request(
        _ key: String, _ input: String = "null", uid: UInt32 = 1,
        observer: ExecutionEvent.Observer? = nil
    ) -> ObservedRequest {
        ObservedRequest(
            ExecutionRequest(
                input: RawJSON(unchecked: Array(input.utf8)), by: .peer(uid: uid, gid: uid, pid: 1), key: key),
            observer)
    }

    @Test("give a repeated request the same execution with its elements, and another user nothing of it")
    func again() throws {
        let host = Host([Builtin.echo.definition(name: "echo")])
        let action = try #require(host.registry["echo"])
        let first = try host.accept(action, Self.request("k", "1")).get()
        let heard = Heard<String>()
        let second = try host.accept(action, Self.request("k", "1") { heard.add($0.text) }).get()
        #expect(second.execution === first.execution && second.disposition == .joined)
        #expect(heard.values == ["1", "completed"])
        #expect(try host.accept(action, Self.request("k", "1", uid: 2)).get().execution !== first.execution)
        guard case .failure(.keyReused) = host.accept(action, Self.request("k", "2")) else {
            Issue.record("another input was taken")
            return
        }
    }

    @Test("mean the execution that was joined, also after its end")
    func joined() throws {
        let puppet = Puppet()
        var definition = puppet.definition()
        definition.overlap = .join
        let host = Host([definition])
        let action = try #require(host.registry["puppet"])
        let first = try host.execute(action, .own()).get()
        puppet.send("1")
        #expect(try host.accept(action, Self.request("k")).get().execution === first)
        puppet.complete()
        let heard = Heard<String>()
        let again = try host.accept(action, Self.request("k") { heard.add($0.text) }).get()
        #expect(again.execution === first && again.disposition == .joined)
        #expect(heard.values == ["1", "completed"])
        #expect(host.log.executions().count == 1)
    }

    @Test("are free again when the input is refused")
    func refused() throws {
        let puppet = Puppet()
        let host = Host([puppet.definition()])
        let action = try #require(host.registry["puppet"])
        _ = try host.execute(action, .own()).get()
        guard case .failure(.notEnabled) = host.accept(action, Self.request("k")) else {
            Issue.record("it was not refused")
            return
        }
        #expect(host.keys.count == 0)
        puppet.complete()
        #expect(try host.accept(action, Self.request("k", "2")).get().disposition == .started)
    }

    @Test("fail requests that joined an input which is refused after all, and then start another execution")
    func dismissed() throws {
        let host = Host([Builtin.echo.definition(name: "echo")])
        let action = try #require(host.registry["echo"])
        let key = ExecutionKey("k", by: .peer(uid: 1, gid: 1, pid: 1), input: .null, salt: host.inputSalt)
        let request = Self.request("k")
        // What a first thread has done when a second comes.
        let undecided = HostedExecution(
            id: ExecutionID(), action: action, definition: action.currentDefinition, request: request.request, key: key,
            time: 0
        )
        _ = host.keys.claim(key, .null, for: undecided, at: host.platform.monotonicClock.now)
        let heard = Heard<String>()
        let second = try host.accept(action, Self.request("k") { heard.add($0.text) }).get()
        #expect(second.execution === undecided && heard.values.isEmpty)
        undecided.dismiss(own: nil)
        #expect(heard.values == ["failed"] && !undecided.isInFlight)
        // Even if the first has not yet given the key back.
        let third = try host.accept(action, request).get()
        #expect(third.disposition == .started && third.execution !== undecided)
        #expect(try host.accept(action, request).get().execution === third.execution)
        #expect(host.log.inFlight.isEmpty)
    }

    @Test(
        "that two threads give at once start one execution, time and again",
        arguments: [Overlap.queue(limit: 9), .join])
    func twoThreads(_ overlap: Overlap) throws {
        var definition = Builtin.echo.definition(name: "echo")
        definition.overlap = overlap
        let host = Host([definition])
        let action = try #require(host.registry["echo"])
        for round in 0..<2000 {
            let ids = Heard<ExecutionID>()
            let ends = Heard<String>()
            DispatchQueue.concurrentPerform(iterations: 2) { _ in
                let request = Self.request("k\(round)", "7") { if case .ended = $0 { ends.add($0.text) } }
                if case .success(let accepted) = host.accept(action, request) { ids.add(accepted.execution.id) }
            }
            try #require(ids.values.count == 2 && Set(ids.values).count == 1)
            try #require(ends.values == ["completed", "completed"])
        }
        #expect(host.log.inFlight.isEmpty)
    }

    /// Keys of a host on their own, at times that a test sets.
    private struct Claims {
        let host: Host
        let action: HostedAction
        let keys: ExecutionKeys

        init(count: Int, perUser: Int) throws {
            var limits = Host.KeyLimits()
            limits.count = count
            limits.perUser = perUser
            limits.lifetime = .seconds(1)
            host = Host([Builtin.echo.definition(name: "echo")])
            action = try #require(host.registry["echo"])
            keys = ExecutionKeys(limits)
        }

        func claim(
            _ text: String, uid: UInt32 = 1, at milliseconds: Int64, salt: InputSalt = ExecutionKeysTests.salt
        ) -> (HostedExecution, String) {
            let by = Origin.peer(uid: uid, gid: uid, pid: 1)
            let key = ExecutionKey(text, by: by, input: .null, salt: salt)
            let execution = HostedExecution(
                id: ExecutionID(), action: action, definition: action.currentDefinition,
                request: ExecutionKeysTests.request(text, uid: uid).request, key: key, time: 0)
            switch keys.claim(key, .null, for: execution, at: .milliseconds(milliseconds)) {
            case .granted: return (execution, "granted")
            case .known(let known, unstored: _): return (known, "known")
            case .otherInput: return (execution, "other")
            case .full(let limit): return (execution, "full \(limit)")
            case .shareTaken(let limit): return (execution, "share \(limit)")
            }
        }

        func end(_ execution: HostedExecution) {
            host.log.update { _ in execution.record.state = .completed }
        }
    }

    @Test("are promises: one too many is refused, until one has expired whose execution has ended")
    func cap() throws {
        let claims = try Claims(count: 2, perUser: 2)
        let (a, _) = claims.claim("a", at: 0)
        let (b, _) = claims.claim("b", at: 10)
        #expect(claims.claim("c", at: 20).1 == "full 2")
        // Expired, and in flight.
        #expect(claims.claim("a", at: 5000) == (a, "known"))
        #expect(claims.claim("c", at: 5000).1 == "full 2")
        claims.end(b)
        #expect(claims.claim("b", at: 5001).0 !== b)
        claims.end(a)
        #expect(claims.claim("c", at: 5002).1 == "granted")
        #expect(claims.keys.count == 2)
    }

    @Test("of one user leave room for those of others, and are free again when they have expired")
    func share() throws {
        let claims = try Claims(count: 100, perUser: 40)
        for number in 0..<40 {
            let (execution, word) = claims.claim("\(number)", at: 0)
            #expect(word == "granted")
            claims.end(execution)
        }
        #expect(claims.claim("more", at: 1).1 == "share 40")
        #expect(claims.claim("0", at: 1).1 == "known")
        #expect(claims.claim("0", uid: 2, at: 1).1 == "granted")
        // All of them have expired, and not only those that one claim forgets in passing.
        #expect(claims.claim("more", at: 1002).1 == "granted")
        claims.keys.release(ExecutionKey("more", uid: 1, inputHash: ""), of: claims.claim("more", at: 1002).0)
        for number in 0..<40 { #expect(claims.claim("again \(number)", at: 1002).1 == "granted") }
        #expect(claims.claim("more", at: 1002).1 == "share 40")
    }

    @Test("are found by users who have few, and by root to the end, whatever some users take")
    func shares() throws {
        let claims = try Claims(count: 1000, perUser: 250)
        var granted: [UInt32: Int] = [:]
        func take(_ uid: UInt32) {
            for number in 0..<250 where claims.claim("\(number)", uid: uid, at: 0).1 == "granted" {
                granted[uid, default: 0] += 1
            }
        }
        for uid: UInt32 in 1...4 { take(uid) }
        // The fourth leaves a tenth.
        #expect(granted == [1: 250, 2: 250, 3: 250, 4: 150])
        #expect(claims.claim("more", uid: 4, at: 1).1 == "full 1000")
        for uid: UInt32 in 5...6 { take(uid) }
        #expect(granted[5, default: 0] > 40 && granted[6, default: 0] > 20)
        for uid: UInt32 in 7...20 { take(uid) }
        #expect(claims.claim("first", uid: 21, at: 1).1 == "full 1000")
        let left = 1000 - claims.keys.count
        #expect(left >= 10)
        take(0)
        #expect(granted[0] == left && claims.keys.count == 1000)
        #expect(claims.claim("more", uid: 0, at: 1).1 == "full 1000")
    }

    @Test("of ended executions drop the elements of the user who has most")
    func dropped() throws {
        let claims = try Claims(count: 100, perUser: 100)
        let megabyte = 1 << 20
        let (own, _) = claims.claim("own", uid: 1, at: 0)
        #expect(claims.keys.ended(own, bytes: megabyte).isEmpty)
        var dropped: [HostedExecution] = []
        var others: [HostedExecution] = []
        for number in 0..<40 {
            let (other, _) = claims.claim("\(number)", uid: 2, at: 0)
            others.append(other)
            dropped += claims.keys.ended(other, bytes: megabyte)
        }
        #expect(dropped.count > 20 && dropped.elementsEqual(others.prefix(dropped.count), by: ===))
    }

    @Test("of an earlier host are taken over beyond the limits, with their ages, also for an action that comes later")
    func restored() throws {
        let claims = try Claims(count: 1, perUser: 1)
        for (number, hash) in [InputSalt.unsalted(.null), Self.salt.hash(.null), "sother"].enumerated() {
            let key = ExecutionKey("\(number)", uid: 1, inputHash: hash)
            let record = ExecutionRecord.made(.failed, action: "echo")
            claims.keys.restore(
                KeyedExecution(key: key, action: "echo", age: .milliseconds(400), id: record.id, record: record),
                queued: nil, at: .zero)
        }
        #expect(claims.keys.count == 3)
        let (known, word) = claims.claim("0", at: 599)
        #expect(word == "known" && known.record.state == .failed && known.action === claims.action)
        #expect(claims.claim("1", at: 599).1 == "known")
        #expect(claims.claim("2", at: 599).1 == "other")
        #expect(claims.claim("3", at: 599).1 == "full 1")
        #expect(claims.claim("3", at: 601).1 == "granted")
    }

    @Test("of ended executions count their errors: beyond the limit, the oldest keep a short one")
    func longErrors() throws {
        let host = Host([Builtin.fail.definition(name: "a")])
        let action = try #require(host.registry["a"])
        let input = "\"" + String(repeating: "x", count: 14_000) + "\""
        let count = ExecutionKeys.bytesKept / 14_000
        let executions = try (0...count).map { try host.accept(action, Self.request("\($0)", input)).get().execution }
        let costs = executions.map { host.log.record(of: $0).error?.cost ?? 0 }
        #expect(costs.reduce(0, +) < ExecutionKeys.bytesKept && costs[0] < 2048 && costs[count] >= 14_000)
        #expect(costs == costs.sorted())
    }

    @Test("keep a bounded number of ended executions, even of those without an element")
    func bounded() throws {
        var limits = Host.KeyLimits()
        limits.count = 10
        limits.lifetime = .milliseconds(-1)
        let none = ActionDefinition(name: "none", kind: "test", scheduler: .inline, fingerprint: "") { _ in .empty() }
        let host = Host([none], keys: limits)
        let action = try #require(host.registry["none"])
        weak let first = try host.accept(action, Self.request("first")).get().execution
        #expect(first != nil)
        for index in 0..<(ExecutionKeys.bytesKept / ExecutionKeys.bytesPerExecution + 1) {
            _ = try host.accept(action, Self.request("\(index)")).get()
        }
        #expect(first == nil)
    }
}

private func == (left: (HostedExecution, String), right: (HostedExecution, String)) -> Bool {
    left.0 === right.0 && left.1 == right.1
}
