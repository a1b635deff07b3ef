internal import RxJSON

/// The members of a message that the protocol defines, found in one pass. If a member repeats, the last one counts.
struct MessageParts {
    var version: JSONView?
    var id: JSONView?
    var method: JSONView?
    var params: JSONView?
    var result: JSONView?
    var error: JSONView?

    @inline(__always)  // Otherwise its 192 bytes are copied to the caller.
    init(_ message: JSONView) {
        for (key, value) in message.members {
            // The first character distinguishes most keys. A key that begins with an escape may be any of them.
            switch key.initial {
            case UInt8(ascii: "j"): if key.equals("jsonrpc") { version = value }
            case UInt8(ascii: "i"): if key.equals("id") { id = value }
            case UInt8(ascii: "m"): if key.equals("method") { method = value }
            case UInt8(ascii: "p"): if key.equals("params") { params = value }
            case UInt8(ascii: "r"): if key.equals("result") { result = value }
            case UInt8(ascii: "e"): if key.equals("error") { error = value }
            case UInt8(ascii: "\\"): take(key, value)
            case _: break
            }
        }
    }

    private mutating func take(_ key: JSONView, _ value: JSONView) {
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
