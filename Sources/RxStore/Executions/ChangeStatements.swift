internal import RxPlatform
internal import RxRecords
internal import RxAction
internal import RxJSON

/// Changes as statements on the tables. Each is to be run within a transaction.
final class ChangeStatements {
    private let database: Database
    private let history: Trimmer
    private let space: SpaceTrimmer
    private let keys: KeyStatements
    private let log: LogStatements
    private let output: OutputStatements
    private let streams: StreamStatements
    private let names: NameStatements
    private let accept: Statement
    private let start: Statement
    private let attempt: Statement
    private let withdraw: Statement
    private let leave: Statement
    private let find: Statement
    private let keep: Statement
    private let findKept: Statement
    private let readMarks: Statement
    /// The last events that are missing, after a change of them in this transaction.
    private var trimmed: LogMarks?
    private let turnOff: Statement
    private let turnOn: Statement

    init(_ database: Database, _ retention: ExecutionStore.Retention, _ platform: Platform) throws(StoreError) {
        self.database = database
        history = try Trimmer(
            database, table: "executions", time: "ended_at", count: retention.count, age: retention.age)
        space = try SpaceTrimmer(database, bytes: retention.bytes)
        keys = try KeyStatements(database, lifetime: retention.keyLifetime, platform: platform)
        log = try LogStatements(database, retention)
        output = try OutputStatements(database)
        streams = try StreamStatements(database)
        names = try NameStatements(database)
        accept = try Statement(
            """
            INSERT INTO pending(
                id, action, origin, queued_at, started_at, timeout, input, whole, due_at, overlap_group, after)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT(id) DO NOTHING
            """, database)
        start = try Statement("UPDATE pending SET started_at = ?2, whole = NULL WHERE id = ?1", database)
        attempt = try Statement("UPDATE pending SET attempt = ?2, attempts = ?3 WHERE id = ?1", database)
        withdraw = try Statement("UPDATE pending SET whole = NULL WHERE id = ?1", database)
        leave = try Statement("DELETE FROM pending WHERE id = ?1", database)
        find = try Statement(
            """
            SELECT EXISTS(SELECT 1 FROM pending WHERE id = ?1) OR EXISTS(SELECT 1 FROM events WHERE execution = ?1)
                OR EXISTS(SELECT 1 FROM output WHERE execution = ?1)
            """, database)
        keep = try Statement(
            """
            INSERT INTO executions(\(RowDecoder.columns)) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
            ON CONFLICT(id) DO NOTHING
            """, database)
        findKept = try Statement("SELECT 1 FROM executions WHERE id = ?1", database)
        readMarks = try LogMarks.statement(database)
        turnOff = try Statement(
            "INSERT OR REPLACE INTO switches(action, origin, since, reason) VALUES(?1, ?2, ?3, ?4)", database)
        turnOn = try Statement("DELETE FROM switches WHERE action = ?1", database)
    }

    /// - Parameter endsLater: whether an execution ends by a later change of the same transaction.
    func apply(_ change: Write.Change, endsLater: (ExecutionID) -> Bool) throws(StoreError) {
        switch change {
        case .accepted(let acceptance):
            if acceptance.isListed, !endsLater(acceptance.record.id) { try accept(acceptance) }
            if let key = acceptance.key { try keys.give(key, to: acceptance.record) }
            try streams.apply(acceptance.rows)
        case .started(let id, let time, isDurable: _):
            guard !endsLater(id) else { return }
            start.bind(1, id)
            start.bind(2, time)
            try start.run()
        case .ended(let record, let isKept, let isKeyed):
            try end(record, isKept: isKept, isKeyed: isKeyed)
        case .withdrawn(let record, let isKeyed):
            withdraw.bind(1, record.id)
            try withdraw.run()
            try keep(record)
            if isKeyed { try keys.settle(record) }
        case .keyed(let key, let record, isDurable: _):
            try keys.give(key, to: record)
        case .settled(let record):
            try keys.settle(record)
        case .forgotten(let keys, let action):
            for key in keys { try self.keys.forget(key, of: action) }
        case .switched(let action, let manual?):
            turnOff.bind(1, action)
            turnOff.bind(2, manual.by.stored)
            turnOff.bind(3, manual.since)
            turnOff.bind(4, manual.reason)
            try turnOff.run()
        case .switched(let action, nil):
            turnOn.bind(1, action)
            try turnOn.run()
        case .logged(let logged):
            if let lost = logged.lost { try log.lose(lost) }
            for event in logged.events { try append(event) }
        case .output(let id, let output):
            guard !endsLater(id) else { return }
            try self.output.put(ofInFlight: id) { output.kept }
        case .reserved(let number):
            try log.reserve(through: number)
        case .stream(let rows, isDurable: _):
            try streams.apply(rows)
        case .named(let names):
            try self.names.put(names)
        }
    }

    private func append(_ event: LoggedEvent) throws(StoreError) {
        try log.append(event)
        if case .attempt(let record) = event.content { try note(attemptOf: record) }
        guard case .ended(let record, let isKeyed, let output) = event.content else { return }
        if let kept = output?.kept { try self.output.put(kept, of: record.id) }
        try end(record, isKept: true, isKeyed: isKeyed)
    }

    private func note(attemptOf record: ExecutionRecord) throws(StoreError) {
        attempt.bind(1, record.id)
        attempt.bind(2, record.attempts.map { Int64($0.number) })
        attempt.bind(3, record.attempts.map { Int64($0.most) })
        try attempt.run()
    }

