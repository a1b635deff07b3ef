internal import CSystemd
internal import RxJSON

/// Reads and writes messages of libsystemd.
enum SdBusMessage {
    /// A signal.
    static func signal(_ message: OpaquePointer) -> BusMessage {
        BusMessage(
            sender: text(sd_bus_message_get_sender(message)), path: text(sd_bus_message_get_path(message)),
            interface: text(sd_bus_message_get_interface(message)), member: text(sd_bus_message_get_member(message)),
            arguments: arguments(message))
    }

    /// The error that a message is; nil if it is none.
    static func failure(_ message: OpaquePointer) -> BusFailure? {
        guard let error = sd_bus_message_get_error(message)?.pointee else { return nil }
        let name = text(error.name)
        return BusFailure(name: name, description: error.message.map { String(cString: $0) } ?? name)
    }

    /// All arguments of a message.
    static func arguments(_ message: OpaquePointer) -> Result<[JSONValue], BusFailure> {
        // Another match may have read it.
        sd_bus_message_rewind(message, 1)
        var reader = BusValueReader(message)
        return Result { () throws(BusFailure) in try reader.values(depth: 0) }
    }

    /// Appends an argument of a call; a negative errno if it cannot be.
    static func append(_ argument: BusCall.Argument, to message: OpaquePointer?) -> Int32 {
        switch argument {
        case .string(let text): return append(text, to: message)
        case .strings(let texts):
            var result = sd_bus_message_open_container(message, CChar(UInt8(ascii: "a")), "s")
            for text in texts where result >= 0 { result = append(text, to: message) }
            return result < 0 ? result : sd_bus_message_close_container(message)
        }
    }

    private static func append(_ text: String, to message: OpaquePointer?) -> Int32 {
        text.withCString { sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), $0) }
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
}
