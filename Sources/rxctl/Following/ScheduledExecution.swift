internal import RxClient
internal import RxJSON
internal import RxProtocol

extension DaemonSession {
    /// Has the daemon start an execution at a time; prints its id, and its time on a terminal.
    func schedule(_ request: ExecuteRequest, at time: Timestamp) {
        var params: JSONObject = ["action": .string(request.action), "at": .string("\(time)")]
        params["input"] = request.input.map { $0.value() }
        params["timeout"] = request.timeout.map { .string($0) }
        params["after"] = request.after.map { .string($0) }
        if request.ifCompleted { params["ifCompleted"] = true }
        params["key"] = request.key.map { .string($0) }
        call(.actionExecute, RawJSON(.object(params))) { [self] result in
            if options.json {
                print(result)
            } else {
                let reply = result.value()
                print(reply["execution"]?.string ?? "")
                if StandardStreams.errorIsTerminal, let at = reply["at"]?.string { note("starts at \(at)") }
            }
            finish()
        }
    }
}
