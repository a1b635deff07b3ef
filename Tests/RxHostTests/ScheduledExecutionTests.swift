import Rx
import RxAction
import RxJSON
import RxPlatform
import TestSupport
import Testing

@testable import RxHost
@testable import RxRecords
@testable import RxStore

/// A clock whose times come when the test advances it.
private final class ManualTimes: StartTimes {
    private let calls = Locked<[Int: (time: Int64, body: @Sendable () -> Void)]>([:])

    func schedule(at time: Int64, _ body: @escaping @Sendable () -> Void) -> any Disposable {
        let number = calls.withLock { calls in
            let number = (calls.keys.max() ?? 0) + 1
            calls[number] = (time, body)
            return number
        }
        return Disposables.create { self.calls.withLock { $0[number] = nil } }
    }

    var times: [Int64] { calls.withLock { $0.values.map(\.time).sorted() } }

    func come() {
        let due = calls.withLock { calls in
            defer { calls = [:] }
            return calls.values.sorted { $0.time < $1.time }
        }
        for call in due { call.body() }
    }
}

@Suite("An execution that waits for a time", .countedApart)
struct ScheduledExecutionTests {
    private let file = StoreFile()
    private let puppet = Puppet()
    private let times = ManualTimes()

    private func definition(_ fingerprint: String = "") -> ActionDefinition {
        var definition = puppet.definition()
        definition.keepsHistory = true
        definition.fingerprint = fingerprint
        return definition
    }

    private func host(
        _ store: ExecutionStore?, at time: Int64 = 1_000, _ definitions: [ActionDefinition]? = nil
    ) -> Host {
        let host = Host(
            definitions ?? [definition()], store: store, platform: Platform(wallClock: WallClock { time }))
        host.start(by: times)
        return host
    }

    private static func request(at time: Int64, uid: UInt32 = 1000, key: String? = nil) -> ExecutionRequest {
        var request = ExecutionRequest(input: RawJSON(7), by: .peer(uid: uid, gid: 100, pid: 1), key: key)
        request.dueAt = time
        return request
    }

    @Test("leaves its action idle until then, starts once, and is listed with its time")
    func starts() async throws {
        let store = try file.open()
        let host = host(store)
        let action = try #require(host.registry["puppet"])
        let accepted = try host.accept(action, Self.request(at: 5_000)).get()
        let kept = Heard<Bool>()
        accepted.whenKept { if case .success = $0 { kept.add(true) } }
        #expect(await eventually { kept.values == [true] })
        #expect(accepted.disposition == .scheduled && times.times == [5_000])
        let idle = Heard<Int>()
        _ = action.whenIdle { idle.add(1) }
        #expect(idle.values == [1] && action.levels.value.queued == 0)
        let record = host.log.record(of: accepted.execution)
        #expect(record.state == .queued && record.dueAt == 5_000 && record.startedAt == nil)
        #expect(host.scheduledTimes == ["puppet": 5_000])
        #expect(host.scheduled(of: action).map(\.execution.id) == [accepted.execution.id])
        times.come()
        #expect(await eventually { puppet.subject.hasObservers })
        #expect(host.scheduledTimes.isEmpty && host.scheduled(of: action).isEmpty)
        puppet.complete()
        #expect(await eventually { host.log.inFlight.isEmpty })
        await store.flush()
        let records = try await store.page().records
        #expect(records.map(\.state) == [.completed] && records.first?.dueAt == 5_000)
        store.close()
    }

    @Test("waits until its action takes an input")
    func waits() async throws {
        let host = host(nil)
        let action = try #require(host.registry["puppet"])
        let first = try host.accept(action, ExecutionRequest(input: .null, by: .host)).get()
        let second = try host.accept(action, Self.request(at: 5_000)).get()
        #expect(await eventually { first.execution.isInFlight && puppet.subject.hasObservers })
        times.come()
        #expect(action.levels.value.queued == 1)
        puppet.complete()
        #expect(await eventually { !first.execution.isInFlight })
        #expect(await eventually { host.log.record(of: second.execution).startedAt != nil })
    }

