public import JSONRPC
public import RxJSON

extension RPCError {
    /// An error of the protocol. Its `data` is an object with `name` and the fields that `facts` writes.
    public init(_ code: ErrorCode, message: String? = nil, facts: (inout JSONWriter) -> Void = { _ in }) {
        var writer = JSONWriter()
        writer.object {
            $0.field("name", code.name)
            facts(&$0)
        }
        self.init(code: code.rawValue, message: message ?? code.meaning, data: RawJSON(unchecked: writer.bytes))
    }

    /// Refused params: `data.errors` has an entry for each fault, whose path is a JSON Pointer into the params.
    public static func refused(_ faults: [RPCError.Fault]) -> RPCError {
        RPCError(
            .invalidParams, message: faults.first.map { $0.path.isEmpty ? $0.message : "\($0.path): \($0.message)" }
        ) { writer in
            writer.array("errors") { writer in
                for fault in faults {
                    writer.object {
                        $0.field("path", fault.path)
                        $0.field("message", fault.message)
                    }
                }
            }
        }
    }

    /// The message of the fault for a parameter that the method does not have. Clients compare it: it
    /// distinguishes an older daemon from a value out of range.
    public static let unknownParameter = "no such parameter"

    /// The code of the protocol; nil if it is none of ours.
    public var errorCode: ErrorCode? { ErrorCode(rawValue: code) }
}
