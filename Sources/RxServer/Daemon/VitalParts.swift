internal import Rx
internal import RxHost
internal import RxLoop
internal import RxPlatform
internal import RxStore
internal import Systemd

extension Host {
    /// What must make progress for the daemon to be of use, for systemd's watchdog: threads that all of it shares, the
    /// loop, the stores' threads, those of the reactors' engines, and those for long requests.
    /// `HostDaemon.vitalParts` adds parts that the host does not have, such as streams.
    func vitalParts(loop: EventLoop, workers: RequestWorkers) -> [Watchdog.Party] {
        let roll = Locked<ReactorRoll?>(nil)
        return [
            .init("scheduler") { [platform] in platform.queues.shared.async($0) },
            .init("cooperative pool") { [platform] in platform.queues.cooperative.async($0) },
            .init("loop") { [loop] in loop.execute($0) },
            .init("store of executions") { [store] answer in
                if let store { store.probe(answer) } else { answer() }
            },
            .init("store of states") { [self] answer in
                if let stateStore { stateStore.probe(answer) } else { answer() }
            },
            .init("reactors", detail: { roll.withLock { $0 }?.unanswered.joined(separator: ", ") }) { [self] answer in
                let probe = probeReactors(answer)
                roll.withLock { $0 = probe }
            },
            .init("threads for requests") { [workers] in workers.probe($0) },
        ]
    }
}
