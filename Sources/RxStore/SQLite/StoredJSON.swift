package import RxRecords
internal import RxAction
package import RxJSON

// How origins and errors are represented in the store. Later versions read what this one writes.

extension Origin {
    /// The origin as the store keeps it.
    package var stored: RawJSON {
        var writer = JSONWriter(reserving: 48)
        write(stored: &writer)
        return RawJSON(unchecked: writer.bytes)
    }

    fileprivate func write(stored writer: inout JSONWriter) {
        writer.object { write(membersTo: &$0) }
    }

    fileprivate func write(membersTo writer: inout JSONWriter) {
        switch self {
        case .peer(let uid, let gid, let pid):
            writer.field("uid", Int(uid))
            writer.field("gid", Int(gid))
            writer.field("pid", Int(pid))
        case .rule(let reactor, let rule):
            writer.field("reactor", reactor)
            writer.field("rule", rule)
        case .stream(let name, let scheduled):
            writer.field("stream", name)
            if let scheduled { writer.field("scheduled", scheduled) }
        case .host: writer.field("host", true)
        case .other(let object):
            // A `uid` would make it somebody's own.
            for member in object where member.key != "uid" && !Causes.storedMembers.contains(member.key) {
                writer.key(member.key)
                writer.value(member.value)
            }
        }
    }

    /// Nil for a value that no version can have written.
    package init?(stored value: JSONValue) {
        if let uid = value["uid"]?.int.flatMap(UInt32.init(exactly:)),
            let gid = value["gid"]?.int.flatMap(UInt32.init(exactly:)),
            let pid = value["pid"]?.int.flatMap(Int32.init(exactly:))
        {
            self = .peer(uid: uid, gid: gid, pid: pid)
        } else if let name = value["stream"]?.string {
            self = .stream(name, scheduled: value["scheduled"]?.string)
        } else if let name = value["trigger"]?.string {
            // The word of versions before streams.
            self = .stream(name)
        } else if value["host"]?.bool == true {
            self = .host
        } else if let reactor = value["reactor"]?.string, let rule = value["rule"]?.int, rule >= 0 {
            self = .rule(reactor: reactor, rule: rule)
        } else if var object = value.object, value["uid"] == nil, value["reactor"] == nil, value["host"]?.bool == nil {
            // A link of a later version.
            for member in Causes.storedMembers { object[member] = nil }
            guard !object.isEmpty else { return nil }
            self = .other(object)
        } else {
            return nil
        }
    }
}

extension Causes {
    /// The members of a stored chain beside those of its nearest link.
    fileprivate static let storedMembers = ["causes", "omitted"]

    /// The nearest link, as versions without chains store it. A longer chain has two members more: `causes`, the other
    /// links in their order, and `omitted`, how many are left out before the last of them, if any.
    package var stored: RawJSON {
        guard isChain else { return by.stored }
        var writer = JSONWriter(reserving: 96)
        writer.object { writer in
            by.write(membersTo: &writer)
            writer.key("causes")
            writer.array { writer in
                for link in links.dropFirst() { link.write(stored: &writer) }
            }
            if omitted > 0 { writer.field("omitted", omitted) }
        }
        return RawJSON(unchecked: writer.bytes)
    }

    /// Nil for a value that no version can have written.
    package init?(stored value: JSONValue) {
        guard let by = Origin(stored: value) else { return nil }
        guard let rest = value["causes"]?.array else {
            self.init(by)
            return
        }
        let links = rest.compactMap { Origin(stored: $0) }
        guard links.count == rest.count else { return nil }
        self.init(links: [by] + links, omitted: value["omitted"]?.int ?? 0)
    }
}

extension ExecutionError {
    var stored: RawJSON {
        var writer = JSONWriter()
        writer.object { writer in
            switch self {
            case .failed(let failure):
                writer.field("kind", "failed")
                writer.field("message", failure.message)
                writer.field("mayPass", failure.mayPass)
                writer.field("facts", .object(failure.facts))
            case .timedOut(let limit):
                let (seconds, attoseconds) = limit.components
                writer.field("kind", "timedOut")
                writer.field("seconds", Int(seconds))
                writer.field("attoseconds", Int(attoseconds))
            case .cancelled(let by):
                writer.field("kind", "cancelled")
                writer.key("by")
                if let by { by.write(stored: &writer) } else { writer.null() }
            case .superseded(let id):
                writer.field("kind", "superseded")
                writer.field("by", id.description)
            case .stopped, .postponed: writer.field("kind", "stopped")
            case .interrupted: writer.field("kind", "interrupted")
            }
        }
        return RawJSON(unchecked: writer.bytes)
    }

    /// Nil for a value that no version has written.
    init?(stored value: JSONValue) {
        switch value["kind"]?.string {
        case "failed":
            guard let message = value["message"]?.string, let mayPass = value["mayPass"]?.bool,
                let facts = value["facts"]?.object
            else { return nil }
            self = .failed(WorkFailure(message: message, facts: facts, mayPass: mayPass))
        case "timedOut":
            guard let seconds = value["seconds"]?.int, let attoseconds = value["attoseconds"]?.int else { return nil }
            self = .timedOut(
                limit: Duration(secondsComponent: Int64(seconds), attosecondsComponent: Int64(attoseconds)))
        case "cancelled":
            guard let by = value["by"] else { return nil }
            guard !by.isNull else {
                self = .cancelled(by: nil)
                return
            }
            guard let origin = Origin(stored: by) else { return nil }
            self = .cancelled(by: origin)
        case "superseded":
            guard let id = value["by"]?.string.flatMap({ ExecutionID($0) }) else { return nil }
            self = .superseded(by: id)
        case "stopped": self = .stopped
        case "interrupted": self = .interrupted
        default: return nil
        }
    }
}

extension Attempts {
    var stored: RawJSON {
        var object: JSONObject = ["attempt": .number(JSONNumber(number)), "attempts": .number(JSONNumber(most))]
        if let failure {
            object["error"] = failure.error.stored.value()
            object["delay"] = .number(JSONNumber(Int(failure.delay / .milliseconds(1))))
            object["endsAt"] = .number(JSONNumber(Int(failure.endsAt)))
        }
        return RawJSON(.object(object))
    }

    /// Nil for a value that no version has written.
    convenience init?(stored value: JSONValue) {
        guard let number = value["attempt"]?.int, let most = value["attempts"]?.int else { return nil }
        var failure: Failure?
        if let error = value["error"].flatMap({ ExecutionError(stored: $0) }), let delay = value["delay"]?.int,
            let endsAt = value["endsAt"]?.int
        {
            failure = Failure(error, delay: .milliseconds(delay), endsAt: Int64(endsAt))
        }
        self.init(number, of: most, failure: failure)
    }
}
