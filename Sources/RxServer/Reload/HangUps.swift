internal import RxHost

/// The reloads that SIGHUP has requested. Used on the loop.
final class HangUps {
    private let reloads: ReloadQueue
    private var newest: ReloadAttempt?
    private var unfinished = 0

    init(_ reloads: ReloadQueue) { self.reloads = reloads }

    /// Whether no reload of a signal is left.
    var isIdle: Bool { unfinished == 0 }

    /// Requests a reload, unless one of an earlier signal waits: that one reads what this signal is about. So at most
    /// one waits, and it is never refused because of the reloads of clients.
    ///
    /// - Parameter completion: called once, on any thread, at the end of the reload; not for a signal that had none of
    ///   its own. It leads to `end`.
    func add(_ completion: @escaping @Sendable (Result<RegistryChange, ReloadFailure>) -> Void) {
        if let newest, newest.isWaiting { return }
        unfinished += 1
        newest = reloads.add(dryRun: false, isRefusable: false, completion: completion)
    }

    /// A reload has ended.
    ///
    /// - Returns: whether no other is left.
    func end() -> Bool {
        unfinished -= 1
        if isIdle { newest = nil }
        return isIdle
    }
}
