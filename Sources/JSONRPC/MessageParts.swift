internal import RxJSON

/// The members of a message that mean something, found in one pass; of a repeated one the last counts.
struct MessageParts {
    var version: JSONView?
    var id: JSONView?
    var method: JSONView?
    var params: JSONView?
    var result: JSONView?
    var error: JSONView?

    init(_ message: JSONView) {
        for (key, value) in message.members {
            if key.equals("jsonrpc") {
                version = value
            } else if key.equals("id") {
                id = value
            } else if key.equals("method") {
                method = value
            } else if key.equals("params") {
                params = value
            } else if key.equals("result") {
                result = value
            } else if key.equals("error") {
                error = value
            }
        }
    }
}
