public import RxStore
public import RxJSON

extension HostedReactor {
    /// Reads the newest steps before a revision, oldest first, from the store.
    ///
    /// - Parameters:
    ///   - revision: the first revision that is not read; nil for the newest steps.
    ///   - limit: the most steps to read.
    ///   - user: the requesting user, since users are served in turn; nil for the daemon.
    ///   - completion: called once, on any thread; with nil for a reactor whose steps are not stored.
    public func history(
        before revision: UInt64? = nil, limit: Int, for user: UInt32? = nil,
        completion: @escaping @Sendable (Result<ReactorPage, StoreError>?) -> Void
    ) {
        guard let kept = keptLog else { return completion(nil) }
        kept.history(before: revision, limit: limit, for: user, completion: completion)
    }

    /// Reads the state of a revision.
    ///
    /// - Parameters:
    ///   - revision: the revision of the state.
    ///   - user: the requesting user; nil for the daemon.
    ///   - completion: called once, on any thread; with nil if the state is not known any more, or not yet.
    public func state(
        at revision: UInt64, for user: UInt32? = nil,
        completion: @escaping @Sendable (Result<JSONValue?, StoreError>) -> Void
    ) {
        let now = now
        if now.revision == revision { return completion(.success(now.state.tree)) }
        guard let kept = keptLog, revision < now.revision else { return completion(.success(nil)) }
        kept.state(at: revision, for: user) { completion($0.map { $0?.value }) }
    }

    /// Reads about how long the text of the state of a revision may be, without the state: an upper bound unless
    /// patches copy parts of it.
    ///
    /// - Parameters:
    ///   - revision: the revision of the state.
    ///   - user: the requesting user; nil for the daemon.
    ///   - completion: called once, on any thread; with 0 if the state is not known any more, or not yet. If it is the
    ///     present one, that takes as long as the state is.
    package func stateBytes(
        at revision: UInt64, for user: UInt32? = nil, completion: @escaping @Sendable (Result<Int, StoreError>) -> Void
    ) {
        let now = now
        if now.revision == revision { return completion(.success(now.state.tree.bytes(upTo: .max))) }
        guard let kept = keptLog, revision < now.revision else { return completion(.success(0)) }
        kept.stateBytes(at: revision, for: user, completion: completion)
    }
}
