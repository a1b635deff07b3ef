import RxJSON
import RxProtocol

/// Checks the messages of one connection against the schemas of the protocol: results and accepted params by the method
/// that was called, errors by their code, events by their channel.
struct MessageCheck {
    /// The last request of each id, by its text. A client may use an id again.
    private var requests: [String: (method: Method, params: JSONValue?)] = [:]

    /// Notes the requests of a line that a client sends.
    mutating func send(_ line: some StringProtocol) {
        guard let message = try? RawJSON(validating: String(line)).value() else { return }
        for request in message.array ?? [message] {
            guard let id = request["id"], let method = request["method"]?.string.flatMap(Method.init) else { continue }
            requests[RawJSON(id).text] = (method, request["params"])
        }
    }

    /// What is wrong with a message from the daemon; empty if nothing is.
    mutating func receive(_ message: JSONValue) throws -> [String] {
        if let batch = message.array {
            var faults: [String] = []
            for message in batch { faults += try receive(message) }
            return faults
        }
        guard let id = message["id"] else {
            guard message["method"] == "event", let event = message["params"] else {
                return ["neither answer nor event"]
            }
            return try ProtocolSchemas.faults(ofEvent: event)
        }
        let request = requests[RawJSON(id).text]
        if let error = message["error"] { return try ProtocolSchemas.faults(ofError: error) }
        guard let request, let result = message["result"] else { return ["an answer to nothing"] }
        return try ProtocolSchemas.faults(ofResult: result, of: request.method)
            + ProtocolSchemas.faults(ofParams: request.params, of: request.method).map {
                "params were accepted, but \($0)"
            }
    }
}
