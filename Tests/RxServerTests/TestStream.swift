import Glibc
import Rx
import RxHost
import RxJSON
import RxRecords

@testable import RxServer

/// A stream whose source is `subject`: each element is a firing that is refused by `echo`, except `"break"`, at which
/// its first step fails, and `"flood"`, which has it drop three elements.
final class TestStream: HostedStream {
    static var ofTranscripts: [TestStream] { [TestStream("saves"), TestStream("visits")] }

    let name: String
    let access: Access?
    private let relatedNames: Set<String>
    let readsMachine: Bool
    let isSubject = true
    let isPersistent: Bool
    let places = ["0", "1"]
    let targets = ["echo"]
    private let taps = Locked<[String: @Sendable (RawJSON, Int64) -> Void]>([:])
    private let host = Locked<Host?>(nil)
    private let manual = Locked<ManualSwitch?>(nil)
    /// The threads that have read what it reports.
    let readers = Locked<Set<pthread_t>>([])
    /// How often `related` was read, which rights to it depend on.
    let lookups = Locked(0)
    /// Called once, by the next reader of `summary`.
    let onSummary = Locked<(@Sendable () -> Void)?>(nil)

    init(
        _ name: String, access: Access? = nil, related: Set<String> = [], readsMachine: Bool = false,
        persists: Bool = false
    ) {
        self.name = name
        self.access = access
        relatedNames = related
        self.readsMachine = readsMachine
        isPersistent = persists
    }

    var related: Set<String> {
        lookups.withLock { $0 += 1 }
        return relatedNames
    }

    func publish(to host: Host) { self.host.withLock { $0 = host } }

    func nextTimes(_ count: Int) -> [Int64] {
        _ = readers.withLock { $0.insert(pthread_self()) }
        return []
    }

    var summary: JSONObject {
        _ = readers.withLock { $0.insert(pthread_self()) }
        onSummary.withLock { hook in
            defer { hook = nil }
            return hook
        }?()
        var summary: JSONObject = [
            "stream": .string(name), "description": .null, "source": "subject", "targets": ["echo"], "state": "running",
            "taken": 0, "emitted": 0, "failures": 0, "lost": 0, "persist": false,
        ]
        if let reason = disabledReason {
            summary["state"] = "disabled"
            summary["reason"] = .string(reason)
        }
        return summary
    }

    var details: JSONObject { summary }

    func graph(for view: StreamView) -> JSONObject {
        ["inline": false, "seconds": 0, "sources": [], "steps": [], "targets": []]
    }

    func inject(_ value: RawJSON?, causes: Causes) {
        guard let value, let host = host.withLock({ $0 }) else { return }
        let time = host.time
        taps.withLock { $0["0"] }?(value, time)
        if value.text == "\"flood\"" { return host.publish(.drops(StreamDrops(3, before: "1")), of: name, at: time) }
        if value.text == "\"break\"" {
            let facts: JSONValue = [
                "message": "no number", "step": "1", "operator": "map", "program": "tonumber", "element": "break",
            ]
            host.publish(.failure(RawJSON(facts)), of: name, at: time)
        } else {
            taps.withLock { $0["1"] }?(value, time)
            host.publish(.element(value), of: name, at: time)
            let firing: JSONValue = [
                "number": 1, "time": "2026-11-25T00:00:00.000Z", "target": "echo", "input": value.value(),
                "outcome": "refused", "error": "queueFull", "message": "16 inputs are queued already",
            ]
            host.publish(.firing(RawJSON(firing)), of: name, at: time)
        }
    }

    func tap(_ place: String, _ body: (@Sendable (RawJSON, Int64) -> Void)?) {
        taps.withLock { $0[place] = body }
    }

    /// The places that are tapped.
    var tapped: [String] { taps.withLock { $0.keys.sorted() } }

    var disabledReason: String? { manual.withLock { $0 }.map { "switched off: \($0.reason ?? "")" } }

    func set(_ manual: ManualSwitch?) { self.manual.withLock { $0 = manual } }
}

extension TestServer {
    /// Configures these streams and no others.
    func setStreams(_ streams: [TestStream]) {
        for stream in streams { stream.publish(to: host) }
        host.streams = Dictionary(uniqueKeysWithValues: streams.map { ($0.name, $0) })
    }
}
