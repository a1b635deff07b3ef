internal import Rx
package import RxHost
package import RxJSON
internal import RxRecords
internal import RxStore
package import RxStreams
internal import RxTime

/// The streams of a daemon: those of one configuration, with what each gives its elements to.
package final class StreamHost: Sendable {
    /// The streams of a configuration and their `on`s.
    package struct Plan: Sendable, Equatable {
        package var streams: [StreamDefinition]
        package var bindings: [BindingDefinition]
        /// The rights that the configuration grants beyond the default, by stream.
        package var access: [String: Access]
        /// The conditions for running, by stream.
        package var conditions: [String: EnabledCondition]

        package init(
            streams: [StreamDefinition] = [], bindings: [BindingDefinition] = [], access: [String: Access] = [:],
            conditions: [String: EnabledCondition] = [:]
        ) {
            self.conditions = conditions
            self.streams = streams
            self.bindings = bindings
            self.access = access
        }

        /// The `on`s of a stream.
        func bindings(of stream: String) -> [BindingDefinition] { bindings.filter { $0.stream == stream } }

        /// The streams whose elements a stream, or its condition, receives.
        func reads(_ stream: StreamDefinition) -> Set<String> {
            stream.reads.union(conditions[stream.name]?.streams ?? [])
        }
    }

    /// What a reload does, or would do: names, sorted.
    package struct Change: Sendable, Equatable {
        package var added: [String] = []
        package var changed: [String] = []
        package var removed: [String] = []
        package var unchanged: [String] = []
        /// The streams of `changed` with another source.
        package var startedOver: [String] = []
        /// The streams of `changed` that lose the state of their operators.
        package var reset: [String] = []

        /// The change as a reload reports it.
        package var reported: StreamsChange {
            var reported = StreamsChange()
            reported.started = added
            reported.stopped = removed
            reported.startedOver = startedOver
            reported.reset = reset
            let lossy = Set(startedOver + reset)
            reported.restarted = changed.filter { !lossy.contains($0) }
            reported.unchanged = unchanged
            return reported
        }
    }

    package let services: StreamServices
    /// The conditions of actions.
    package let conditions: ActionConditions
    private let state: Locked<State>

    private struct State {
        var plan = Plan()
        var streams: [String: LiveStream] = [:]
        /// What an earlier daemon has stored, by owner, until its stream takes it.
        var stored: [String: [String: RawJSON]]
        /// Whether streams of an earlier plan are stopping, whose successors have not begun yet.
        var isExchanging = false
        var isStopping = false
        /// Called at the end of the exchange under way, for a stop that waits for it.
        var whenExchanged: (@Sendable () -> Void)?
    }

    /// - Parameter stored: the values of an earlier daemon, from `Recovery.streams`.
    package init(_ services: StreamServices, stored: [String: [String: RawJSON]] = [:]) {
        self.services = services
        conditions = ActionConditions(services)
        var stored = stored
        services.lastElements.restore(stored.removeValue(forKey: LastElements.owner) ?? [:])
        state = Locked(State(stored: stored))
        services.host.start(by: AlarmStartTimes(services.clock, on: services.queue))
    }

    /// All streams, by name.
    package var streams: [LiveStream] {
        state.withLock { $0.streams.values.sorted { $0.name < $1.name } }
    }

    /// A stream.
    package func stream(_ name: String) -> LiveStream? { state.withLock { $0.streams[name] } }

    /// How a plan differs from the one in force.
    package func difference(from plan: Plan) -> Change {
        let present = state.withLock { $0.plan }
        var change = Change()
        let known = Dictionary(uniqueKeysWithValues: present.streams.map { ($0.name, $0) })
        for stream in plan.streams {
            if let before = known[stream.name] {
                let isSame =
                    before == stream && present.bindings(of: stream.name) == plan.bindings(of: stream.name)
                    && present.conditions[stream.name] == plan.conditions[stream.name]
                if isSame { change.unchanged.append(stream.name) } else { change.changed.append(stream.name) }
            } else {
                change.added.append(stream.name)
            }
        }
        let names = Set(plan.streams.map(\.name))
        change.removed = present.streams.map(\.name).filter { !names.contains($0) }
        // A stream that reads one that is rebuilt is connected anew.
        var rebuilt = Set(change.changed + change.added + change.removed)
        var moves = true
        while moves {
            moves = false
            for stream in plan.streams where change.unchanged.contains(stream.name) {
                guard !plan.reads(stream).isDisjoint(with: rebuilt) else { continue }
                change.unchanged.removeAll { $0 == stream.name }
                change.changed.append(stream.name)
                rebuilt.insert(stream.name)
                moves = true
            }
        }
        change.added.sort()
        change.changed.sort()
        change.removed.sort()
        change.unchanged.sort()
        let wanted = Dictionary(uniqueKeysWithValues: plan.streams.map { ($0.name, $0) })
        for name in change.changed {
            guard let before = known[name], let after = wanted[name] else { continue }
            if before.source.fingerprint != after.source.fingerprint {
                change.startedOver.append(name)
            } else if before.steps.fingerprint != after.steps.fingerprint
                || (!after.steps.isEmpty && !(before.isPersistent && after.isPersistent))
            {
                change.reset.append(name)
            }
        }
        return change
    }

    /// Brings a plan into force: streams that have not changed are left alone; the others stop, and those of the plan
    /// begin where their predecessors of the same name have stopped. What is stored of streams and `on`s that are not
    /// in the plan is removed. One call at a time.
    ///
    /// - Parameter whenDone: called once, on any thread, when the new streams have begun, or are not going to because
    ///   all streams stop.
    /// - Returns: what has changed.
    @discardableResult
    package func apply(_ plan: Plan, whenDone: @escaping @Sendable () -> Void = {}) -> Change {
        let change = difference(from: plan)
        let outgoing = state.withLock { state -> [LiveStream]? in
            guard !state.isStopping else { return nil }
            state.isExchanging = true
            state.plan = plan
            return (change.changed + change.removed).compactMap { state.streams.removeValue(forKey: $0) }
        }
        guard let outgoing else {
            whenDone()
            return change
        }
        let left = Countdown(outgoing.count + 1) { [self] in begin(plan, change.added + change.changed, whenDone) }
        for stream in outgoing {
            stream.stop { [self] in
                keep(stream)
                left.count()
            }
        }
        left.count()
        return change
    }

    /// The values of a stream that has stopped, for its successor.
    private func keep(_ stream: LiveStream) {
        let rows = stream.kept
        state.withLock { state in
            for row in rows { state.stored[row.stream, default: [:]][row.name] = row.value }
        }
    }

    private func begin(_ plan: Plan, _ names: [String], _ whenDone: @escaping @Sendable () -> Void) {
        let wanted = Set(names)
        let definitions = plan.streams.filter { wanted.contains($0.name) }
        let levels = StreamLevels(plan.streams)
        let handing = HandingStreams(plan.streams, levels)
        let new = definitions.map { definition in
            LiveStream(
                definition, bindings: plan.bindings(of: definition.name), condition: plan.conditions[definition.name],
                levels: levels, handing: handing, services: services
            ) { owner in
                self.state.withLock { $0.stored.removeValue(forKey: owner) ?? [:] }
            }
        }
        let all = state.withLock { state -> [String: LiveStream]? in
            guard !state.isStopping else { return nil }
            for stream in new { state.streams[stream.name] = stream }
            return state.streams
        }
        guard let all else { return endExchange(whenDone) }
        let obsolete = services.handoffs.forget(allBut: Set(all.values.flatMap(\.handoffOwners)))
        if !obsolete.isEmpty { services.host.store?.store(obsolete, isDurable: true) }
        forgetRemoved()
        services.outputs.set(all.mapValues(\.output))
        services.lastElements.set(plan.streams)
        services.host.streams = all.mapValues { stream in
            HostedLiveStream(
                stream, access: plan.access[stream.name], condition: plan.conditions[stream.name],
                targets: plan.bindings(of: stream.name).map(\.target.name)
                    + stream.definition.executes.sorted())
        }
        for stream in new {
            // Whoever sets a switch from now on finds the new stream.
            stream.refreshSwitch()
            stream.startCondition()
        }
        conditions.reconnect(to: wanted)
        for stream in new { stream.connect() }
        // Readers first, so that they miss nothing of what they read.
        let left = Countdown(new.count + 1) { [self] in endExchange(whenDone) }
        for stream in inOrder(new) { stream.begin { left.count() } }
        left.count()
    }

    private func endExchange(_ whenDone: @Sendable () -> Void) {
        let waiting = state.withLock { state in
            state.isExchanging = false
            defer { state.whenExchanged = nil }
            return state.whenExchanged
        }
        whenDone()
        waiting?()
    }

    /// Removes what is stored of streams and `on`s that are not configured any more: all that none has taken.
    private func forgetRemoved() {
        let left = state.withLock { state in
            defer { state.stored = [:] }
            return state.stored
        }
        for (stream, values) in left {
            for place in StreamRows.places(of: values) { services.opener.forget(stream, place: place) }
        }
        let rows = left.flatMap { owner, values in values.keys.map { StreamRow(stream: owner, name: $0, value: nil) } }
        if !rows.isEmpty { services.host.store?.store(rows, isDurable: true) }
    }

    /// Each stream before those that it reads.
    private func inOrder(_ streams: [LiveStream]) -> [LiveStream] {
        let byName = Dictionary(uniqueKeysWithValues: streams.map { ($0.name, $0) })
        var seen: Set<String> = []
        var order: [LiveStream] = []
        func visit(_ stream: LiveStream) {
            guard seen.insert(stream.name).inserted else { return }
            for name in stream.definition.reads.sorted() { if let read = byName[name] { visit(read) } }
            order.append(stream)
        }
        for stream in streams { visit(stream) }
        return order.reversed()
    }

    /// Stops all streams. Those of an exchange under way do not begin.
    ///
    /// - Parameter whenDone: called once, on any thread.
    package func stop(whenDone: @escaping @Sendable () -> Void) {
        let (streams, left) = state.withLock { state in
            state.isStopping = true
            let left = Countdown(state.streams.count + (state.isExchanging ? 2 : 1), whenDone)
            if state.isExchanging { state.whenExchanged = { left.count() } }
            return (Array(state.streams.values), left)
        }
        for stream in streams { stream.stop { left.count() } }
        left.count()
    }
}
