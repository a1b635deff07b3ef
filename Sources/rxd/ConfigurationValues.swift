internal import RxConfiguration
internal import RxHost
internal import RxJq
internal import RxPlatform
internal import RxProcess
internal import RxProtocol
internal import RxRecords
internal import RxSources
internal import RxStore
internal import RxStreams

// What the host, the stores, and the server take of a configuration.

extension Configuration {
    /// By the names of actions.
    var conditions: [String: EnabledCondition] {
        Dictionary(uniqueKeysWithValues: actions.compactMap { action in action.condition.map { (action.name, $0) } })
    }

    /// Where these conditions stand, by the names of actions.
    var conditionPlaces: [String: String] {
        Dictionary(
            uniqueKeysWithValues: actions.compactMap { action in action.conditionPlace.map { (action.name, $0) } })
    }

    /// A warning if parts of inputs that are passed as files reach a disk.
    func warning(of files: InputFiles) -> String? {
        let names = actions.filter(\.passesFiles).map(\.name)
        guard !names.isEmpty, MountTable().isInMemory(files.directory) == false else { return nil }
        return files.warningOfDisk(for: names)
    }

    /// The files that the daemon wants to have open, by default as many as the unit of the service allows: connections,
    /// and mostly pipes of programs.
    var openFiles: Int { limits.connections + 7168 }

    /// A warning if so few files may be open that the connections can take all of them.
    func warning(ofOpenFiles most: Int) -> String? {
        let needed = limits.connections + 128
        guard most < needed else { return nil }
        return """
            at most \(most) files may be open, but \(limits.connections) connections and rxd itself need \(needed): \
            others may lock out root; raise ulimit -n (LimitNOFILE), or lower `connections` in [limits]
            """
    }

    var hasPersistentReactors: Bool { reactors.contains { $0.persistence != nil } }

    var keyLimits: Host.KeyLimits {
        var keys = Host.KeyLimits()
        keys.count = limits.keys
        keys.perUser = limits.keysPerUid
        keys.lifetime = keyLifetime
        return keys
    }

    var catchUpLimits: CatchUpLimits {
        var catchUp = CatchUpLimits()
        catchUp.events = limits.replayEvents
        catchUp.bytes = limits.replayBytes
        catchUp.bytesOfAll = limits.replayBytesOfAll
        return catchUp
    }

    var retention: ExecutionStore.Retention {
        var retention = ExecutionStore.Retention()
        retention.count = historyCount
        retention.age = historyAge
        retention.output = historyOutput
        retention.bytes = historyBytes
        retention.keyLifetime = keyLifetime
        return retention
    }

    func definitions(processes: ProcessServices, evaluator: StreamEvaluator) -> [ActionDefinition] {
        actions.map { $0.definition(processes: processes, evaluator: evaluator) }
    }

    func reactorDefinitions(host: any JqReactorHost, clock: MonotonicClock) -> [ReactorDefinition] {
        reactors.map { $0.definition(host: host, clock: clock) }
    }
}
