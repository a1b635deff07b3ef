import Dispatch
import Glibc
import Rx
import RxJSON
import RxReactor
import TestSupport
import Testing

@testable import RxHost
@testable import RxRecords
@testable import RxStore

/// For each thread, the number that it sent last, then how many came, then how many came out of order.
private final class Tally: Reactor {
    static let threads = 8

    typealias Action = Int
    typealias Mutation = Int
    typealias State = [Int]

    let initialState = [Int](repeating: 0, count: threads + 2)
    let store = Store()

    func mutate(action: Int) -> Observable<Int> { .just(action) }

    func reduce(state: [Int], mutation: Int) -> [Int] {
        var state = state
        let (thread, number) = (mutation % Tally.threads, mutation / Tally.threads)
        if number <= state[thread] { state[Tally.threads + 1] += 1 }
        state[thread] = number
        state[Tally.threads] += 1
        return state
    }
}

extension ReactorCoding<Tally> {
    fileprivate static let tally = ReactorCoding(
        action: { json throws(InputFault) in
            guard let number = json.value().int else { throw InputFault(path: "", message: "must be a number") }
            return number
        },
        mutation: { RawJSON(JSONValue($0)) },
        replayed: { $0.value().int },
        state: { JSONState(.array($0.map { JSONValue($0) })) },
        restored: { $0.array?.compactMap(\.int) })
}

/// All that happens to a hosted reactor at once; its threads end when the dispatching ones have.
private final class ReactorStorm: Sendable {
    struct Answers {
        var done = 0
        var stopping = 0
        /// Not stored.
        var lost = 0
        var others: [String] = []
        /// By thread: revisions must grow.
        var revisions = [UInt64](repeating: 0, count: Tally.threads)
        var backwards = 0

        var count: Int { done + stopping + lost + others.count }
    }

    /// The state as a reader sees it that watches from the beginning.
    struct Seen {
        var revision: UInt64 = 0
        var state = JSONValue.null
        var events = 0
        var patches = 0
        var wrong: [String] = []
    }

    let host: Host
    let reactor: HostedReactor
    let answers = Locked(Answers())
    let seen = Locked(Seen())
    let reloads = Locked(0)
    private let persistence: ReactorPersistence?
    private let store: StateStore?
    /// Whether the disk fails again and again.
    private let breaks: Bool
    private let isOver = Locked(false)
    /// The reloads that may come while one is made; with more, nothing but reloads would ever happen.
    private let mayReload = DispatchSemaphore(value: 0)

    init(_ persistence: ReactorPersistence?, _ store: StateStore?, breaks: Bool) throws {
        self.persistence = persistence
        self.store = store
        self.breaks = breaks
        host = Host(reactors: [ReactorStorm.definition(0, persistence)], stateStore: store)
        try host.startReactors()
        reactor = try #require(host.registry.reactor("tally"))
    }

    private static func definition(_ number: Int, _ persistence: ReactorPersistence?) -> ReactorDefinition {
        var definition = ReactorDefinition(
            name: "tally", kind: "test", fingerprint: "tally \(number)", coding: .tally, make: { Tally() })
        definition.persistence = persistence
        return definition
    }

