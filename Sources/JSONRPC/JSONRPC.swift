// JSONRPC: JSON-RPC 2.0 messages, one JSON text each, read strictly and written fast. What carries them, and what the
// methods mean, is for others.
//
// - `MessageReader` turns a text into an `Incoming`. It never throws: what is wrong with a message is itself a
//   message, `.invalid`, with the id to answer if one could be read.
// - `MessageWriter` appends messages to a `JSONWriter`, without a newline.
// - An id is echoed byte for byte (`RequestID` is its raw text): `1.0` stays `1.0`, `"\u0041"` stays escaped.
// - A batch is a list of messages, each valid or not by itself; an empty or too long one is a single fault.
// - Params are looked at where they are in the text (`JSONView`), and so live as long as the line does.
//
// Read in this order: RequestID, RPCError, Incoming, MessageReader, MessageWriter.
