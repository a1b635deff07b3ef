import RxJSON

/// A page of the log of executions: three of deploy, one of which was still in flight when another began.
enum ExampleLog {
    static let page: JSONValue = ["executions": .array(records), "truncated": true, "before": "e1"]

    static let older: JSONValue = [
        "executions": [record("e0", "mail", 300, 290, 280, "failed")], "truncated": false,
    ]

    /// Times are seconds before now.
    static func record(
        _ id: String, _ action: String, _ queued: Int64, _ started: Int64?, _ ended: Int64?, _ state: String
    ) -> JSONValue {
        func time(_ seconds: Int64?) -> JSONValue {
            seconds.map { .string(ExampleTop.text(ExampleTop.now - $0 * 1000)) } ?? .null
        }
        return [
            "execution": .string(id), "action": .string(action), "state": .string(state), "queuedAt": time(queued),
            "startedAt": time(started), "endedAt": time(ended),
        ]
    }

    private static let records = [
        record("e1", "deploy", 200, 200, 150, "completed"),
        record("e2", "deploy", 190, 150, 100, "failed"),
        record("e3", "deploy", 120, 90, nil, "executing"),
        record("e4", "backup", 80, 80, 79, "completed"),
    ]
}
