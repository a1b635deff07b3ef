import Dispatch
import Glibc
import Rx
import RxJSON
import RxPlatform
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

@Suite("A store of reactors that cannot write", .countedApart)
struct StateLossTests {
    @Test("leaves no hole: nothing is stored until a snapshot bridges the lost steps", arguments: [true, false])
    func fullDisk(waits: Bool) async throws {
        let failures = Heard<StoreError>()
        let file = ReactorFile()
        let store = try file.open(failures: failures)
        let log = store.log(of: "light", .made(waits ? .sync : .normal))
        var reactor = LoggedReactor(log)
        for _ in 0..<10 { reactor.step() }
        await store.flush()
        try store.limit(pages: 1)
        store.writes.queue.hang()
        let told = Heard<StoreError?>()
        for _ in 0..<10 { reactor.step(padding: 4000) { told.add($0) } }
        store.writes.queue.resume()
        #expect(await eventually { told.values.count == 10 && log.isBehind })
        #expect(told.values.allSatisfy { ($0 == nil) != waits })
        guard case .failed(_, _, let code, _, _)? = failures.values.first, failures.values.count == 1 else {
            Issue.record("reported \(failures.values)")
            return
        }
        #expect(code & 0xFF == 13, "SQLITE_FULL")
        // There would be room for a small step, but it would follow nothing.
        try store.limit(pages: 1_000_000)
        for _ in 0..<3 {
            let refused = Heard<StoreError?>()
            reactor.step { refused.add($0) }
            #expect(refused.values.count == 1 && refused.values.first != .some(nil))
            #expect(log.needsSnapshot)
        }
        #expect(try await log.history().steps.map(\.revision) == Array(1...10))
        let kept = Heard<StoreError?>()
        reactor.snapshot { kept.add($0) }
        // What follows need not wait for it.
        for _ in 0..<5 { reactor.step { kept.add($0) } }
        await store.flush()
        #expect(kept.values == [StoreError?](repeating: nil, count: 6) && !log.isBehind && !log.needsSnapshot)
        #expect(await eventually { failures.values.count == 2 })
        #expect(failures.values.last == .lost(count: 13))
        let page = try await log.history()
        #expect(page.steps.map(\.revision) == Array(1...10) + Array(23...28))
        #expect(page.steps.map(\.cause).compactMap(\.self) == [.loss] && page.steps[10].cause == .loss)
        for revision: UInt64 in 11...22 { #expect(try await log.state(at: revision) == nil) }
        for revision: UInt64 in [10, 23, 28] {
            #expect(try await log.state(at: revision) == LoggedReactor.states(at: revision))
        }
        store.close()
        let again = try file.open()
        #expect(try LoggedReactor(restoring: again.log(of: "light", .made()))?.state == LoggedReactor.states(at: 28))
        again.close()
    }

    @Test("tries again on its own after a while, not at each step, and needs no more than one snapshot")
    func retrying() async throws {
        let file = ReactorFile()
        let store = try file.open(retryDelay: .milliseconds(300))
        let log = store.log(of: "light", .made())
        var reactor = LoggedReactor(log)
        await store.flush()
        try store.limit(pages: 1)
        reactor.step(padding: 100_000)
        #expect(await eventually { log.isBehind })
        var tries = 0
        let start = ContinuousClock.now
        while tries == 0 || ContinuousClock.now - start < .milliseconds(700) {
            reactor.step(padding: 100_000)
            guard log.needsSnapshot else { continue }
            tries += 1
            reactor.snapshotLarge()
        }
        #expect(tries <= 1 + Int((ContinuousClock.now - start) / .milliseconds(300)))
        try store.limit(pages: 1_000_000)
        #expect(
            await eventually {
                reactor.stepAsHosted()
                return !log.isBehind
            })
        store.close()
        let again = try file.open()
        let restored = try #require(try LoggedReactor(restoring: again.log(of: "light", .made())))
        #expect(restored.revision == reactor.revision && restored.state == reactor.state)
        again.close()
    }

