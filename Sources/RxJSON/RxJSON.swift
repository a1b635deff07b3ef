// RxJSON: JSON that is checked whole, handed on as it was written, and written fast.
//
// Three ways to hold a JSON text, by what one wants from it:
//
// - `JSONView`: a place in a text that a `JSONReader` has just checked. Costs nothing, copies nothing, and is gone
//   with the reader's next text. For looking into a message.
// - `RawJSON`: the bytes of one value, known to be valid. For passing a value through without understanding it:
//   numbers, escapes and the order of members stay as their author wrote them.
// - `JSONValue`: a tree. For building, changing and comparing.
//
// Rules:
// - What is read is RFC 8259 and nothing more: UTF-8 without a byte order mark, no comments, no trailing commas, no
//   NaN. Size and depth are limited by `JSONLimits`. Escaped surrogates that do not pair up are refused, since no
//   string could hold them.
// - A repeated key is accepted; its last value counts.
// - A number stays as written. An integer beyond 64 bits and a number beyond a double are refused by name, with the
//   JSON Pointer of the place (`JSONError.Kind.number`).
// - What is written is compact and on one line.
//
// Read in this order: JSONLimits, JSONError, JSONReader, JSONView, RawJSON, JSONValue, JSONWriter, JSONPointer, JSONSchema,
// JSONPatch.
// simdjson does the reading; JSONSyntaxScan, slower, only says what is wrong with what simdjson refused.
