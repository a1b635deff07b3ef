internal import RxRecords
public import RxStore
internal import RxJSON

// Dispatches the stored actions of a reactor under another definition, to see what would change before that definition
// holds.
//
//     StateArchive -> Rehearsal: step by step -> RehearsedEngine -> ComparedStates -> Finding,
//     and in the end RehearsalSummary
//
// Rules:
// - The reactor begins with the state of the first revision, or with its own initial one if the history begins with
//   that, and goes on from its own states: a difference stays until a mutation removes it.
// - An action is dispatched again only if the log shows that this has no side effects (`KeptStep.Reduction.start`).
//   Otherwise the stored mutations are reduced: those from executions and merged streams, those of reactors in Swift,
//   and those of an action that is only partly stored. Nothing is executed again.
// - Where another state took the place of the previous one, the rehearsal goes on from that state.
// - A failure leaves the state as it is, as in a running reactor.
// - Memory does not grow with the length of the history: it holds one action and two states.
//
// Read: Rehearsal, ComparedStates, RehearsedEngine, Finding.

/// Rehearses the history of a reactor under another definition.
public final class Rehearsal {
    /// The part of the history that is rehearsed, and how.
    public struct Scope: Sendable {
        /// The revision to begin with; nil for the oldest that is stored.
        public var from: UInt64?
        /// The last revision; nil for the newest.
        public var through: UInt64?
        /// Whether to dispatch nothing and reduce only the stored mutations.
        public var takesMutations = false
        /// Whether to go on from the stored state after a difference, so that each step is compared by itself.
        public var returnsToKept = false
        /// The most differences that are reported; further ones are only counted.
        public var mostReported = 10

        /// The whole history.
        public init() {}
    }

    /// Why there is no result.
    public enum Failure: Error, Sendable {
        /// The reactor is not stored.
        case nothingKept
        /// The history has other revisions.
        case outside(ClosedRange<UInt64>)
        /// A revision that was lost.
        case lost(UInt64)
        case store(StoreError)
    }

    /// The mutations of one action, in their order.
    private struct Group {
        let start: UInt64
        let action: RawJSON
        let by: Origin
        var mutations: [RawJSON]
        var patches: [JSONPatch]
    }

    private let reactor: String
    private let definition: ReactorDefinition
    private let archive: StateArchive
    private let scope: Scope
    private let report: (Finding) -> Void
    private var engine: RehearsedEngine
    private var states = ComparedStates(.null)
    private var group: Group?
    private var summary: RehearsalSummary
    /// Why the rehearsal cannot go on.
    private var isOver = false
    private var failure: StoreError?

    /// A rehearsal of a reactor's stored steps under another definition. While `run` runs, it calls `report` with each
    /// finding, in the order of revisions.
    public init(
        of reactor: String, under definition: ReactorDefinition, _ archive: StateArchive, _ scope: Scope = Scope(),
        report: @escaping (Finding) -> Void
    ) {
        self.reactor = reactor
        self.definition = definition
        self.archive = archive
        self.scope = scope
        self.report = report
        engine = RehearsedEngine(definition)
        summary = RehearsalSummary(reactor: reactor)
    }

    /// Runs the rehearsal. To be called once. Waits for the disk and for the engine.
    public func run() throws(Failure) -> RehearsalSummary {
        defer { engine.stop() }
        let kept = try reading { () throws(StoreError) in try archive.revisions(of: reactor) }
        guard let kept else { throw .nothingKept }
        let first = scope.from ?? kept.lowerBound
        let last = min(scope.through ?? kept.upperBound, kept.upperBound)
        guard kept.contains(first), first <= last else { throw .outside(kept) }
        let base = try reading { () throws(StoreError) in try archive.state(of: reactor, at: first) }
        guard let base else { throw .lost(first) }
        (summary.from, summary.to) = (first, first)
        begin(at: first, base.value)
        guard first < last else { return summary }
        try reading { () throws(StoreError) in
            try archive.forEachStep(of: reactor, in: first + 1...kept.upperBound) { step in
                guard step.revision <= last || (group != nil && group?.start == step.start) else { return false }
                take(step)
                return !isOver && failure == nil
            }
        }
        if !isOver { endGroup() }
        if let failure { throw .store(failure) }
        return summary
    }

    private func reading<Value>(_ body: () throws(StoreError) -> Value) throws(Failure) -> Value {
        do throws(StoreError) {
            return try body()
        } catch {
            throw .store(error)
        }
    }

    /// The initial state is the new reactor's own.
    private func begin(at revision: UInt64, _ kept: JSONValue) {
        states = ComparedStates(kept)
        do throws(ReactorFault) {
            states.begin(now: try engine.start(from: revision == 0 ? JSONValue?.none : kept))
        } catch {
            isOver = true
            return differ(Difference(at: revision, trouble: .fault(error)))
        }
        if !states.areSame { differ(Difference(at: revision)) }
    }

    /// Goes on from a stored state.
    private func restart(at revision: UInt64) {
        engine.stop()
        engine = RehearsedEngine(definition)
        do throws(ReactorFault) {
            _ = try engine.start(from: states.kept)
            states.meet()
        } catch {
            isOver = true
            differ(Difference(at: revision, trouble: .fault(error)))
        }
    }

