internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

/// `--at` and `--diff`: a state in the past of a reactor.
enum StatePosition: Equatable {
    case revision(Int)
    /// The state of this many revisions before the newest.
    case back(Int)
    /// The state that the reactor had at this time.
    case time(Timestamp)

    /// - Throws: `ValidationError` with what to write instead.
    init(_ text: String) throws {
        if let number = Int(text) {
            self = number < 0 ? .back(-number) : .revision(number)
        } else if let time = try? PastTime(text) {
            self = .time(time.timestamp)
        } else {
            throw ValidationError("write a revision (42), -1 for the one before the newest, or a time (10m ago)")
        }
    }
}

extension DaemonSession {
    /// Calls `body` with the revision of a reactor at a position. Ends the command if there is none.
    func findRevision(_ position: StatePosition, of reactor: String, then body: @escaping (Int) -> Void) {
        switch position {
        case .revision(let revision): body(revision)
        case .back(let count):
            findNewest(of: reactor) { newest in
                guard newest >= count else {
                    return self.finish(
                        .notKept(
                            "\(reactor) is at revision \(newest); there is none \(count) before it", reactor: reactor))
                }
                body(newest - count)
            }
        case .time(let time): findLast(before: time, of: reactor, below: nil, then: body)
        }
    }

    private func findNewest(of reactor: String, then body: @escaping (Int) -> Void) {
        call(.reactorDescribe, RawJSON(["reactor": .string(reactor)])) { body($0.value()["revision"]?.int ?? 0) }
    }

    /// Goes back through the history, page by page, to the last step that is not after the time.
    private func findLast(
        before time: Timestamp, of reactor: String, below revision: Int?, then body: @escaping (Int) -> Void
    ) {
        var params: JSONObject = ["reactor": .string(reactor)]
        params["before"] = revision.map { JSONValue($0) }
        call(.reactorHistory, RawJSON(.object(params))) { [self] result in
            let page = result.value()
            let steps = page["history"]?.array ?? []
            let isEarly = { (step: JSONValue) in (step["time"]?.string.flatMap { Timestamp($0) } ?? time) <= time }
            if let step = steps.last(where: isEarly) { return body(step["revision"]?.int ?? 0) }
            let first = steps.first?["revision"]?.int
            if page["truncated"]?.bool == true, let first {
                return findLast(before: time, of: reactor, below: first, then: body)
            }
            // Before the first step is the initial state.
            guard let first = first ?? revision, first <= 1 else {
                return finish(.notKept("no state of \(reactor) at that time is kept", reactor: reactor))
            }
            body(0)
        }
    }
}
