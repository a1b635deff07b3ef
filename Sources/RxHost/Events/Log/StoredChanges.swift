internal import RxAction
internal import RxJSON
internal import RxRecords
internal import RxStore

// How events are represented in the store. Later versions read what this one writes.

extension HostEvent.Change {
    /// What the store keeps of the change; nil if it keeps nothing.
    ///
    /// - Parameter execution: the execution that has changed; nil for a change of none.
    func logged(of execution: HostedExecution?) -> LoggedEvent.Content? {
        switch self {
        case .execution(let full) where execution?.isLogged == true && !full.isPostponed:
            // The store does not keep a long input, and must not hold it in memory until it has written the event.
            let record = full.withoutLongInput
            return switch record.state {
            case .queued: .queued(record)
            case .executing: record.isBetweenAttempts ? .attempt(record) : .started(record)
            case .completed, .failed, .cancelled, .timedOut, .interrupted:
                .ended(record, isKeyed: execution?.isKeyed == true, output: execution?.output?.storable(isOver: true))
            }
        // The next host starts what is postponed.
        case .failure(.postponed, _): return nil
        case .failure(let error, let record) where execution?.isLogged == true:
            return .failed(error, of: record.withoutLongInput)
        case .refusal(let enabled): return .other(kind: "refused", enabled.stored)
        case .queueFull(let limit): return .other(kind: "queueFull", RawJSON(["limit": .number(JSONNumber(limit))]))
        case .conditionFailure(let message): return .other(kind: "condition", RawJSON(["message": .string(message)]))
        case .fault(let fault): return .other(kind: "fault", fault.stored)
        case .element(let element) where execution == nil: return .ofStream(.element, element)
        case .streamFailure(let facts): return .ofStream(.error, facts)
        case .firing(let firing): return .ofStream(.firing, firing)
        case .drops(let drops): return .ofStream(.lag, drops.stored)
        case .element, .failure, .execution, .executing, .enabled, .state, .added, .changed, .removed: return nil
        }
    }

    /// Nil for a content that no version has written.
    init?(_ content: LoggedEvent.Content) {
        switch content {
        case .queued(let record), .started(let record), .attempt(let record), .ended(let record, _, _):
            self = .execution(record)
        case .failed(let error, let record): self = .failure(error, of: record)
        case .element(let element): self = .element(element)
        case .ofStream(.element, let element): self = .element(element)
        case .ofStream(.error, let facts): self = .streamFailure(facts)
        case .ofStream(.firing, let firing): self = .firing(firing)
        case .ofStream(.lag, let value):
            guard let drops = StreamDrops(stored: value.value()) else { return nil }
            self = .drops(drops)
        case .other("refused", let value):
            guard let enabled = Enabled(stored: value.value()) else { return nil }
            self = .refusal(enabled)
        case .other(LoggedEvent.switchedKind, let value):
            guard let enabled = Enabled(stored: value.value()) else { return nil }
            self = .enabled(enabled)
        case .other("queueFull", let value):
            guard let limit = value.value()["limit"]?.int else { return nil }
            self = .queueFull(limit: limit)
        case .other("condition", let value):
            guard let message = value.value()["message"]?.string else { return nil }
            self = .conditionFailure(message)
        case .other("fault", let value):
            guard let fault = ReactorFault(stored: value.value()) else { return nil }
            self = .fault(fault)
        case .other: return nil
        }
    }
}

extension LoggedEvent.Content {
    /// A change of `enabled` by the manual switch. Others follow from executions and conditions, and are not kept.
    static func switched(_ enabled: Enabled) -> LoggedEvent.Content {
        .other(kind: LoggedEvent.switchedKind, enabled.stored)
    }
}

extension Enabled {
    /// Whether the manual switch is why it is not what it was: it was turned off or on, or off for another reason.
    func isSwitched(since before: Enabled) -> Bool {
        switch (before.reason, reason) {
        case (_, .manual?): true
        case (.manual?, .stopping?): false
        case (.manual?, _): true
        case _: false
        }
    }
}

extension ExecutionRecord {
    /// Whether the first attempt of its work has failed.
    fileprivate var isBetweenAttempts: Bool { attempts.map { $0.number > 1 || $0.failure != nil } ?? false }
}

