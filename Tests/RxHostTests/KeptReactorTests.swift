import Rx
import RxJSON
import RxPlatform
import Synchronization
import TestSupport
import Testing

@testable import RxHost
@testable import RxRecords
@testable import RxStore

/// Adds numbers; zero is refused by `mutate`. `factor` makes another reactor of it, `merged` comes from a stream that
/// has a number at once.
private final class Adder: ReactorEngine {
    private let factor: Int
    private let initial: Int
    private let merged: Int?
    private let onStop: @Sendable () -> Void
    private let state = Mutex(0)
    private let outlet = Mutex<(any ReactorOutlet)?>(nil)

    init(factor: Int, initial: Int, merged: Int?, onStop: @escaping @Sendable () -> Void = {}) {
        self.factor = factor
        self.initial = initial
        self.merged = merged
        self.onStop = onStop
    }

    func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
        var value = initial
        if let kept {
            guard let sum = kept["sum"]?.number?.int else { throw ReactorFault(.restore, "no sum") }
            value = sum
        }
        state.withLock { $0 = value }
        self.outlet.withLock { $0 = outlet }
        if let merged { reduce(merged, nil) }
        return JSONState(["sum": JSONValue(value)])
    }

    func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) {
        guard let number = input.action.value().number?.int, number != 0 else {
            let token = input.action.value()["token"]?.string
            let fault = ReactorFault(.mutate, token.map { "not \($0)" } ?? "zero", input: input.action)
            outlet.withLock { $0 }?.failed(fault)
            return completion(fault)
        }
        reduce(number, input)
        completion(nil)
    }

    func replay(_ mutation: RawJSON) throws(ReactorFault) {
        guard let number = mutation.value().number?.int, number < 1000 else {
            throw ReactorFault(.reduce, "too much", input: mutation)
        }
        reduce(number, nil)
    }

    func stop(completion: @escaping @Sendable () -> Void) {
        onStop()
        completion()
    }

    private func reduce(_ number: Int, _ input: ReactorInput?) {
        let sum = state.withLock { state in
            state += number * factor
            return state
        }
        outlet.withLock { $0 }?.reduced(
            ReactorStep(
                input: input, mutation: { RawJSON(JSONValue(number)) }, state: JSONState(["sum": JSONValue(sum)])))
    }
}

/// Takes no state at all.
private final class Refusing: ReactorEngine {
    func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
        throw ReactorFault(.restore, "not this one")
    }

    func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) { completion(nil) }
    func replay(_ mutation: RawJSON) throws(ReactorFault) {}
    func stop(completion: @escaping @Sendable () -> Void) { completion() }
}

@Suite("A reactor that persists", .ownThreads)
struct KeptReactorTests {
    private func definition(
        factor: Int = 1, initial: Int = 0, merged: Int? = nil, durability: ReactorPersistence.Durability = .sync,
        onChange: ReactorPersistence.ChangePolicy = .keep
    ) -> ReactorDefinition {
        var definition = ReactorDefinition(
            name: "adder", kind: "test", fingerprint: "adder \(factor) \(initial)",
            makeEngine: { Adder(factor: factor, initial: initial, merged: merged) })
        var persistence = ReactorPersistence()
        persistence.durability = durability
        persistence.onChange = onChange
        definition.persistence = persistence
        return definition
    }

    /// A daemon's life: a host over the store in `directory`, and its end.
    private func life(
        _ path: String, _ definition: ReactorDefinition, _ body: (HostedReactor) async throws -> Void
    ) async throws {
        let store = try StateStore(path: path) { _ in }
        defer { store.close() }
        let host = Host(reactors: [definition], stateStore: store)
        try host.startReactors()
        let reactor = try #require(host.registry.reactor("adder"))
        try await body(reactor)
        await withCheckedContinuation { continuation in host.stop { continuation.resume() } }
    }

    private func dispatch(_ number: Int, to reactor: HostedReactor) async throws -> UInt64 {
        try await answer { reactor.dispatch(RawJSON(JSONValue(number)), by: .host, completion: $0) }.get()
    }

    private func state(_ reactor: HostedReactor, at revision: UInt64) async throws -> JSONValue? {
        try await answer { reactor.state(at: revision, completion: $0) }.get()
    }