    /// - Parameter stop: after so many of its dispatches one thread stops the host.
    func run(each: Int, stopAfter stop: Int? = nil) async {
        let (dispatching, others) = (DispatchGroup(), DispatchGroup())
        // One thread takes the events, as a server's loop does.
        let told = DispatchSemaphore(value: 0)
        host.log.setListener { told.signal() }
        _ = host.log.open(.named([reactor]), .all, from: .now)
        for _ in 0..<2 { mayReload.signal() }
        onThread(others) { [self] in
            while true {
                let isLast = isOver.withLock { $0 }
                drain()
                if isLast { return }
                told.wait()
            }
        }
        for _ in 0..<2 { onThread(others) { [self] in watch() } }
        onThread(others) { [self] in reload() }
        if breaks { onThread(others) { [self] in breakDisk() } }
        for thread in 0..<Tally.threads {
            onThread(dispatching) { [self] in
                for number in 1...each {
                    if thread == 0, number == stop { host.stop {} }
                    dispatch(number, thread)
                    // States that nobody takes are dropped, so on a busy machine a reader that begins late sees none.
                    while seen.withLock({ $0.events == 0 }) { sched_yield() }
                    // Else all dispatches would be on their way before the first fault.
                    while breaks, answers.withLock({ $0.count + 8 * Tally.threads < number * Tally.threads }) {
                        usleep(20)
                    }
                }
            }
        }
        await withCheckedContinuation { continuation in dispatching.notify(queue: .global()) { continuation.resume() } }
        isOver.withLock { $0 = true }
        told.signal()
        mayReload.signal()
        await withCheckedContinuation { continuation in others.notify(queue: .global()) { continuation.resume() } }
    }

    private func dispatch(_ number: Int, _ thread: Int) {
        reactor.dispatch(RawJSON(JSONValue(number * Tally.threads + thread)), by: .host) { [answers] result in
            answers.withLock { answers in
                switch result {
                case .success(let revision):
                    answers.done += 1
                    if revision <= answers.revisions[thread] { answers.backwards += 1 }
                    answers.revisions[thread] = revision
                case .failure(.stopping): answers.stopping += 1
                case .failure(.notKept): answers.lost += 1
                case .failure(let refusal): answers.others.append("\(refusal)")
                }
            }
        }
    }

    private func drain() {
        let (events, skippedFrom) = host.log.drain()
        if skippedFrom != nil { host.log.goOn() }
        for event in events {
            if case .changed = event.change { mayReload.signal() }
            guard case .state(let revision) = event.change, let content = revision.content else { continue }
            let state = content.state.tree
            seen.withLock { seen in
                if revision.number <= seen.revision { seen.wrong.append("\(revision.number) after \(seen.revision)") }
                if let patch = content.patch, seen.events > 0, revision.number == seen.revision + 1 {
                    try? patch.apply(to: &seen.state)
                    seen.patches += 1
                    if seen.state != state { seen.wrong.append("the patch to \(revision.number)") }
                }
                (seen.revision, seen.state) = (revision.number, state)
                seen.events += 1
            }
        }
    }

    /// Comes, looks and goes.
    private func watch() {
        while !isOver.withLock({ $0 }) {
            guard case .success(let opening) = host.log.open(.named([reactor]), .state, from: .now) else { continue }
            reactor.watchPatches(1)
            let last = Locked(Int.min)
            let subscription = host.listen(toStatesOf: "tally") { [seen, breaks] state in
                // How many came: never fewer than before.
                let count = state.tree.array?[Tally.threads].int ?? -1
                let before = last.withLock { last in
                    defer { last = count }
                    return last
                }
                if count < before, !breaks { seen.withLock { $0.wrong.append("heard \(count) after \(before)") } }
            }
            if case .reactor(let levels)? = opening.levels.first, reactor.now.revision < levels.revision {
                seen.withLock { $0.wrong.append("a snapshot of what was not there yet") }
            }
            subscription.dispose()
            reactor.watchPatches(-1)
            host.log.unwatch(.named([reactor]))
        }
    }

    /// Lets a few dispatches succeed between two faults, and some fail in each.
    private func breakDisk() {
        var (isBroken, before) = (false, Answers())
        while true {
            let isLast = isOver.withLock { $0 }
            let now = answers.withLock { $0 }
            guard isLast || (isBroken ? now.lost > before.lost : now.done >= before.done + 40) else {
                usleep(50)
                continue
            }
            before = now
            isBroken = !isBroken && !isLast
            do {
                try store?.disk(fails: isBroken)
            } catch {
                Issue.record(error)
            }
            if isLast { return }
        }
    }

    private func reload() {
        while true {
            mayReload.wait()
            if isOver.withLock({ $0 }) { return }
            let number = reloads.withLock { reloads in
                reloads += 1
                return reloads
            }
            host.reload([], reactors: [ReactorStorm.definition(number % 3, persistence)])
        }
    }
}

