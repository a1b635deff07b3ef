internal import RxClient
internal import RxJSON
internal import RxProtocol

/// Reads the records of a selection page by page, so that neither side holds more than one: from the oldest on, or,
/// with a limit, the newest ones.
final class ListedExecutions {
    /// Called with the records of each page, oldest first; with a limit, once with all of them. The next page is
    /// requested when it calls `goOn`.
    var onRecords: (_ records: [JSONValue], _ goOn: @escaping () -> Void) -> Void = { _, goOn in goOn() }
    /// Called after the last records, with whether there are older ones.
    var onEnd: (_ hasOlder: Bool) -> Void = { _ in }
    /// Called instead if a name is not that of an action. By default, that ends the command.
    var onUnknown: ((Connection.Reply) -> Void)?

    private let session: DaemonSession
    private let selection: JSONObject
    private let limit: Int?
    /// The records of a list with a limit.
    private var newest: [JSONValue] = []

    /// - Parameters:
    ///   - selection: parameters of `execution.list`.
    ///   - limit: the most records; nil for all.
    init(_ session: DaemonSession, _ selection: JSONObject, limit: Int?) {
        self.session = session
        self.selection = selection
        self.limit = limit
    }

    func start() { request(selection) }

    private func request(_ selection: JSONObject) {
        var params = selection
        if let limit {
            params["limit"] = JSONValue(limit - newest.count)
        } else {
            params["order"] = "oldest"
        }
        session.link.call(.executionList, RawJSON(.object(params))) { [self] reply in
            if reply.isNotFound, let onUnknown { return onUnknown(reply) }
            session.succeed { self.receive($0.value(), of: selection) }(reply)
        }
    }

    private func receive(_ page: JSONValue, of selection: JSONObject) {
        let records = page["executions"]?.array ?? []
        var rest = selection
        guard let limit else {
            return onRecords(records) { [self] in
                guard !session.isOver, let after = page["after"] else { return onEnd(false) }
                rest["after"] = after
                request(rest)
            }
        }
        newest.insert(contentsOf: records, at: 0)
        let isTruncated = page["truncated"]?.bool == true
        if isTruncated, newest.count < limit, let before = page["before"] {
            rest["before"] = before
            return request(rest)
        }
        onRecords(newest) { [self] in onEnd(isTruncated) }
    }
}
