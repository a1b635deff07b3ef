internal import RxRecords
internal import RxAction
internal import RxJSON

// How origins and errors are represented in the store. Later versions read what this one writes.

extension Origin {
    var stored: RawJSON {
        var writer = JSONWriter(reserving: 48)
        write(stored: &writer)
        return RawJSON(unchecked: writer.bytes)
    }

    fileprivate func write(stored writer: inout JSONWriter) {
        writer.object { writer in
            switch self {
            case .peer(let uid, let gid, let pid):
                writer.field("uid", Int(uid))
                writer.field("gid", Int(gid))
                writer.field("pid", Int(pid))
            case .trigger(let name): writer.field("trigger", name)
            case .host: writer.field("host", true)
            }
        }
    }

    /// Nil for a value that no version has written.
    init?(stored value: JSONValue) {
        if let uid = value["uid"]?.int.flatMap(UInt32.init(exactly:)),
            let gid = value["gid"]?.int.flatMap(UInt32.init(exactly:)),
            let pid = value["pid"]?.int.flatMap(Int32.init(exactly:))
        {
            self = .peer(uid: uid, gid: gid, pid: pid)
        } else if let name = value["trigger"]?.string {
            self = .trigger(name)
        } else if value["host"]?.bool == true {
            self = .host
        } else {
            return nil
        }
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