    // MARK: Steps

    private func take(_ step: KeptStep) {
        switch step.change {
        case .reduced(let reduction):
            guard let patch = try? JSONPatch(reduction.patch.value()) else { return damaged(step.revision) }
            if let start = step.start, start == group?.start {
                group?.mutations.append(reduction.mutation)
                group?.patches.append(patch)
                summary.to = step.revision
                return
            }
            endGroup()
            guard !isOver, failure == nil else { return }
            summary.to = step.revision
            // An action that began before the first rehearsed revision is only partly known.
            if !scope.takesMutations, step.start == step.revision, let action = reduction.action, let by = reduction.by
            {
                group = Group(
                    start: step.revision, action: action, by: by, mutations: [reduction.mutation], patches: [patch])
            } else {
                reduce(reduction, patch, step.revision)
            }
        case .replaced(let cause):
            endGroup()
            guard !isOver, failure == nil else { return }
            summary.to = step.revision
            do throws(StoreError) {
                guard let state = try archive.state(of: reactor, at: step.revision) else {
                    return damaged(step.revision)
                }
                states = ComparedStates(state.value)
            } catch {
                failure = error
                return
            }
            summary.breaks += 1
            report(.restart(revision: step.revision, cause))
            restart(at: step.revision)
        }
    }

    private func damaged(_ revision: UInt64) {
        failure = .damaged(path: archive.path, message: "reactor \(reactor): revision \(revision) cannot be read")
    }

    private func input(_ action: RawJSON, by: Origin) -> Result<ReactorInput, InputFault> {
        do throws(DispatchRefusal) {
            return .success(try definition.input(action, Causes(by)))
        } catch {
            guard case .input(let faults) = error, let fault = faults.first else {
                return .failure(InputFault(path: "", message: "is refused"))
            }
            return .failure(fault)
        }
    }

    /// The stored step of a mutation.
    private func reduce(_ reduction: KeptStep.Reduction, _ patch: JSONPatch, _ revision: UInt64) {
        summary.fromRecord += 1
        var difference = Difference(at: revision, action: reduction.action)
        difference.kept = [reduction.mutation]
        var outcome = RehearsedEngine.Outcome()
        // An action with secrets is not stored as it was.
        let isWhole = definition.schema?.hasSecrets != true
        if !scope.takesMutations, isWhole, let action = reduction.action,
            case .failure(let fault) = input(action, by: reduction.by ?? .host)
        {
            difference.trouble = .refused(fault)
        } else {
            outcome = engine.replay(reduction.mutation)
            difference.trouble = outcome.fault.map { .fault($0) }
        }
        guard step([patch], outcome.patches, revision) else { return }
        if !states.areSame || difference.trouble != nil {
            differ(difference)
        } else {
            summary.same += 1
        }
    }

    /// Dispatches the action, all of whose mutations are known now.
    private func endGroup() {
        guard let group else { return }
        self.group = nil
        summary.actions += 1
        var difference = Difference(at: group.start, action: group.action)
        (difference.kept, difference.now) = (group.mutations, [])
        var outcome = RehearsedEngine.Outcome()
        switch input(group.action, by: group.by) {
        case .failure(let fault):
            difference.trouble = .refused(fault)
        case .success(let input):
            outcome = engine.dispatch(input)
            difference.now = outcome.mutations
        }
        let areAsMany = group.patches.count == outcome.patches.count
        var isSame = true
        if areAsMany {
            for (place, (kept, now)) in zip(group.patches, outcome.patches).enumerated() {
                let revision = group.start + UInt64(place)
                guard step([kept], [now], revision) else { return }
                guard isSame, !states.areSame else { continue }
                isSame = false
                difference.revision = revision
            }
        } else {
            let last = group.start + UInt64(group.patches.count) - 1
            guard step(group.patches, outcome.patches, last) else { return }
            isSame = states.areSame
            difference.revision = last
        }
        let areSameMutations = areAsMany && zip(group.mutations, outcome.mutations).allSatisfy { $0.isSame(as: $1) }
        // The same mutations before a failure were the result then, too.
        if difference.trouble == nil, !areSameMutations { difference.trouble = outcome.fault.map { .fault($0) } }
        if !isSame || difference.trouble != nil {
            differ(difference)
        } else {
            summary.same += 1
            if !areSameMutations { summary.otherMutations += 1 }
        }
    }

    private func step(_ kept: [JSONPatch], _ now: [JSONPatch], _ revision: UInt64) -> Bool {
        if states.step(kept: kept, now: now) { return true }
        damaged(revision)
        return false
    }

    private func differ(_ difference: Difference) {
        summary.different += 1
        summary.firstDifference = summary.firstDifference ?? difference.revision
        if summary.different <= scope.mostReported {
            var difference = difference
            difference.patch = states.difference
            report(.difference(difference))
        }
        if scope.returnsToKept, !isOver, !states.areSame { restart(at: difference.revision) }
    }
}

extension KeptStep {
    fileprivate var start: UInt64? {
        switch change {
        case .reduced(let reduction): reduction.start
        case .replaced: nil
        }
    }
}

extension RawJSON {
    fileprivate func isSame(as other: RawJSON) -> Bool { self == other || value() == other.value() }
}