    @Test(
        "continues where it was, with its history, at every durability",
        arguments: [ReactorPersistence.Durability.sync, .normal, .off])
    func restored(durability: ReactorPersistence.Durability) async throws {
        try await withStatePath { path async throws -> Void in
            let definition = definition(durability: durability)
            try await life(path, definition) { reactor async throws -> Void in
                for number in 1...5 { #expect(try await dispatch(number, to: reactor) == UInt64(number)) }
                await #expect(throws: DispatchRefusal.self) { try await dispatch(0, to: reactor) }
            }
            try await life(path, definition) { reactor async throws -> Void in
                #expect(reactor.now.revision == 5)
                #expect(reactor.now.state.tree == ["sum": 15])
                #expect(try await dispatch(6, to: reactor) == 6)
                #expect(try await state(reactor, at: 6) == ["sum": 21])
            }
            try await life(path, definition) { reactor async throws -> Void in
                #expect(reactor.now.state.tree == ["sum": 21])
                #expect(try await state(reactor, at: 0) == ["sum": 0])
                #expect(try await state(reactor, at: 3) == ["sum": 6])
                #expect(try await state(reactor, at: 7) == nil)
                let page = try #require(
                    await answer { reactor.history(before: 6, limit: 2, completion: $0) }
                ).get()
                #expect(page.hasMore)
                #expect(page.steps.map(\.revision) == [4, 5])
                guard case .reduced(let reduction) = page.steps[1].change else { return #expect(Bool(false)) }
                #expect(reduction.action?.text == "5")
                #expect(reduction.mutation.text == "5")
                #expect(reduction.by == .host)
            }
        }
    }

    @Test("fails without the secrets of the action in what is published, answered, and logged")
    func secret() async throws {
        let schema = try JSONSchema(
            RawJSON([
                "properties": ["token": ["type": "string", "writeOnly": true], "other": ["type": "string"]]
            ]))
        var definition = definition()
        definition.schema = schema
        let logged = Mutex<[ReactorFault]>([])
        let host = Host(reactors: [definition], onReactorFault: { _, fault in logged.withLock { $0.append(fault) } })
        try host.startReactors()
        let reactor = try #require(host.registry.reactor("adder"))
        let answer = await withCheckedContinuation { continuation in
            reactor.dispatch(RawJSON(["token": "s3cret", "other": "seen"]), by: .host) {
                continuation.resume(returning: $0)
            }
        }
        guard case .failure(.failed(let answered)) = answer else { return #expect(Bool(false), "\(answer)") }
        var published: [ReactorFault] = []
        for case .fault(let fault) in host.log.drain().events.map(\.change) { published.append(fault) }
        let opening = try host.log.open(.named([reactor]), .errors, from: .start).get()
        var position = try #require(opening.position)
        for case .event(let event) in host.log.nextPortion(of: .named([reactor]), .errors, after: &position).items {
            if case .fault(let fault) = event.change { published.append(fault) }
        }
        let faults = [answered] + published + logged.withLock { $0 }
        #expect(faults.count >= 3)
        for fault in faults {
            #expect(fault.message == "not [redacted]")
            #expect(fault.input?.value() == ["token": "[redacted]", "other": "seen"])
        }
        await withCheckedContinuation { continuation in host.stop { continuation.resume() } }
    }

    @Test("stores its actions without their secrets, and mutations as they are")
    func storedSecret() async throws {
        try await withStatePath { path async throws -> Void in
            var definition = definition()
            definition.schema = try JSONSchema(RawJSON(["type": "integer", "writeOnly": true]))
            try await life(path, definition) { reactor async throws -> Void in
                #expect(try await dispatch(5, to: reactor) == 1)
                let page = try #require(
                    await answer { reactor.history(limit: 1, completion: $0) }
                ).get()
                guard case .reduced(let reduction)? = page.steps.first?.change else { return #expect(Bool(false)) }
                #expect(reduction.action?.text == #""[redacted]""#)
                #expect(reduction.mutation.text == "5")
                #expect(reactor.now.state.tree == ["sum": 5])
            }
        }
    }

    @Test("stores the elements that a merged stream sends at its start")
    func mergedAtStart() async throws {
        try await withStatePath { path async throws -> Void in
            try await life(path, definition(merged: 7)) { reactor async throws -> Void in
                #expect(reactor.now.revision == 1)
                #expect(reactor.now.state.tree == ["sum": 7])
                #expect(try await dispatch(1, to: reactor) == 2)
            }
            try await life(path, definition(merged: 7)) { reactor async throws -> Void in
                #expect(reactor.now.revision == 3)
                #expect(reactor.now.state.tree == ["sum": 15])
                #expect(try await state(reactor, at: 0) == ["sum": 0])
                #expect(try await state(reactor, at: 1) == ["sum": 7])
                #expect(try await state(reactor, at: 3) == ["sum": 15])
            }
            // Reduced anew, and the stream brings its number once more.
            try await life(path, definition(factor: 10, merged: 7, onChange: .replay)) { reactor async throws -> Void in
                #expect(reactor.now.state.tree == ["sum": 220])
                #expect(try await dispatch(1, to: reactor) == reactor.now.revision)
                #expect(reactor.now.state.tree == ["sum": 230])
            }
            // The stored steps are the published ones.
            try await life(path, definition(factor: 10)) { reactor async throws -> Void in
                #expect(reactor.now.state.tree == ["sum": 230])
            }
        }
    }

    @Test("reduces again only the steps after a gap: the lost ones are part of the state after it")
    func replayedAfterGap() async throws {
        try await withStatePath { path async throws -> Void in
            let store = try StateStore(path: path) { _ in }
            let host = Host(reactors: [definition()], stateStore: store)
            try host.startReactors()
            let reactor = try #require(host.registry.reactor("adder"))
            for _ in 0..<3 { _ = try await dispatch(1, to: reactor) }
            var unkept = definition()
            unkept.persistence = nil
            host.reload([], reactors: [unkept])
            for _ in 0..<5 { _ = try await dispatch(1, to: reactor) }
            host.reload([], reactors: [definition()])
            let revision = reactor.now.revision
            #expect(try await dispatch(1, to: reactor) == revision + 1)
            #expect(reactor.now.state.tree == ["sum": 9])
            await withCheckedContinuation { continuation in host.stop { continuation.resume() } }
            store.close()
            // Another definition, which reduces in the same way.
            try await life(path, definition(initial: 100, onChange: .replay)) { reactor async throws -> Void in
                #expect(reactor.now.state.tree == ["sum": 9])
                #expect(reactor.now.revision == revision + 2)
                #expect(try await state(reactor, at: 3) == ["sum": 3])
                #expect(try await state(reactor, at: revision) == ["sum": 8])
            }
        }
    }

    @Test("whose new definition is refused keeps the durability of the old one")
    func refusedDurability() async throws {
        try await withStatePath { path async throws -> Void in
            let store = try StateStore(path: path) { _ in }
            let host = Host(reactors: [definition()], stateStore: store)
            try host.startReactors()
            let reactor = try #require(host.registry.reactor("adder"))
            _ = try await dispatch(1, to: reactor)
            let other = ReactorDefinition(name: "adder", kind: "test", fingerprint: "other", makeEngine: { Refusing() })
            var refused = other
            var persistence = ReactorPersistence()
            persistence.durability = .off
            refused.persistence = persistence
            host.reload([], reactors: [refused])
            #expect(reactor.definition.fingerprint == definition().fingerprint)
            #expect(reactor.keptLog?.persistence.durability == .sync)
            #expect(try await dispatch(1, to: reactor) == reactor.now.revision)
            #expect(reactor.now.state.tree == ["sum": 2])
            await withCheckedContinuation { continuation in host.stop { continuation.resume() } }
            store.close()
        }
    }

    @Test("that has changed keeps its state, at a revision that records the change")
    func changedKeeping() async throws {
        try await withStatePath { path async throws -> Void in
            try await life(path, definition()) { reactor async throws -> Void in
                for number in 1...3 { _ = try await dispatch(number, to: reactor) }
            }
            try await life(path, definition(factor: 10)) { reactor async throws -> Void in
                #expect(reactor.now.revision == 4)
                #expect(reactor.now.state.tree == ["sum": 6])
                #expect(try await dispatch(1, to: reactor) == 5)
                #expect(reactor.now.state.tree == ["sum": 16])
                #expect(try await state(reactor, at: 2) == ["sum": 3])
            }
            try await life(path, definition(factor: 10)) { reactor async throws -> Void in
                #expect(reactor.now.revision == 5)
                #expect(reactor.now.state.tree == ["sum": 16])
            }
        }
    }

    @Test("that has changed reduces the stored steps again, from its own initial state, if so configured")
    func changedReplaying() async throws {
        try await withStatePath { path async throws -> Void in
            try await life(path, definition()) { reactor async throws -> Void in
                for number in 1...3 { _ = try await dispatch(number, to: reactor) }
            }
            try await life(path, definition(factor: 10, initial: 5, onChange: .replay)) {
                reactor async throws -> Void in
                #expect(reactor.now.state.tree == ["sum": 65])
                #expect(reactor.now.revision == 4)
                #expect(try await state(reactor, at: 3) == ["sum": 6])
            }
        }
    }

    @Test("stops its engine if the stored steps cannot be read for a replay")
    func unreadable() async throws {
        try await withStatePath { path async throws -> Void in
            try await life(path, definition()) { reactor async throws -> Void in
                for number in [1, 2, 3] { _ = try await dispatch(number, to: reactor) }
            }
            try Database(path: path, on: .system).execute("DELETE FROM steps WHERE revision = 2")
            let store = try StateStore(path: path) { _ in }
            defer { store.close() }
            let stops = Locked(0)
            var definition = definition(factor: 2, onChange: .replay)
            definition.makeEngine = {
                Adder(factor: 2, initial: 0, merged: nil) { stops.withLock { $0 += 1 } }
            }
            let host = Host(reactors: [definition], stateStore: store)
            #expect { try host.startReactors() } throws: { error in
                (error as? ReactorStartFailure)?.fault.message.contains("revision 2 is missing") == true
            }
            #expect(stops.withLock { $0 } == 1)
        }
    }

    @Test("does not start if the stored steps cannot be replayed, and loses nothing")
    func unreplayable() async throws {
        try await withStatePath { path async throws -> Void in
            try await life(path, definition()) { reactor async throws -> Void in
                for number in [1, 1000, 2] { _ = try await dispatch(number, to: reactor) }
            }
            let store = try StateStore(path: path) { _ in }
            let host = Host(reactors: [definition(factor: 2, onChange: .replay)], stateStore: store)
            var message = ""
            do throws(ReactorStartFailure) {
                try host.startReactors()
            } catch {
                message = error.fault.message
            }
            #expect(message.contains("revision 2"))
            #expect(message.contains("on-change"))
            store.close()
            try await life(path, definition()) { reactor async throws -> Void in
                #expect(reactor.now.revision == 3)
                #expect(reactor.now.state.tree == ["sum": 1003])
            }
        }
    }

    @Test("that changes in a reload continues from its state")
    func reloaded() async throws {
        try await withStatePath { path async throws -> Void in
            let store = try StateStore(path: path) { _ in }
            let host = Host(reactors: [definition()], stateStore: store)
            try host.startReactors()
            let reactor = try #require(host.registry.reactor("adder"))
            _ = try await dispatch(4, to: reactor)
            #expect(host.reload([], reactors: [definition(factor: 10)]).changed == ["adder"])
            #expect(try await dispatch(1, to: reactor) == 3)
            #expect(reactor.now.state.tree == ["sum": 14])
            #expect(host.reload([], reactors: []).removed == ["adder"])
            await #expect(throws: DispatchRefusal.self) { try await dispatch(1, to: reactor) }
            store.close()
            try await life(path, definition(factor: 10)) { reactor async throws -> Void in
                #expect(reactor.now.revision == 3)
                #expect(reactor.now.state.tree == ["sum": 14])
            }
        }
    }

    @Test("that changes in a reload reduces the stored steps again, if so configured")
    func reloadedReplaying() async throws {
        try await withStatePath { path async throws -> Void in
            let changed = definition(factor: 10, initial: 5, onChange: .replay)
            try await life(path, definition()) { reactor async throws -> Void in
                for number in 1...3 { _ = try await dispatch(number, to: reactor) }
            }
            let store = try StateStore(path: path) { _ in }
            let host = Host(reactors: [definition()], stateStore: store)
            try host.startReactors()
            let reactor = try #require(host.registry.reactor("adder"))
            _ = try await dispatch(4, to: reactor)
            #expect(host.reload([], reactors: [changed]).changed == ["adder"])
            #expect(reactor.now.revision == 5)
            #expect(reactor.now.state.tree == ["sum": 105])
            #expect(try await dispatch(1, to: reactor) == 6)
            // The programs are the same.
            host.reload([], reactors: [changed])
            #expect(reactor.now.revision == 6)
            await withCheckedContinuation { continuation in host.stop { continuation.resume() } }
            store.close()
            try await life(path, changed) { reactor async throws -> Void in
                #expect(reactor.now.revision == 6)
                #expect(reactor.now.state.tree == ["sum": 115])
                #expect(try await state(reactor, at: 4) == ["sum": 10])
            }
        }
    }

    @Test("keeps its definition in a reload if the stored steps cannot be replayed with the new one")
    func reloadedUnreplayable() async throws {
        try await withStatePath { path async throws -> Void in
            let store = try StateStore(path: path) { _ in }
            let host = Host(reactors: [definition()], stateStore: store)
            try host.startReactors()
            let reactor = try #require(host.registry.reactor("adder"))
            for number in [1, 1000, 2] { _ = try await dispatch(number, to: reactor) }
            host.reload([], reactors: [definition(factor: 2, onChange: .replay)])
            #expect(reactor.definition.fingerprint == definition().fingerprint)
            #expect(try await dispatch(1, to: reactor) == 4)
            #expect(reactor.now.state.tree == ["sum": 1004])
            await withCheckedContinuation { continuation in host.stop { continuation.resume() } }
            store.close()
            try await life(path, definition()) { reactor async throws -> Void in
                #expect(reactor.now.state.tree == ["sum": 1004])
            }
        }
    }

    @Test("is persistent from one reload to another, as configured; its revisions only grow")
    func switched() async throws {
        try await withStatePath { path async throws -> Void in
            let store = try StateStore(path: path) { _ in }
            var unkept = definition()
            unkept.persistence = nil
            let host = Host(reactors: [unkept])
            try host.startReactors()
            let reactor = try #require(host.registry.reactor("adder"))
            for number in 1...3 { _ = try await dispatch(number, to: reactor) }
            host.stateStore = store
            #expect(host.reload([], reactors: [definition()]).changed == ["adder"])
            #expect(reactor.now.revision == 3)
            #expect(try await dispatch(4, to: reactor) == 4)
            #expect(try await state(reactor, at: 2) == nil)
            #expect(try await state(reactor, at: 3) == ["sum": 6])
            #expect(host.reload([], reactors: [unkept]).changed == ["adder"])
            #expect(try await dispatch(5, to: reactor) == 5)
            #expect(try await dispatch(6, to: reactor) == 6)
            #expect(try await state(reactor, at: 3) == nil)
            #expect(host.reload([], reactors: [definition()]).changed == ["adder"])
            // Revisions that were not stored have no state; the history shows the break.
            #expect(reactor.now.revision == 7)
            #expect(try await dispatch(7, to: reactor) == 8)
            #expect(try await state(reactor, at: 4) == ["sum": 10])
            #expect(try await state(reactor, at: 6) == nil)
            #expect(try await state(reactor, at: 7) == ["sum": 21])
            store.close()
            try await life(path, definition()) { reactor async throws -> Void in
                #expect(reactor.now.revision == 8)
                #expect(reactor.now.state.tree == ["sum": 28])
                #expect(try await state(reactor, at: 3) == ["sum": 6])
            }
            // A reactor with fewer revisions than are stored under its name.
            let later = try StateStore(path: path) { _ in }
            let second = Host(reactors: [unkept], stateStore: later)
            try second.startReactors()
            let young = try #require(second.registry.reactor("adder"))
            #expect(try await dispatch(1, to: young) == 1)
            #expect(second.reload([], reactors: [definition()]).changed == ["adder"])
            #expect(young.now.revision == 9)
            #expect(young.now.state.tree == ["sum": 1])
            #expect(try await dispatch(2, to: young) == 10)
            #expect(try await state(young, at: 8) == ["sum": 28])
            later.close()
            try await life(path, definition()) { reactor async throws -> Void in
                #expect(reactor.now.state.tree == ["sum": 3])
            }
        }
    }

    @Test("that is gone in a reload and back in the next has all that was written of it meanwhile")
    func goneAndBack() async throws {
        try await withStatePath { path async throws -> Void in
            let store = try StateStore(path: path) { _ in }
            // A second passes until it is written by itself.
            let definition = definition(durability: .off)
            let host = Host(reactors: [definition], stateStore: store)
            try host.startReactors()
            for round in 1...3 {
                let reactor = try #require(host.registry.reactor("adder"))
                #expect(try await dispatch(1, to: reactor) == UInt64(round))
                #expect(host.reload([], reactors: []).removed == ["adder"])
                #expect(host.reload([], reactors: [definition]).added == ["adder"])
            }
            #expect(host.registry.reactor("adder")?.now.state.tree == ["sum": 3])
            store.close()
        }
    }

    @Test("answers a dispatch with an error if its mutations could not be stored, and undoes them")
    func notKept() async throws {
        try await withStatePath { path async throws -> Void in
            let store = try StateStore(path: path) { _ in }
            let host = Host(reactors: [definition()], stateStore: store)
            try host.startReactors()
            let reactor = try #require(host.registry.reactor("adder"))
            #expect(try await dispatch(1, to: reactor) == 1)
            store.close()
            do {
                _ = try await dispatch(2, to: reactor)
                Issue.record("nothing was thrown")
            } catch DispatchRefusal.notKept {
            }
            #expect(reactor.now.state.tree == ["sum": 1])
        }
    }
}

private func withStatePath(_ body: (String) async throws -> Void) async throws {
    let file = ReactorFile()
    try await body(file.path)
    withExtendedLifetime(file) {}
}
