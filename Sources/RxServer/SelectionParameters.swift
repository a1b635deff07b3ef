internal import JSONRPC
internal import RxJSON
internal import RxRecords

extension ExecutionSelection {
    /// The selection that the params of `execution.list` describe; its scope is for the caller to add.
    init(_ parameters: Parameters) throws(RPCError) {
        self.init()
        // Sets, since each record is looked up.
        actions = try parameters.optionalStrings("action").map { Set($0) }
        states = try parameters.states()
        since = try parameters.optionalTime("since")
        until = try parameters.optionalTime("until")
        after = try parameters.optionalExecution("after")
        before = try parameters.optionalExecution("before")
        by = try parameters.requester()
        text = try parameters.searchText()
    }
}

extension Parameters {
    /// `order`: `newest` if absent.
    func order() throws(RPCError) -> ExecutionOrder {
        switch try optionalString("order") {
        case nil, "newest": return .newestFirst
        case "oldest": return .oldestFirst
        default: throw fault("order", "must be \"newest\" or \"oldest\"")
        }
    }

    fileprivate func states() throws(RPCError) -> Set<ExecutionState>? {
        guard let texts = try optionalStrings("state") else { return nil }
        var states: Set<ExecutionState> = []
        for text in texts {
            guard let state = ExecutionState(rawValue: text) else { throw fault("state", "no such state: \(text)") }
            states.insert(state)
        }
        return states
    }

    fileprivate func requester() throws(RPCError) -> ExecutionSelection.Requester? {
        guard let value = self["by"] else { return nil }
        if value.kind == .object, value.members.reduce(0, { count, _ in count + 1 }) == 1 {
            if let uid = value["uid"]?.int.flatMap(UInt32.init(exactly:)) { return .user(uid) }
            if let name = value["reactor"]?.string { return .reactor(name) }
            if let name = value["stream"]?.string { return .stream(name) }
        }
        throw fault("by", "must be {\"uid\": number}, {\"reactor\": string}, or {\"stream\": string}")
    }

    fileprivate func searchText() throws(RPCError) -> SearchText? {
        guard let text = try optionalString("grep") else { return nil }
        guard let search = SearchText(text) else {
            throw fault("grep", "must have 1 to \(SearchText.mostBytes) bytes")
        }
        return search
    }
}
