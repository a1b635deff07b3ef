internal import RxRecords
internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `subscribe`: opens a subscription; the snapshot is in the response, the events follow.
struct Subscribe: MethodHandler {
    static let method = Method.subscribe

    private let call: Call
    private let name: String
    private var target: SubscribeTarget
    private let options: SubscribeOptions
    /// The start, if it takes a look at many events.
    private var prepared: PreparedStart?
    private var isPrepared = false
    /// The start, if it was looked up in the store.
    private var stored: StoredStart?
    private var isLookedUp = false

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let parameters = try Parameters(params, of: Self.method)
        guard call.reply.batch == nil else { throw .streamInBatch }
        name = try parameters.string("subscription")
        target = try SubscribeTarget.read(parameters, call.session)
        options = try SubscribeOptions(parameters, target, limits: call.context.limits, host: call.host)
        try call.session.subscriptions.checkNew(name, parameter: "subscription")
        self.call = call
    }

    func perform() throws(RPCError) {
        if !isLookedUp, let lookup = call.host.log.lookup(target.source, options.channels.kinds, from: options.start) {
            return lookUp(lookup)
        }
        if !target.past.isEmpty {
            // The name stays free: the connection receives no request meanwhile.
            let bytes = target.past.count * ExecutionRecord.bytesOfEnded + bytesOfRecords
            return call.beginAnswer(bytes) { readPast(after: [], $0) }
        }
        if mustPrepare(target.source) {
            return prepare(target.source) { found in
                guard call.output.isOpen else { return }
                call.attempt { () throws(RPCError) in try found.perform() }
            }
        }
        if target.subject == .reactor, case .named(let sources) = target.source {
            let texts = LongSnapshots(of: sources)
            if texts.areMissing { return openLong(texts) }
        }
        let bytes = bytesOfRecords
        guard bytes > Call.shortAnswer else { return try openNow(nil, nil) }
        call.beginAnswer(bytes) { room in
            let isOpening = call.attempt { () throws(RPCError) in try openNow(nil, room) }
            if !isOpening { room.end() }
        }
    }

    /// Looks up the start in the store, and goes on. If that cannot be read, the first page of the log finds it.
    private func lookUp(_ lookup: StartLookup) {
        call.beginLong { [log = call.host.log, uid = call.peer.uid] finish in
            log.look(up: lookup, for: uid) { finish($0) }
        } then: { stored in
            var found = self
            (found.stored, found.isLookedUp) = (stored, true)
            guard call.output.isOpen else { return }
            call.attempt { () throws(RPCError) in try found.perform() }
        }
    }

    private func mustPrepare(_ source: EventSource) -> Bool {
        !isPrepared && call.host.log.mustPrepare(source, options.channels.kinds, from: options.start)
    }

    /// Finds the start beside the loop, and goes on.
    private func prepare(_ source: EventSource, then body: @escaping (Subscribe) -> Void) {
        let (log, kinds, start) = (call.host.log, options.channels.kinds, options.start)
        call.runLong {
            log.prepare(source, kinds, from: start)
        } then: { prepared in
            var found = self
            (found.prepared, found.isPrepared) = (prepared, true)
            body(found)
        }
    }

    /// Opens the subscription to what there is now: a reload may have changed that.
    private func openNow(_ texts: LongSnapshots?, _ room: AnswerRoom?) throws(RPCError) {
        let now = target.renewed(for: call.session)
        guard now.source.sources.elementsEqual(target.source.sources, by: ===) else {
            try perform(with: now)
            room?.end()
            return
        }
        try checkRights()
        try open([], texts, room)
    }

    private func perform(with target: SubscribeTarget) throws(RPCError) {
        var renewed = self
        renewed.target = target
        try renewed.perform()
    }

    /// About how long the snapshot is without what is read for it.
    private var bytesOfRecords: Int {
        switch target.source {
        case .executions(let executions):
            executions.reduce(0) { $0 + call.host.log.record(of: $1).approximateBytes }
        case .named(let sources) where target.subject == .reactor: sources.count * Self.bytesOfState
        case .named(let sources) where target.subject == .stream: sources.count * StreamList.bytesOfStream
        case .named(let sources):
            call.host.log.snapshot(of: sources.compactMap { $0 as? HostedAction }).levels
                .reduce(0) { $0 + $1.approximateBytes }
        }
    }

    /// Bytes of a usual state that is not long.
    private static let bytesOfState = 1024

    /// How often the texts of long states are written, so that clients share them; after that, those that have changed
    /// again are written for this one.
    private static let attempts = 4

    /// Opens the subscription when there is room for the texts of all long states, and they are written.
    private func openLong(_ texts: LongSnapshots) {
        call.runLong { [stateTexts = call.context.stateTexts] in
            texts.length(by: stateTexts)
        } then: { bytes in
            call.beginAnswer(bytes + bytesOfRecords) { open(with: texts, attempts: Self.attempts, $0) }
        }
    }

    private func open(with texts: LongSnapshots, attempts: Int, _ room: AnswerRoom) {
        call.runLong { [stateTexts = call.context.stateTexts] in
            texts.written(to: stateTexts)
        } then: { texts in
            call.context.forgetStateTexts()
            let bytes = texts.bytes + bytesOfRecords
            guard room.extend(to: bytes) else {
                // The states have grown: they are written again when there is room.
                call.beginAnswer(bytes) { open(with: texts.withoutTexts, attempts: Self.attempts, $0) }
                return room.end()
            }
            if attempts > 1, texts.areMissing { return open(with: texts, attempts: attempts - 1, room) }
            guard call.output.isOpen, call.attempt({ () throws(RPCError) in try openNow(texts, room) }) else {
                return room.end()
            }
        }
    }

    /// A reload may have taken a right or a source away in the meantime. Those of executions are checked when they are
    /// opened.
    private func checkRights() throws(RPCError) {
        // All of a kind are those that the client may see now.
        guard case .named(let sources) = target.source, !target.kind.isAll else { return }
        for source in sources {
            let found: Hosted =
                switch target.subject {
                case .action: try call.client.action(source.name, allowing: .subscribe, for: Self.method)
                case .reactor: try call.client.reactor(source.name, allowing: .subscribe, for: Self.method)
                case .stream: try call.client.feed(ofStream: source.name, for: Self.method, tap: target.tap)
                }
            guard found === source else { throw .notFound(target.subject, source.name) }
        }
    }

    /// Reads one record after another from the history, and opens the subscription with all of them.
    private func readPast(after found: [ExecutionRecord], _ room: AnswerRoom) {
        let isReading = call.attempt { () throws(RPCError) in
            guard call.output.isOpen, found.count < target.past.count else {
                return openPast(found, room)
            }
            let id = target.past[found.count]
            let lookup = ExecutionLookup(session: call.session, operation: .read, method: Self.method)
            try lookup.past(id) { result in
                switch result {
                case .success(let record) where record.state.isFinal: return readPast(after: found + [record], room)
                case .success: call.reply.failure(.notFound("execution", id.description))
                case .failure(let error): call.reply.failure(error)
                }
                room.end()
            }
        }
        if !isReading { room.end() }
    }

    /// Opens the subscription with all records that were read.
    private func openPast(_ past: [ExecutionRecord], _ room: AnswerRoom) {
        guard call.output.isOpen else { return room.end() }
        let (source, _) = joined(past)
        guard mustPrepare(source) else {
            let isOpening = call.attempt { () throws(RPCError) in try open(past, nil, room) }
            if !isOpening { room.end() }
            return
        }
        prepare(source) { found in
            guard call.output.isOpen, call.attempt({ () throws(RPCError) in try found.open(past, nil, room) }) else {
                return room.end()
            }
        }
    }

    /// The source with the executions of these records, and the records of which nothing else is kept, because their
    /// action is gone.
    private func joined(_ past: [ExecutionRecord]) -> (source: EventSource, bare: [ExecutionRecord]) {
        guard case .executions(var executions) = target.source else { return (target.source, []) }
        var bare: [ExecutionRecord] = []
        for record in past {
            if let execution = call.host.past(record) {
                executions.append(execution)
            } else {
                bare.append(record)
            }
        }
        return (.executions(executions), bare)
    }

    /// Opens the subscription, and answers with the snapshot: at once without a room, and otherwise when it is written
    /// beside the loop. What happens meanwhile is read from the log.
    ///
    /// - Parameter room: ended after the answer, but not if an error is thrown.
    private func open(_ past: [ExecutionRecord], _ texts: LongSnapshots?, _ room: AnswerRoom?) throws(RPCError) {
        try checkExecutions(in: target.source)
        let (source, bare) = joined(past)
        if case .executions(let executions) = source {
            let bytes = call.session.subscriptions.bytes(of: executions)
            if let refusal = call.output.refusal(ofKeeping: bytes) { throw refusal }
        }
        let opening: EventOpening
        let kinds = options.channels.kinds
        switch call.host.log.open(
            source, kinds, from: options.start, prepared, stored: stored, isAll: target.kind.isAll, isHeld: room != nil)
        {
        case .success(let opened): opening = opened
        case .failure(let refusal): throw error(refusal)
        }
        let records = opening.records + bare
        let longTexts = texts?.texts(for: opening) ?? [:]
        let snapshot = SubscriptionSnapshot(
            opening, of: source, records, target.subject, for: call.client, hasText: { longTexts[$0] != nil })
        let write = writing(snapshot, at: call.context.encoder.cursor(opening.cursor))
        let start: () -> Void = { begin(source, opening, snapshot, records) }
        guard let room else {
            call.reply.success(write)
            return start()
        }
        call.runLong {
            SplitText(longTexts.sorted { $0.key < $1.key }.map(\.value), write)
        } then: { text in
            answer(text, source, start)
            room.end()
        }
    }

    private func writing(_ snapshot: SubscriptionSnapshot, at cursor: String) -> Call.Writing {
        { [name] writer in
            writer.beginObject()
            writer.field("subscription", name)
            writer.field("cursor", cursor)
            writer.key("snapshot")
            snapshot.write(to: &writer)
            writer.endObject()
        }
    }

    /// Answers with a snapshot that is written, unless a reload has changed what the client may see meanwhile.
    private func answer(_ text: SplitText, _ source: EventSource, _ start: () -> Void) {
        func forget() { call.host.log.unwatch(source, isAll: target.kind.isAll) }
        guard call.output.isOpen else { return forget() }
        let now = target.renewed(for: call.session)
        guard !target.kind.isAll || now.source.sources.elementsEqual(source.sources, by: ===) else {
            forget()
            call.attempt { () throws(RPCError) in try perform(with: now) }
            return
        }
        call.attempt { () throws(RPCError) in
            do throws(RPCError) {
                try checkRights()
                try checkExecutions(in: source)
            } catch {
                forget()
                throw error
            }
            call.reply.success(text)
            start()
        }
    }

    /// A reload may have taken the right away meanwhile.
    private func checkExecutions(in source: EventSource) throws(RPCError) {
        guard case .executions(let executions) = source else { return }
        for execution in executions where !call.client.mayRead(execution) {
            throw call.client.refusal(
                of: Rights.ExecutionOperation.read.rawValue, action: execution.action.name, execution: execution.id)
        }
    }

    private func begin(
        _ source: EventSource, _ opening: EventOpening, _ snapshot: SubscriptionSnapshot, _ records: [ExecutionRecord]
    ) {
        let subscription = Subscription(
            name: name, target: target.kind, source: source, channels: options.channels, buffer: options.buffer,
            overflow: options.overflow, since: opening.cursor,
            until: options.endsCaughtUp ? call.host.log.cursor : nil, encoder: call.context.encoder,
            reveals: { [client = call.client] in client.maySubscribe(toReactor: $0) })
        if target.subject == .reactor { subscription.begin(with: opening, wantsPatches: options.wantsPatches) }
        // One that catches up gets the levels that changed in the past, whatever they are now.
        if !options.start.isPast {
            for (source, levels) in snapshot.levels { subscription.begin(with: levels, of: source) }
        }
        var unended = 1
        if case .executions = target.kind { unended = records.count { !$0.state.isFinal } }
        call.session.subscriptions.open(subscription, unended: unended)
        if let position = opening.position {
            subscription.beginCatchUp(at: position)
            call.output.catchUp(subscription)
        }
        // After it has caught up, if it has to.
        if unended == 0, let reason = records.endReason {
            call.session.subscriptions.close(subscription, reason)
        } else if options.endsCaughtUp {
            call.session.subscriptions.close(subscription, .caughtUp)
        }
    }

    private func error(_ refusal: EventStartRefusal) -> RPCError {
        switch refusal {
        case .expired(let oldest):
            .cursorExpired(options.cursor, oldest: oldest.map(call.context.encoder.cursor))
        case .ahead: .refused([RPCError.Fault(path: "/from", message: "is after the newest event")])
        case .notFound(let id): .notFound("execution", id.description)
        case .elsewhere:
            .refused([RPCError.Fault(path: "/from/execution", message: "its action is not subscribed to")])
        }
    }
}
