// JSONRPC: JSON-RPC 2.0 messages, one JSON text each, with a strict reader and a fast writer. The transport and the
// methods are defined elsewhere.
//
// - `MessageReader` turns a text into an `Incoming`. It never throws: a fault in a message becomes an `.invalid`
//   message with the id to answer, if one could be read.
// - `MessageWriter` appends messages to a `JSONWriter`, without a newline.
// - An id is echoed byte for byte (`RequestID` is its raw text): `1.0` stays `1.0`, `"\u0041"` stays escaped.
// - A batch is a list of messages, each valid or invalid on its own. An empty or too long batch is a single fault.
// - Params are views into the text (`JSONView`), so they are valid only as long as the line.
//
// Reading order: RequestID, RPCError, Incoming, MessageReader, MessageParts, MessageWriter.
