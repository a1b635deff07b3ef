internal import RxStore
internal import RxHost
internal import RxJSON

// The output of a replay: one JSON text per line.

extension Finding {
    var line: RawJSON {
        var writer = JSONWriter()
        writer.object { writer in
            switch self {
            case .difference(let difference): difference.write(to: &writer)
            case .restart(let revision, let cause):
                writer.field("revision", revision)
                writer.field("replaced", cause.rawValue)
            }
        }
        return RawJSON(unchecked: writer.bytes)
    }
}

extension Difference {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.field("revision", revision)
        if let action { writer.field("action", action) }
        if let now {
            writer.object("mutations") { writer in
                writer.array("kept") { writer in kept.forEach { writer.raw($0) } }
                writer.array("now") { writer in now.forEach { writer.raw($0) } }
            }
        } else if let mutation = kept.first {
            writer.field("mutation", mutation)
            writer.field("fromRecord", true)
        }
        writer.key("patch")
        patch.write(to: &writer)
        switch trouble {
        case nil: break
        case .fault(let fault):
            writer.object("error") { writer in
                writer.field("stage", fault.stage.rawValue)
                writer.field("message", fault.text)
                if let input = fault.input { writer.field("input", input) }
            }
        case .refused(let fault):
            writer.object("error") { writer in
                writer.field("stage", "schema")
                writer.field("message", fault.message)
                writer.field("path", fault.path)
            }
        }
    }
}

extension RehearsalSummary {
    /// - Parameter executions: how many executions the actions would have started.
    func line(executions: Int) -> RawJSON {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("reactor", reactor)
            writer.field("from", from)
            writer.field("to", to)
            writer.field("actions", actions)
            writer.field("fromRecord", fromRecord)
            writer.field("same", same)
            writer.field("different", different)
            writer.field("otherMutations", otherMutations)
            writer.field("executions", executions)
            writer.field("breaks", breaks)
            writer.key("firstDifference")
            if let firstDifference { writer.uint(firstDifference) } else { writer.null() }
        }
        return RawJSON(unchecked: writer.bytes)
    }
}
