package import RxAction
internal import RxHost
package import RxJSON
internal import RxRecords
internal import RxTime

/// The outcome of one element at an `on`.
package struct Firing: Sendable, Hashable {
    /// What became of the element.
    package enum Outcome: Sendable, Hashable {
        /// An execution started, was queued, or was joined.
        case accepted(Acceptance, ExecutionID)
        /// A reactor reduced the action; with the revision.
        case reduced(UInt64)
        /// The action or reactor took no input: the name of the error, and why.
        case refused(String, message: String)
        /// The input could not be made, or is not valid.
        case failed(String)
    }

    package enum Acceptance: String, Sendable, Hashable {
        case started, queued, joined
    }

    /// From 1, for the `on`.
    package var number: Int
    /// Milliseconds since 1970.
    package var time: Int64
    /// The action or reactor.
    package var target: String
    /// The input; nil if there is none, or if it is too long to keep.
    package var input: RawJSON?
    /// The slot, for an element of a schedule.
    package var scheduled: String?
    package var outcome: Outcome
    /// How the execution ended, once it has: `completed`, or the name of its error.
    package var end: String?

    /// The word for how an execution has ended.
    static func end(_ error: ExecutionError?) -> String { error?.name.rawValue ?? "completed" }

    /// The longest input that is kept with a firing, in bytes.
    static let inputBytes = 4096
}

extension Firing {
    /// The firing as it is stored.
    var stored: JSONValue {
        guard var object = json.object else { return json }
        object["time"] = JSONValue(Int(time))
        return .object(object)
    }

    /// The firing as clients get it.
    package var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("number", JSONValue(number)), ("time", .string(TimeText.utc(Instant(microseconds: time * 1000)))),
            ("target", .string(target)),
        ]
        if let input { members.append(("input", input.value())) }
        if let scheduled { members.append(("scheduled", .string(scheduled))) }
        switch outcome {
        case .accepted(let acceptance, let id):
            members.append(("outcome", .string(acceptance.rawValue)))
            members.append(("execution", .string("\(id)")))
        case .reduced(let revision):
            members.append(("outcome", "reduced"))
            members.append(("revision", JSONValue(revision)))
        case .refused(let name, let message):
            members.append(("outcome", "refused"))
            members.append(("error", .string(name)))
            members.append(("message", .string(message)))
        case .failed(let message):
            members.append(("outcome", "failed"))
            members.append(("message", .string(message)))
        }
        if let end { members.append(("end", .string(end))) }
        return .object(JSONObject(members))
    }

    /// Nil for a value of another version.
    init?(stored value: JSONValue) {
        guard let number = value["number"]?.int, let time = value["time"]?.int, let target = value["target"]?.string,
            let word = value["outcome"]?.string
        else { return nil }
        let message = value["message"]?.string ?? ""
        if let acceptance = Acceptance(rawValue: word),
            let id = value["execution"]?.string.flatMap({ ExecutionID($0) })
        {
            outcome = .accepted(acceptance, id)
        } else if word == "reduced", let revision = value["revision"]?.int {
            outcome = .reduced(UInt64(revision))
        } else if word == "refused", let name = value["error"]?.string {
            outcome = .refused(name, message: message)
        } else if word == "failed" {
            outcome = .failed(message)
        } else {
            return nil
        }
        self.number = number
        self.time = Int64(time)
        self.target = target
        input = value["input"].map { RawJSON($0) }
        scheduled = value["scheduled"]?.string
        end = value["end"]?.string
    }
}
