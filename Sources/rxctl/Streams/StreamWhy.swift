internal import RxJSON

/// What `why` prints of a stream.
enum StreamWhy {
    static func lines(_ stream: JSONValue, at now: Int64) -> [String] {
        var lines = [state(stream, at: now)]
        lines += (stream["steps"]?.array ?? []).compactMap { blocked($0, taken: stream["taken"]?.int ?? 0) }
        let firings = stream["firings"]?.array ?? []
        guard !firings.isEmpty else { return lines + ["Nothing has fired yet."] }
        lines.append("The last firings:")
        return lines
            + Table.lines(firings.reversed().map { row($0, at: now) }).map { "  " + $0 }
    }

    /// How a stream is, in a sentence without its source.
    static func state(_ stream: JSONValue) -> String {
        let name = stream["stream"]?.string ?? ""
        let reason = stream["reason"]?.string ?? ""
        return switch stream["state"]?.string {
        case "waiting": "\(name) waits: \(reason)"
        case "ended": "\(name) has ended"
        case "disabled": "\(name) is disabled: \(reason)"
        default: "\(name) is running"
        }
    }

    /// What the stream does now, in a sentence.
    static func state(_ stream: JSONValue, at now: Int64) -> String {
        let name = stream["stream"]?.string ?? ""
        let source = stream["source"]?.string ?? ""
        switch stream["state"]?.string {
        case "waiting": return "\(name) (\(source)) waits: \(stream["reason"]?.string ?? "")."
        case "ended": return "\(name) (\(source)) has ended."
        case "disabled": return "\(name) (\(source)) is disabled: \(stream["reason"]?.string ?? "")."
        default:
            guard let next = stream["next"]?.string, let time = WireTime.milliseconds(next) else {
                return "\(name) (\(source)) is running."
            }
            return "\(name) (\(source)) is due at \(next), in \(StreamTable.rough(max(0, time - now)))."
        }
    }

    /// A step that has let nothing through.
    private static func blocked(_ step: JSONValue, taken: Int) -> String? {
        guard taken > 0, step["emitted"]?.int == 0 else { return nil }
        let failed = step["failed"]?.int ?? 0
        let failures = failed > 0 ? ", and has failed \(failed) times" : ""
        return
            "Step \(step["step"]?.string ?? ""), \(step["operator"]?.string ?? ""), has let nothing through\(failures)."
    }

    /// A firing: when, what for, and its outcome.
    static func row(_ firing: JSONValue, at now: Int64) -> [String] {
        let time = firing["time"]?.string.flatMap { WireTime.milliseconds($0) } ?? now
        let outcome = firing["outcome"]?.string ?? ""
        let detail: String =
            if let message = firing["message"]?.string { message } else if let revision = firing["revision"]?.int {
                "revision \(revision)"
            } else { [firing["execution"]?.string, firing["end"]?.string].compactMap { $0 }.joined(separator: " ") }
        return ["\(StreamTable.rough(max(0, now - time))) ago", firing["target"]?.string ?? "", outcome, detail]
    }
}