    @Test("is canceled for good, also for the next host")
    func cancels() async throws {
        let store = try file.open()
        let host = host(store)
        let action = try #require(host.registry["puppet"])
        let accepted = try host.accept(action, Self.request(at: 5_000)).get()
        let ends = Heard<String>()
        accepted.execution.observe { if case .ended(let error) = $0 { ends.add(error?.name.rawValue ?? "") } }
        accepted.execution.cancel(by: .peer(uid: 1000, gid: 100, pid: 2))
        #expect(await eventually { ends.values == ["cancelled"] })
        #expect(times.times.isEmpty && host.log.inFlight.isEmpty)
        await store.flush()
        store.close()
        let next = try file.open()
        let recovery = self.host(next).resume()
        #expect(recovery.queued.isEmpty && recovery.interruptedCount == 0 && times.times.isEmpty)
        #expect(try await next.page().records.map(\.state) == [.cancelled])
        next.close()
    }

    @Test("survives the host: it waits on if its time is to come, and starts at once if it has passed")
    func survives() async throws {
        let store = try file.open()
        let first = host(store)
        let action = try #require(first.registry["puppet"])
        let early = try first.accept(action, Self.request(at: 2_000)).get().execution.id
        let late = try first.accept(action, Self.request(at: 9_000, key: "k")).get().execution.id
        let stopped = Heard<Int>()
        first.stop { stopped.add(1) }
        #expect(await eventually { stopped.values == [1] })
        await store.flush()
        store.close()
        #expect(times.times.isEmpty)
        let next = try file.open()
        let second = host(next, at: 3_000)
        #expect(second.resume().queued.map(\.dueAt) == [2_000, 9_000])
        #expect(await eventually { puppet.subject.hasObservers })
        #expect(second.log.record(of: try #require(second.execution(early))).state == .executing)
        #expect(second.log.record(of: try #require(second.execution(late))).state == .queued)
        #expect(times.times == [9_000])
        let again = try second.accept(try #require(second.registry["puppet"]), Self.request(at: 9_000, key: "k")).get()
        #expect(again.disposition == .joined && again.execution.id == late)
        next.close()
    }

    @Test("is one of at most so many of a user")
    func limits() throws {
        let host = host(nil)
        let action = try #require(host.registry["puppet"])
        for _ in 0..<ScheduledExecutions.perUser { _ = try host.accept(action, Self.request(at: 5_000)).get() }
        guard
            case .failure(.tooManyScheduledOfUser(ScheduledExecutions.perUser)) =
                host.accept(action, Self.request(at: 5_000))
        else {
            Issue.record("it is not refused")
            return
        }
        let other = try host.accept(action, Self.request(at: 5_000, uid: 1001)).get()
        #expect(other.disposition == .scheduled)
        host.log.inFlight.first { $0.id != other.execution.id }?.cancel(by: nil)
        #expect(try host.accept(action, Self.request(at: 5_000)).get().disposition == .scheduled)
    }

    @Test("finds a place although some users have all that they may")
    func shares() throws {
        let host = host(nil)
        let action = try #require(host.registry["puppet"])
        func take(_ uid: UInt32) -> Int {
            var taken = 0
            while taken < ScheduledExecutions.perUser,
                case .success = host.accept(action, Self.request(at: 5_000, uid: uid))
            {
                taken += 1
            }
            return taken
        }
        for uid: UInt32 in 1...9 { #expect(take(uid) == ScheduledExecutions.perUser) }
        #expect(take(10) == 450)
        #expect(take(11) == 225)
        guard
            case .failure(.tooManyScheduled(ScheduledExecutions.most)) =
                host.accept(action, Self.request(at: 5_000, uid: 10))
        else {
            Issue.record("it is not refused")
            return
        }
        #expect(take(0) == 325)
    }

    private func after(_ target: ExecutionRequest.After.Target, ifCompleted: Bool = false) -> ExecutionRequest {
        var request = ExecutionRequest(input: RawJSON(8), by: .peer(uid: 1000, gid: 100, pid: 1))
        request.after = ExecutionRequest.After(target, ifCompleted: ifCompleted)
        return request
    }

    @Test("that waits for an end counts as work of its action, and starts once all of them have come, and its time")
    func waitsForEnds() async throws {
        let other = Puppet()
        let host = host(nil, [definition(), other.definition(name: "other")])
        let (action, awaited) = (try #require(host.registry["puppet"]), try #require(host.registry["other"]))
        let first = try host.accept(awaited, ExecutionRequest(input: .null, by: .host)).get()
        let waiting = try host.accept(action, after(.action(awaited))).get()
        var timed = after(.execution(first.execution))
        timed.dueAt = 5_000
        let later = try host.accept(action, timed).get()
        #expect(waiting.disposition == .queued && later.disposition == .scheduled)
        let idle = Heard<Int>()
        _ = action.whenIdle { idle.add(1) }
        #expect(idle.values.isEmpty)
        #expect(host.log.record(of: waiting.execution).state == .queued && !puppet.subject.hasObservers)
        #expect(await eventually { other.subject.hasObservers })
        other.complete()
        #expect(await eventually { puppet.subject.hasObservers })
        #expect(host.log.record(of: later.execution).startedAt == nil)
        puppet.complete()
        #expect(await eventually { idle.values == [1] })
        #expect(host.log.record(of: waiting.execution).state == .completed)
        times.come()
        #expect(await eventually { host.log.record(of: later.execution).startedAt != nil })
    }

    @Test("that waits for an end is refused beyond the limits, and an end that is no acceptance ends the wait")
    func endLimits() async throws {
        var definition = definition()
        definition.overlap = .queue(limit: 2_000)
        let host = host(nil, [definition, puppet.definition(name: "other")])
        let (action, other) = (try #require(host.registry["puppet"]), try #require(host.registry["other"]))
        for _ in 0...ScheduledExecutions.awaitedByOne {
            _ = try host.accept(action, ExecutionRequest(input: .null, by: .host)).get()
        }
        guard
            case .failure(.tooManyAwaited(ScheduledExecutions.awaitedByOne)) =
                host.accept(other, after(.action(action)))
        else {
            Issue.record("it is not refused")
            return
        }
        #expect(host.log.inFlight.count == ScheduledExecutions.awaitedByOne + 1)
        let last = try #require(host.log.inFlight.max { $0.id < $1.id })
        let waiting = try host.accept(other, after(.execution(last), ifCompleted: true)).get()
        last.cancel(by: nil)
        #expect(await eventually { !waiting.execution.isInFlight })
        let error = host.log.record(of: waiting.execution).error.map { "\($0)" }
        #expect(error == "not started: \(last.id), which had to complete before, has ended as cancelled")
    }

    @Test("is refused by a host without a clock")
    func noClock() throws {
        let host = Host([definition()])
        let action = try #require(host.registry["puppet"])
        guard case .failure(.cannotSchedule) = host.accept(action, Self.request(at: 5_000)) else {
            Issue.record("it is not refused")
            return
        }
        #expect(host.log.inFlight.isEmpty)
    }

    @Test("starts under the definition of that time: it fails if that refuses the input, or if there is none any more")
    func redefined() async throws {
        let host = host(nil, [definition("1"), puppet.definition(name: "gone")])
        let ids = try ["puppet", "gone"].map { name in
            try host.accept(try #require(host.registry[name]), Self.request(at: 5_000)).get().execution.id
        }
        var changed = definition("2")
        changed.validate = { _ in [InputFault(path: "/n", message: "must be less")] }
        _ = host.reload([changed])
        times.come()
        #expect(await eventually { host.log.inFlight.isEmpty })
        let messages = try ids.map { id in
            host.log.record(of: try #require(host.execution(id))).error.map { "\($0)" }
        }
        #expect(
            messages == [
                "the action has changed, and refuses the input: /n must be less",
                "the action is no longer configured",
            ])
    }
}