    private func end(_ record: ExecutionRecord, isKept: Bool, isKeyed: Bool) throws(StoreError) {
        try leave(record.id)
        if isKept { try keep(record) }
        if isKeyed { try keys.settle(record) }
    }

    /// An execution is no longer in flight.
    private func leave(_ id: ExecutionID) throws(StoreError) {
        leave.bind(1, id)
        try leave.run()
    }

    /// Whether there are rows of an execution in flight.
    func isKnown(_ id: ExecutionID) throws(StoreError) -> Bool {
        find.bind(1, id)
        defer { find.reset() }
        return try find.step() && find.integer(0) == 1
    }

    /// An execution is no longer in flight, and the event of its end is lost: its other events go, too, and without a
    /// record also its output. One that is in the history all the same keeps what it has.
    func settle(_ end: UnstoredEnd) throws(StoreError) {
        try leave(end.id)
        guard try !isInHistory(end.id) else { return }
        try log.forget(end.id)
        guard let record = end.record else { return try output.forget(end.id) }
        if end.isKept { try keep(record) } else { try output.forget(end.id) }
        if end.isKeyed { try keys.settle(record) }
    }

    private func isInHistory(_ id: ExecutionID) throws(StoreError) -> Bool {
        findKept.bind(1, id)
        defer { findKept.reset() }
        return try findKept.step()
    }

    func hasSurplus(at time: Int64) throws(StoreError) -> Bool {
        if history.hasSurplus(at: time) || log.hasSurplus(at: time) || keys.hasSurplus { return true }
        guard oldest != nil else { return false }
        return try space.surplus() > 0
    }

    /// Removes those of the oldest `portion` rows of each table that are beyond the retention.
    func trim(_ portion: Int, at time: Int64) throws(StoreError) {
        let isDue = try hasSurplus(at: time)
        try history.trim(portion, at: time)
        try log.trim(portion, at: time)
        try keys.trim(portion)
        try trimSpace(portion)
        if isDue { trimmed = try LogMarks(readMarks) }
    }

    /// The last events that are missing, if that has changed in the transaction that was committed. Returned once.
    func takeTrimmed() -> LogMarks? {
        defer { trimmed = nil }
        return trimmed
    }

    private enum Oldest: CaseIterable {
        case execution, event, streamEvent
    }

    /// What is the oldest that may be removed; nil if nothing may.
    private var oldest: Oldest? {
        Oldest.allCases.compactMap { kind in oldestTime(of: kind).map { (kind, $0) } }.min { $0.1 < $1.1 }?.0
    }

    private func oldestTime(of kind: Oldest) -> Int64? {
        switch kind {
        case .execution: history.oldestTime
        case .event: log.ofNone.oldestTime
        case .streamEvent: log.ofStreams.oldestTime
        }
    }

    /// Removes the oldest executions or events while the file uses more bytes than it may.
    private func trimSpace(_ portion: Int) throws(StoreError) {
        let surplus = try space.surplus()
        guard surplus > 0 else { return }
        switch oldest {
        case .execution: try history.removeOldest(min(portion, Int(Double(history.rows) * surplus) + 1))
        case .event: try remove(portion, surplus, by: log.ofNone)
        case .streamEvent: try remove(portion, surplus, by: log.ofStreams)
        case nil: break
        }
        try space.trimOrphans()
    }

    private func remove(_ portion: Int, _ surplus: Double, by trimmer: EventTrimmer) throws(StoreError) {
        try trimmer.removeOldest(min(portion, Int(Double(trimmer.rows) * surplus) + 1))
    }

    /// The changes since the last commit were rolled back.
    func rolledBack() {
        trimmed = nil
        // If even this cannot be read, the next write reports it.
        try? history.look()
        try? log.look()
        try? keys.look()
    }

    private func accept(_ acceptance: Write.Acceptance) throws(StoreError) {
        let record = acceptance.record
        accept.bind(1, record.id)
        accept.bind(2, record.action)
        accept.bind(3, record.causes.stored)
        accept.bind(4, record.queuedAt)
        accept.bind(5, record.startedAt)
        accept.bind(6, acceptance.timeout?.wholeMilliseconds)
        accept.bind(7, record.input?.kept)
        accept.bind(8, acceptance.durableInput)
        accept.bind(9, record.dueAt)
        accept.bind(10, acceptance.group)
        accept.bind(11, acceptance.after?.stored)
        try accept.run()
    }

    private func keep(_ record: ExecutionRecord) throws(StoreError) {
        let time = record.endedAt ?? record.startedAt ?? record.queuedAt
        keep.bind(1, record.id)
        keep.bind(2, record.action)
        keep.bind(3, record.state.rawValue)
        keep.bind(4, record.causes.stored)
        keep.bind(5, record.queuedAt)
        keep.bind(6, record.startedAt)
        keep.bind(7, time)
        keep.bind(8, Int64(record.elements))
        keep.bind(9, record.input?.kept)
        keep.bind(10, record.error?.shortened(to: ExecutionRecord.errorBytesKept).stored)
        keep.bind(11, record.dueAt)
        keep.bind(12, record.attempts.map { Int64($0.number) })
        keep.bind(13, record.attempts.map { Int64($0.most) })
        try keep.run()
        if database.changedRows > 0 { history.added(database.lastInserted, at: time) }
    }
}

extension RawJSON {
    /// The part of an input that the history keeps.
    fileprivate var kept: RawJSON? { utf8.count <= ExecutionRecord.inputBytesKept ? self : nil }
}