extension Enabled {
    fileprivate var stored: RawJSON {
        var object: JSONObject = [:]
        switch reason {
        case nil: break
        case .executing(let id, let since, let by, let inFlight, let limit)?:
            object = [
                "reason": "executing", "execution": .string(id.description), "since": .number(JSONNumber(Int(since))),
                "by": by.stored.value(), "inFlight": .number(JSONNumber(inFlight)), "limit": .number(JSONNumber(limit)),
            ]
        case .condition(let error)?:
            object = ["reason": "condition"]
            object["error"] = error.map { .string($0) }
        case .unmet(let condition)?:
            object = ["reason": "unmet"]
            object["reactor"] = condition.reactor.map { .string($0) }
            object["when"] = condition.when.map { .string($0) }
            object["text"] = condition.text.map { .string($0) }
            object["error"] = condition.error.map { .string($0) }
            object["publicError"] = condition.publicError.map { .string($0) }
        case .manual(let manual)?:
            object = [
                "reason": "manual", "since": .number(JSONNumber(Int(manual.since))), "by": manual.by.stored.value(),
            ]
            object["text"] = manual.reason.map { .string($0) }
        case .stopping?: object = ["reason": "stopping"]
        }
        return RawJSON(.object(object))
    }

    /// Nil for a value that no version has written.
    fileprivate init?(stored value: JSONValue) {
        guard let object = value.object else { return nil }
        guard let reason = object["reason"]?.string else {
            self.init(reason: nil)
            return
        }
        func time() -> Int64? { object["since"]?.int.map { Int64($0) } }
        func by() -> Origin? { object["by"].flatMap { Origin(stored: $0) } }
        switch reason {
        case "executing":
            guard let id = object["execution"]?.string.flatMap({ ExecutionID($0) }), let since = time(), let by = by()
            else { return nil }
            // An older version has stored neither number.
            let (inFlight, limit) = (object["inFlight"]?.int ?? 1, object["limit"]?.int ?? 1)
            self.init(reason: .executing(id, since: since, by: by, inFlight: inFlight, limit: limit))
        case "condition": self.init(reason: .condition(error: object["error"]?.string))
        case "unmet" where object["text"] != nil:
            self.init(reason: .unmet(UnmetCondition(text: object["text"]?.string ?? "")))
        case "unmet":
            guard let reactor = object["reactor"]?.string, let when = object["when"]?.string else { return nil }
            let condition = UnmetCondition(
                reactor: reactor, when: when, error: object["error"]?.string,
                publicError: object["publicError"]?.string)
            self.init(reason: .unmet(condition))
        case "manual":
            guard let since = time(), let by = by() else { return nil }
            self.init(reason: .manual(ManualSwitch(by: by, since: since, reason: object["text"]?.string)))
        case "stopping": self.init(reason: .stopping)
        default: return nil
        }
    }
}

extension ReactorFault {
    fileprivate var stored: RawJSON {
        var object: JSONObject = [
            "stage": .string(stage.rawValue), "message": .string(message), "isPublic": .bool(isPublic),
        ]
        if let input { object["input"] = .string(input.text) }
        if let place {
            switch place.part {
            case .rule(let index)?: object["rule"] = .number(JSONNumber(index))
            case .merge(let index)?: object["merge"] = .number(JSONNumber(index))
            case nil: break
            }
            object["program"] = .string(place.program)
            if let source = place.source {
                object["file"] = .string(source.file)
                object["line"] = .number(JSONNumber(source.line))
            }
        }
        return RawJSON(.object(object))
    }

    /// Nil for a value that no version has written.
    fileprivate init?(stored value: JSONValue) {
        guard let stage = value["stage"]?.string.flatMap(Stage.init(rawValue:)),
            let message = value["message"]?.string, let isPublic = value["isPublic"]?.bool
        else { return nil }
        var place: ProgramPlace?
        if let program = value["program"]?.string {
            let part: ProgramPlace.Part? =
                value["rule"]?.int.map { .rule($0) } ?? value["merge"]?.int.map { .merge($0) }
            place = ProgramPlace(part, program)
            if let file = value["file"]?.string, let line = value["line"]?.int {
                place?.source = SourceLine(file: file, line: line)
            }
        }
        let input = value["input"]?.string.flatMap { try? RawJSON(validating: $0) }
        self.init(stage, message, input: input, at: place, isPublic: isPublic)
    }
}