/// On a thread of its own: those of Dispatch are few, and some of these never rest.
private func onThread(_ group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
    final class Body: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    group.enter()
    let entered = Body {
        body()
        group.leave()
    }
    var thread = pthread_t()
    let failure = pthread_create(
        &thread, nil,
        { argument in
            Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().body()
            return nil
        }, Unmanaged.passRetained(entered).toOpaque())
    precondition(failure == 0, "no thread: \(failure)")
    pthread_detach(thread)
}

@Suite("A hosted reactor in a storm", .ownThreads)
struct ReactorStormTests {
    @Test(
        "eight threads dispatch while readers and engines change: one answer per action, each state from the last",
        arguments: [nil, ReactorPersistence.Durability.normal])
    func reloads(durability: ReactorPersistence.Durability?) async throws {
        try await run(durability) { storm async throws -> Void in
            await storm.run(each: 400)
            let answers = storm.answers.withLock { $0 }
            #expect(answers.done == Tally.threads * 400, "nothing is stopping")
            #expect(storm.reloads.withLock { $0 } > 0)
        }
    }

    @Test(
        "and when it is stopped meanwhile",
        arguments: [nil, ReactorPersistence.Durability.normal])
    func stop(durability: ReactorPersistence.Durability?) async throws {
        try await run(durability) { storm async throws -> Void in
            await storm.run(each: 400, stopAfter: 200)
            let answers = storm.answers.withLock { $0 }
            #expect(answers.done + answers.stopping == Tally.threads * 400)
            // At least the actions that the thread sent afterwards.
            #expect(answers.stopping >= 200)
        }
    }

    @Test(
        "and when the disk fails again and again: what is reported as failed is not in the state, and all else is",
        arguments: [ReactorPersistence.Durability.sync, .normal])
    func faults(durability: ReactorPersistence.Durability) async throws {
        try await run(durability, breaks: true) { storm async throws -> Void in
            await storm.run(each: 400)
            #expect(await eventually { storm.answers.withLock { $0.count } == Tally.threads * 400 })
            let answers = storm.answers.withLock { $0 }
            #expect(answers.lost > 0 && answers.done > 0 && storm.reloads.withLock { $0 } > 0)
        }
    }

    private func run(
        _ durability: ReactorPersistence.Durability?, breaks: Bool = false,
        _ body: (ReactorStorm) async throws -> Void
    ) async throws {
        let file = ReactorFile()
        defer { withExtendedLifetime(file) {} }
        var persistence: ReactorPersistence?
        if let durability {
            persistence = ReactorPersistence()
            persistence?.durability = durability
        }
        let store =
            durability == nil
            ? nil
            : try StateStore(path: file.path) { error in
                if !breaks { Issue.record("\(error)") }
            }
        let storm = try ReactorStorm(persistence, store, breaks: breaks)
        try await body(storm)
        await withCheckedContinuation { continuation in storm.host.stop { continuation.resume() } }
        let (answers, seen) = (storm.answers.withLock { $0 }, storm.seen.withLock { $0 })
        #expect(answers.others.isEmpty)
        #expect(answers.backwards == 0)
        #expect(seen.wrong.isEmpty)
        #expect(seen.events > 0)
        let end = storm.reactor.now
        let state = end.state.tree.array?.compactMap(\.int) ?? []
        // Some of the actions that ended with `stopping` may have been reduced.
        let count = state[Tally.threads]
        #expect(count >= answers.done && count <= answers.done + answers.stopping)
        #expect(state[Tally.threads + 1] == 0, "out of order")
        store?.close()
        guard let persistence, let durability else { return }
        // The stored state is the last state.
        let again = try StateStore(path: file.path) { Issue.record("\($0)") }
        defer { again.close() }
        let kept = try again.log(of: "tally", persistence).restore()
        #expect(kept?.value == end.state.tree, "\(durability)")
    }
}