    @Test("reports the reason of the first loss to all later steps")
    func reason() {
        var progress = LogProgress(of: "light", isKept: true, retryDelay: .seconds(60), clock: .system)
        let full = StoreError.failed(doing: "COMMIT", path: "/reactors.db", code: 13, message: "full", errno: 0)
        for _ in 1...3 { #expect(progress.append(bytes: 1) == nil) }
        progress.stepFailed(1, full)
        progress.stepFailed(2, .outOfOrder(reactor: "light", revision: 2, newest: 0))
        #expect(progress.append(bytes: 1) == full)
        progress.stepFailed(3, .closed)
        #expect(progress.append(bytes: 1) == .closed)
    }

    @Test("refuses a step beyond its memory limit, and all later steps of that reactor until a snapshot")
    func overloaded() async throws {
        let failures = Heard<StoreError>()
        let file = ReactorFile()
        let limit = 100_000
        let store = try file.open(waitingBytes: limit, failures: failures)
        var light = LoggedReactor(store.log(of: "light", .made()))
        var other = LoggedReactor(store.log(of: "other", .made()))
        await store.flush()
        store.writes.queue.hang()
        let told = Locked<[StoreError??]>(Array(repeating: nil, count: 200))
        for index in 0..<200 { light.step(padding: 1000) { error in told.withLock { $0[index] = .some(error) } } }
        // With much pending, the completion is called when the step is written.
        #expect((2..<10).contains(told.withLock { $0.prefix { $0 != nil }.count }))
        #expect(light.log.isBehind && !other.log.isBehind)
        store.writes.queue.resume()
        #expect(await eventually { told.withLock { !$0.contains { $0 == nil } } })
        let outcomes = told.withLock { $0.map { $0 ?? .closed } }
        let taken = UInt64(outcomes.prefix { $0 == nil }.count)
        #expect((50..<100).contains(taken) && store.lostWrites == 200 - Int(taken))
        #expect(outcomes.dropFirst(Int(taken)).allSatisfy { $0 == .overloaded(limit: limit) })
        #expect(await eventually { failures.values == [.overloaded(limit: limit), .lost(count: 200 - Int(taken))] })
        other.step()
        light.step()
        light.stepAsHosted()
        await store.flush()
        #expect(!light.log.isBehind)
        store.close()
        let again = try file.open()
        #expect(try LoggedReactor(restoring: again.log(of: "light", .made()))?.state == light.state)
        #expect(
            try await again.log(of: "light", .made()).history().steps.map(\.revision) == Array(1...taken) + [202])
        #expect(try LoggedReactor(restoring: again.log(of: "other", .made()))?.state == other.state)
        again.close()
    }

    @Test(
        "a step or snapshot that does not follow the newest revision is refused, and any without a start"
    )
    func outOfOrder() async throws {
        let file = ReactorFile()
        let store = try file.open()
        let log = store.log(of: "light", .made(.sync))
        let first = await outcome { log.append(.made(1), completion: $0) }
        #expect(first == .outOfOrder(reactor: "light", revision: nil, newest: nil))
        log.snapshot(JSONState([]), revision: 4, time: 0, fingerprint: "")
        #expect(await outcome { log.append(.made(5), completion: $0) } == nil)
        for revision: UInt64 in [5, 7] {
            let refused = await outcome { log.append(.made(revision), completion: $0) }
            #expect(refused == .outOfOrder(reactor: "light", revision: revision, newest: 5))
            #expect(log.isBehind)
            #expect(
                await outcome { completion in
                    log.snapshot(JSONState([]), revision: 5, time: 0, fingerprint: "", completion: completion)
                } == nil)
        }
        let past = await outcome { completion in
            log.snapshot(JSONState([]), revision: 4, time: 0, fingerprint: "", completion: completion)
        }
        #expect(past == .outOfOrder(reactor: "light", revision: 4, newest: 5))
        let same = await outcome { completion in
            log.replace(with: JSONState([]), revision: 5, time: 0, fingerprint: "", completion: completion)
        }
        #expect(same == .outOfOrder(reactor: "light", revision: 5, newest: 5))
        store.close()
    }

    @Test("a snapshot that was not needed yet may fail: steps continue, and it is requested again")
    func failedSnapshot() {
        let failure = StoreError.closed
        var progress = LogProgress(of: "light", isKept: true, retryDelay: .zero, clock: .system)
        #expect(progress.append(bytes: LogProgress.leastBytes) == nil && progress.needsSnapshot)
        progress.snapshot(at: 1)
        #expect(progress.append(bytes: 1) == nil && !progress.needsSnapshot)
        progress.snapshotEnded(1, failure)
        #expect(progress.needsSnapshot && !progress.isBehind && progress.append(bytes: 1) == nil)
        // With a delay it is due when that has passed.
        let time = Locked(Duration.zero)
        progress = LogProgress(
            of: "light", isKept: true, retryDelay: .seconds(1000), clock: MonotonicClock { time.withLock { $0 } })
        progress.snapshot(at: 1)
        progress.snapshotEnded(1, failure)
        #expect(!progress.needsSnapshot && !progress.isBehind && progress.append(bytes: 1 << 30) == nil)
        time.withLock { $0 = .seconds(999) }
        #expect(!progress.needsSnapshot)
        time.withLock { $0 = .seconds(1000) }
        #expect(progress.needsSnapshot)
    }

    @Test("a snapshot makes up for steps before it that failed only now, not for those after it")
    func lateFailures() {
        let failure = StoreError.closed
        var progress = LogProgress(of: "light", isKept: true, retryDelay: .zero, clock: .system)
        progress.snapshot(at: 5)
        progress.stepFailed(5, failure)
        #expect(progress.append(bytes: 1) == nil && progress.isBehind)
        var failed = progress
        progress.snapshotEnded(5, nil)
        #expect(!progress.isBehind && !progress.needsSnapshot)
        failed.snapshotEnded(5, failure)
        #expect(failed.isBehind && failed.needsSnapshot && failed.append(bytes: 1) == failure)
        failed.snapshot(at: 6)
        failed.stepFailed(7, failure)
        failed.snapshotEnded(6, nil)
        #expect(failed.isBehind && failed.append(bytes: 1) == failure && failed.needsSnapshot)
        failed.snapshot(at: 8)
        failed.snapshotEnded(6, failure)
        #expect(
            !failed.needsSnapshot && failed.append(bytes: 1) == nil, "an earlier one ends after a later was asked for")
    }
}
